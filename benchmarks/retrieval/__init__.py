"""Retrieval in front of a language model: which flow, tool or answer a turn finds, plain and with Grice."""
