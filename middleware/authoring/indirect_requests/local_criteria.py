"""The criteria without a language model: from the slot-value resolver, the sentence encoder and the words alone.

Nothing here was fitted to rated requests, and none of it is strong. Appropriateness is a cosine: it drops what is about something
else and cannot tell good style from bad. World understanding is the plain mean of three signs that a link is easy to see; it knows
nothing of children, and a request that is hard because of a rare fact said in plain words looks easy to it. Use `LlmCriteria` where
these decide something.
"""

from __future__ import annotations

from collections.abc import Sequence

from grice.middleware.authoring.indirect_requests.criteria import Request, phrased, question_of
from grice.middleware.authoring.indirect_requests.encoder import Encoder, cosines
from grice.middleware.turns.guard.words import common_words
from grice.models.data.indirect_requests import AMBIGUOUS, SCALE
from grice.models.protocols import SlotPredictor
from grice.models.results import SlotValues
from grice.models.text.wording import Wording

RELATED = 0.5
"""The cosine from which a request counts as wholly about something: sentences that share a topic reach about that."""
CLOSE = 0.5
"""Where the resolver says ambiguous, a value may be meant if it has at least this part of the likeliest one's probability."""


class LocalCriteria:
    """Judges with models of our own.

    Args:
        resolver: which value a turn means.
        encoder: meaning as a vector.
    """

    name = "local"

    def __init__(self, resolver: SlotPredictor, encoder: Encoder) -> None:
        self._resolver = resolver
        self._encoder = encoder

    def appropriateness(self, requests: Sequence[Request]) -> list[float]:
        """How near the request is to the nearest of situation, slot and values, 1 to 10."""
        return [_on_scale(max(self._nearness(request.utterance, _about(request)))) for request in requests]

    def implied(self, requests: Sequence[Request]) -> list[tuple[str, ...]]:
        """The resolver's value; where it says ambiguous, those near its best; none where it says that none is mentioned."""
        return [_implied(request, found) for request, found in zip(requests, self._resolved(requests), strict=True)]

    def world_understanding(self, requests: Sequence[Request]) -> list[float]:
        """The mean of three signs of an easy link, 1 to 10: the resolver's probability of the value, the nearness of request and
        value, and the share of the request's content words that are common in everyday dialogues.
        """
        resolved = self._resolved(requests)
        return [self._ease(request, found) for request, found in zip(requests, resolved, strict=True)]

    def _ease(self, request: Request, found: SlotValues) -> float:
        meant = request.values if request.target == AMBIGUOUS else (request.target,)
        sure = max(found.probabilities[request.values.index(value)] for value in meant)
        near = max(self._nearness(request.utterance, [phrased(request, value) for value in meant]))
        return _on_scale((sure + near + _common_share(request.utterance)) / 3)

    def _nearness(self, text: str, others: Sequence[str]) -> list[float]:
        """0 to 1 for each of `others`."""
        return [min(1.0, max(0.0, cosine / RELATED)) for cosine in cosines(self._encoder, text, others)]

    def _resolved(self, requests: Sequence[Request]) -> Sequence[SlotValues]:
        return self._resolver.predict([question_of(request) for request in requests])


def _about(request: Request) -> list[str]:
    return [request.situation, request.slot_description, *(phrased(request, value) for value in request.values)]


def _implied(request: Request, found: SlotValues) -> tuple[str, ...]:
    if not found.ambiguous:
        return () if found.value is None else (found.value,)
    best = max(found.probabilities)
    return tuple(value for value, each in zip(request.values, found.probabilities, strict=True) if each >= CLOSE * best)


def _on_scale(share: float) -> float:
    """0 to 1 as 1 to 10."""
    low, high = SCALE
    return low + (high - low) * share


def _common_share(text: str) -> float:
    content = Wording.of(text).content
    return len(content & common_words()) / len(content) if content else 1.0
