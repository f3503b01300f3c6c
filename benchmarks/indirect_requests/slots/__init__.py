"""Which value of a slot a turn means: turns of which it is known, floors, a state tracker, and three tasks."""
