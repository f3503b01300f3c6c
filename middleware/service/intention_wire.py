"""What is asked and answered about face acts over the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, Tag

from grice.middleware.service.answers import Failures, HistoryCut, HistoryRead, SchemaVersion, TextCut
from grice.middleware.service.schemas import SINGLE_OR_BATCH, Batch, Item, Wire
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.results import FaceAct, PersuasionRole

Share = Annotated[float, Field(ge=0, le=1)]


class IntentionItem(Item):
    """A turn of a persuasion, the user's or the bot's."""

    user_role: Annotated[
        PersuasionRole,
        Field(description="Whether the user is the one to be persuaded, as by a bot that asks or sells, or persuades."),
    ] = "persuadee"
    speaker: Annotated[Speaker, Field(description="Who says `text`; `turns` say it themselves.")] = "user"

    def dialogue(self, history: Sequence[Turn], speaker: Speaker = "user") -> Dialogue:
        """The dialogue as the detector reads it: to it the bot persuades."""
        said = super().dialogue(history, self.speaker)
        return said if self.user_role == "persuadee" else Dialogue(tuple(_other(turn) for turn in said.turns))


def _other(turn: Turn) -> Turn:
    return Turn("bot" if turn.speaker == "user" else "user", turn.text)


IntentionBody = Annotated[Annotated[IntentionItem, Tag("single")] | Annotated[Batch[IntentionItem], Tag("batch")], SINGLE_OR_BATCH]


class IntentionsResult(Wire):
    """The face acts of a dialogue up to the turn that was asked about."""

    role: Annotated[PersuasionRole, Field(description="Who says the turn.")]
    label: Annotated[FaceAct, Field(description="What it does.")]
    probabilities: Annotated[dict[FaceAct, Share], Field(description="How likely it does each, 0 to 1.")]
    roles: Annotated[
        list[PersuasionRole], Field(description="Who says each turn that was read, oldest first; the last is the turn itself.")
    ]
    labels: Annotated[list[FaceAct], Field(description="What each of them does.")]
    agreement: Annotated[list[Share], Field(description="After each of them, how likely the persuadee agrees in the end, 0 to 1.")]
    counts: Annotated[dict[PersuasionRole, dict[FaceAct, int]], Field(description="How many turns of each role do what.")]
    balance: Annotated[dict[PersuasionRole, int], Field(description="Saves minus threats among the turns of each role.")]
    history_read: HistoryRead
    history_cut: HistoryCut
    text_cut: TextCut
    failures: Failures


class IntentionsAnswer(IntentionsResult):
    """The face acts of a single dialogue."""

    schema_version: SchemaVersion = 1
