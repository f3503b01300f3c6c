"""Training of the model of meaning."""
