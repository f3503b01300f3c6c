"""Which slots of a bot a turn fills by what it means."""
