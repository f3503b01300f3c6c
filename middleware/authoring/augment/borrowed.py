"""Indirect turns that were written for other bots, offered to the examples of this one that their direct form is near to.

"My living room has been an echo chamber for nine weeks" was written for a furniture shop, and says "Where is my order?" to all.
The turns are the hands that the reader of meaning learned from, less those that are held out for evaluation.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grice.middleware.authoring.augment.example import Example
from grice.middleware.runtime.progress import Progress
from grice.models.runtime.heads import Floats
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.training.meaning.written import CALIBRATION_HANDS, HELD_HANDS, WrittenBot, WrittenTurn, read_hands

_CHUNK = 64


@dataclass(frozen=True)
class WrittenHint:
    """An indirect turn, and what a careful person would say directly."""

    text: str
    direct: str


@dataclass(frozen=True)
class NearHint:
    """An indirect turn, and how near its direct form comes to an example: their cosine."""

    text: str
    nearness: float


@functools.lru_cache(maxsize=1)
def read_hints() -> tuple[WrittenHint, ...]:
    """The hints at intents that open a dialogue, in their order; of hands that nothing is evaluated on."""
    bots = [bot for hand, bots in read_hands().items() if hand not in (*HELD_HANDS, *CALIBRATION_HANDS) for bot in bots]
    found = [WrittenHint(turn.text, turn.direct) for bot in bots for turn in bot.turns if _is_hint(turn, bot)]
    return tuple({hint.text: hint for hint in found}.values())


def _is_hint(turn: WrittenTurn, bot: WrittenBot) -> bool:
    names = {intent.name for intent in bot.schema.intents}
    return turn.kind == "indirect" and turn.meaning in names and not (turn.history or turn.changes)


class HintFinder:
    """Finds hints by the nearness of their direct form.

    Args:
        encoder: of sentences. hints: what is offered.
    """

    def __init__(self, encoder: SentenceEncoder, hints: Sequence[WrittenHint], progress: Progress | None = None) -> None:
        self._encoder = encoder
        self._hints = hints
        parts: list[Floats] = []
        for start in range(0, len(hints), _CHUNK):
            parts.append(encoder.encode([hint.direct for hint in hints[start : start + _CHUNK]]))
            if progress:
                progress(min(start + _CHUNK, len(hints)), len(hints))
        self._vectors = np.concatenate(parts)

    def near(self, examples: Sequence[Example], nearest: float) -> dict[int, list[NearHint]]:
        """By place of an example, the hints that are nearer to it than to any other, the nearest first.

        Examples that follow other turns are left alone: hints open a dialogue.

        Args:
            nearest: a cosine, below which a hint is offered to none.
        """
        places = [place for place, example in enumerate(examples) if not example.history and not example.text.startswith("/")]
        found: defaultdict[int, list[NearHint]] = defaultdict(list)
        if not places:
            return found
        cosines = self._vectors @ self._encoder.encode([examples[place].text for place in places]).T
        for hint, row in zip(self._hints, cosines, strict=True):
            best = int(row.argmax())
            if row[best] >= nearest:
                found[places[best]].append(NearHint(hint.text, float(row[best])))
        return {place: sorted(near, key=lambda each: -each.nearness) for place, near in found.items()}
