"""Training of the mind model."""
