"""Training of the reader of relations."""
