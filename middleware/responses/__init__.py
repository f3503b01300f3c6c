"""The way of a bot's response before it is sent: softened, scored, or replaced."""
