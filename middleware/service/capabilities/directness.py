"""POST /v1/directness"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from grice.middleware.service.capabilities.route import Route
from grice.middleware.service.capabilities.wire import Failures, HistoryCut, HistoryRead, TextCut, UserItem, Wire
from grice.models.dialogue import Dialogue
from grice.models.results import Directness


class DirectnessItem(UserItem):
    """A user turn to score."""


class WireDirectness(Wire):
    """How plainly a turn says what is wanted."""

    score: Annotated[float, Field(description="0 (indirect) to 1 (direct).")]
    history_read: HistoryRead
    history_cut: HistoryCut
    text_cut: TextCut


class DirectnessResult(WireDirectness):
    """The score of one turn."""

    failures: Failures


class DirectnessRoute(Route[DirectnessItem, Dialogue, Directness]):
    """Scores each turn, 0 (indirect) to 1 (direct), in the light of its history. Nothing is kept."""

    item = DirectnessItem
    result = DirectnessResult
    most_tokens = 112
    single = "The score of a single turn."


OFFER = DirectnessRoute
