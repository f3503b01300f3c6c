"""Sinks of scores: each behaviour of a scored response, as the receiver of somebody's traces writes it."""

from grice.middleware.sinks.score import Score, scores_of
from grice.middleware.sinks.sinks import Sinks, open_sinks

__all__ = ["Score", "Sinks", "open_sinks", "scores_of"]
