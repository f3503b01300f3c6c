"""What a bot's response does: nine behaviours, scored on its dialogue."""
