"""Training of the sentence encoder."""
