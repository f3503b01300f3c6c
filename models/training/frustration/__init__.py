"""Training the reader of frustration."""
