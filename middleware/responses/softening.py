"""Whether a softer form of what the bot says may stand in its place: it is the bot's still, and says what the dialogue supports."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from grice.middleware.turns.guard import Guard
from grice.middleware.turns.guard.facts import squashed
from grice.models.dialogue import Dialogue
from grice.models.protocols import Model
from grice.models.results import Rewrite

SURE = 0.75
"""The softer forms that the shipped model gave of our own bot sentences were right above this, and often wrong below."""

_AS_USER = re.compile(
    r"\b(?:i|we)\s?(?:['’](?:d|m|re)|would|am|are|really|just)?\s?"
    r"(?:need|want|like|love|prefer|require|hope|wish|look(?:ing)?|search(?:ing)?)\b"
    r"|\b(?:find|get|give|tell|show|bring|help|book|reserve|recommend|suggest)\s+(?:me|us|one for me)\b"
    r"|\b(?:that|this|it)\s+(?:sounds|looks|works|will\s+work|would\s+(?:be|work))\b|\bmy\b"
    r"|\b(?:can|could|will|would) you (?:please )?(?:find|book|reserve|get|give|tell|show|help|recommend|suggest|look)\b",
    re.IGNORECASE,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Unsoftened(Rewrite):
    """A bot's turn that stays as it came, since its softer form is not trusted.

    Attributes:
        refused: what the model wrote. Confidence, tokens and what was read are of it; `text` is the turn as it came.
    """

    refused: str = ""


@dataclass(frozen=True)
class CheckedSoftener:
    """Softens the bot's turns; one whose softer form is not trusted stays as it came.

    Attributes:
        model: writes them in indirect form.
        guard, min_confidence: as `is_trusted` asks.
    """

    model: Model[Rewrite]
    guard: Guard = field(default_factory=Guard)
    min_confidence: float = SURE

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Rewrite]:
        """The softer form of the last turn of each dialogue, in order; `Unsoftened` where that is not trusted."""
        found = self.model.predict(dialogues)
        return [self._checked(dialogue, rewrite) for dialogue, rewrite in zip(dialogues, found, strict=True)]

    def _checked(self, dialogue: Dialogue, rewrite: Rewrite) -> Rewrite:
        said = dialogue.last.text
        try:
            if rewrite.text == said or is_trusted(dialogue, rewrite, self.guard, self.min_confidence):
                return rewrite
        except Exception as error:  # noqa: BLE001 - what cannot be checked is not trusted; the error may quote the turn
            log.warning("a softer form could not be checked, the turn stays as it came: %s", type(error).__name__)
        return Unsoftened(**asdict(replace(rewrite, text=said)), refused=rewrite.text)


def is_trusted(dialogue: Dialogue, rewrite: Rewrite, guard: Guard, min_confidence: float = SURE) -> bool:
    """Whether a softer form may stand for the last turn of the dialogue.

    Args:
        guard: refuses what turn and history do not support.
        min_confidence: a softer form of less confidence is not trusted, 0 to 1.
    """
    said = dialogue.last.text
    sure = rewrite.finished and not rewrite.text_cut and rewrite.confidence >= min_confidence
    new = squashed(rewrite.text) not in ("", squashed(said))
    return sure and new and still_the_bot(said, rewrite.text) and not guard.check(dialogue, rewrite.text)


def still_the_bot(response: str, softer: str) -> bool:
    """Whether `softer` asks where the bot's `response` asks, and does not wish what users wish."""
    asks_still = "?" in softer or "?" not in response
    return asks_still and len(_AS_USER.findall(softer)) <= len(_AS_USER.findall(response))
