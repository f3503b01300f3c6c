"""What we leave on a message, under the key `grice`: plain JSON, so that it goes through trackers, brokers and stores."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from rasa.shared.nlu.training_data.message import Message

from grice.middleware.turns.analysis import StageFailure
from grice.models.results import Directness

GRICE = "grice"
SURE_NLU = "grice_sure_nlu"
"""On a message: from which confidence on the NLU's intent needs no question to the user."""

Record = dict[str, Any]
Label = Literal["direct", "indirect"]


def record_of(message: Message) -> Record:
    """What an earlier component left; empty if none did."""
    return dict(message.get(GRICE) or {})


def put(message: Message, record: Record) -> None:
    """Leave `record` on the message and in Rasa's output."""
    message.set(GRICE, record, add_to_output=True)


def score_record(original: str, directness: Directness | None, direct_from: float) -> Record:
    """What the directness scorer found."""
    label: Label | None = None
    if directness is not None:
        label = "direct" if directness.score >= direct_from else "indirect"
    return {"original": original, "directness": directness and directness.score, "label": label, "failures": []}


def failure_of(error: Exception, stage: str) -> Record:
    """A failure as it is recorded, of whatever kind."""
    return asdict(StageFailure(stage, type(error).__name__, str(error)))  # type: ignore[arg-type]
