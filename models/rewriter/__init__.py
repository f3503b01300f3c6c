"""A turn in direct (or indirect) form, after its history."""

from grice.models.rewriter.rewriter import Rewriter, load_rewriter

__all__ = [
    "Rewriter",
    "load_rewriter",
]
