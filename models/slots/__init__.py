"""Which of a slot's values a turn means."""
