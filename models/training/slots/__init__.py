"""Training of the slot-value resolver."""
