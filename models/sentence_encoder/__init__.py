"""Meaning as a vector: one encoder that several models read from."""

from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder

__all__ = [
    "SentenceEncoder",
    "load_sentence_encoder",
]
