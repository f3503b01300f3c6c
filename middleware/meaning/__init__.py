"""What a bot makes of the meaning of a turn."""
