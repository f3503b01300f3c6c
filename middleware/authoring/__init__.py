"""For those who write bots: variants of their examples, indirect requests for their slots."""
