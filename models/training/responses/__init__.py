"""Training on a bot's responses."""
