"""Which slots of a bot a turn fills."""
