"""Which indirection strategy a request uses (Mannekote et al. 2024, Table 4), by rules.

The rules are ours and rough; the paper labelled by hand. A request that was written for a strategy keeps that one's label.
"""

from __future__ import annotations

import re

from grice.middleware.authoring.indirect_requests.criteria import Request, phrased
from grice.middleware.authoring.indirect_requests.encoder import Encoder, cosines
from grice.models.data.indirect_requests import AMBIGUOUS, Strategy
from grice.models.text.wording import Wording, sentences

SYNONYM = 0.6
"""The cosine of a word and the value from which the word is another name for it."""
HYPONYM = 0.4
"""The cosine from which a word is of the value's kind."""
OFF_TOPIC = 0.2
"""The largest cosine of a sentence of small talk with situation, slot and values."""

_REASON = re.compile(
    r"\b(?:because|since|so that|in case|otherwise|due to|therefore|that is why|that's why|as (?:i|we|my|our)|so (?:i|we)|"
    r"(?:i|we) (?:have|need|must|had|cannot|can't|never|always|usually|tend)|i'm|i am|we're|we are|my|our)\b",
    re.IGNORECASE,
)
_MOST_SENTENCES = 5


class StrategyLabeller:
    """Labels requests.

    In this order: a sentence that is about nothing asked for is small talk; a word near the value is a synonym swap; a reason, or
    something of the speaker's own life, is a justification; a word of the value's kind is a hyponym swap; the rest is simple
    elaboration.

    Args:
        encoder: meaning as a vector.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def label(self, request: Request) -> Strategy:
        """The strategy of a request."""
        if self._chats(request):
            return "small talk"
        nearest = self._nearest_word(request)
        if nearest >= SYNONYM:
            return "synonym swap"
        if _REASON.search(request.utterance.replace("’", "'")):
            return "justification"
        return "hyponym swap" if nearest >= HYPONYM else "simple elaboration"

    def _chats(self, request: Request) -> bool:
        """Whether some of its sentences, and not all, are about something else."""
        parts = sentences(request.utterance, _MOST_SENTENCES)
        about = [request.situation, request.slot_description, *(phrased(request, value) for value in request.values)]
        off = [max(cosines(self._encoder, part, about)) < OFF_TOPIC for part in parts]
        return any(off) and not all(off)

    def _nearest_word(self, request: Request) -> float:
        """The largest cosine of a content word and the target; 0 for a value that is no word (True, a number) or not known."""
        words = sorted(Wording.of(request.utterance).content)
        named = request.target not in (AMBIGUOUS, "True", "False") and any(map(str.isalpha, request.target))
        return max(cosines(self._encoder, request.target, words)) if named and words else 0.0
