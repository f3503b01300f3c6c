"""Training of the behaviour monitor."""
