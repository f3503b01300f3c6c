"""Meaning as a vector: one encoder that several models read from."""
