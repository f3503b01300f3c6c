"""POST /v1/intentions"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from grice.middleware.capabilities.codec import encode
from grice.middleware.service.capabilities.route import Route
from grice.middleware.service.capabilities.wire import (
    VISIBLE,
    Failures,
    HistoryCut,
    HistoryRead,
    TextCut,
    Wire,
    WireItem,
    WireShare,
)
from grice.middleware.service.capabilities.work import News, text_work
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.face_acts.detector import HISTORY_TURNS
from grice.models.face_acts.goals import GoalKind, PersuasionQuestion
from grice.models.results import PERSUASION_ROLES, FaceAct, Intentions, PersuasionRole
from grice.models.sentence_encoder.encoder import REMEMBERED

MOST_TOKENS = 128
"""That are read of a turn."""


class IntentionItem(WireItem):
    """A turn of a persuasion, the user's or the bot's."""

    user_role: Annotated[
        PersuasionRole,
        Field(description="Whether the user is the one to be persuaded, as by a bot that asks or sells, or persuades."),
    ] = "persuadee"
    speaker: Annotated[Speaker, Field(description="Who says `text`; `turns` say it themselves.")] = "user"
    goal: Annotated[
        str,
        Field(
            max_length=500,
            description="What the persuader wants, in a few words; empty: a gift to a charity.",
            json_schema_extra={"pattern": f"^$|[{VISIBLE}]"},
        ),
    ] = ""

    def dialogue(self, history: Sequence[Turn], speaker: Speaker = "user") -> Dialogue:
        """The dialogue as the detector reads it: to it the bot persuades."""
        said = super().dialogue(history, self.speaker)
        return said if self.user_role == "persuadee" else Dialogue(tuple(_other(turn) for turn in said.turns))


def _other(turn: Turn) -> Turn:
    return Turn("bot" if turn.speaker == "user" else "user", turn.text)


class IntentionsResult(Wire):
    """The face acts of a dialogue up to the turn that was asked about."""

    role: Annotated[PersuasionRole, Field(description="Who says the turn.")]
    label: Annotated[FaceAct, Field(description="What it does.")]
    probabilities: Annotated[dict[FaceAct, WireShare], Field(description="How likely it does each, 0 to 1.")]
    roles: Annotated[
        list[PersuasionRole], Field(description="Who says each turn that was read, oldest first; the last is the turn itself.")
    ]
    labels: Annotated[list[FaceAct], Field(description="What each of them does.")]
    agreement: Annotated[
        list[WireShare], Field(description="After each of them, how likely the persuadee agrees in the end, 0 to 1.")
    ]
    counts: Annotated[dict[PersuasionRole, dict[FaceAct, int]], Field(description="How many turns of each role do what.")]
    balance: Annotated[dict[PersuasionRole, int], Field(description="Saves minus threats among the turns of each role.")]
    history_read: HistoryRead
    history_cut: HistoryCut
    text_cut: TextCut
    read_as: Annotated[GoalKind, Field(description="Which heads read it: those of gifts to a charity, or those of other goals.")]
    far: Annotated[bool, Field(description="Whether the goal is unlike all that were learned from: believe it less.")]
    failures: Failures


class IntentionRoute(Route[IntentionItem, PersuasionQuestion, Intentions]):
    """Finds the face act of each turn in the light of those before it, and how likely the persuadee agrees in the end.

    With `dialogue_id` the history is read from the kept dialogue; nothing is kept.
    """

    item = IntentionItem
    result = IntentionsResult
    remembered = REMEMBERED
    single = "The face acts of a single dialogue."

    def ask(self, item: IntentionItem, dialogue: Dialogue) -> PersuasionQuestion:
        return PersuasionQuestion(dialogue, item.goal.strip())

    def work(self, asked: PersuasionQuestion) -> int:
        """Each turn is read by itself."""
        return sum(text_work(turn.text, MOST_TOKENS) for turn in asked.dialogue.turns[-HISTORY_TURNS - 1 :])

    def cost(self, asked: PersuasionQuestion, news: News) -> float:
        turns = asked.dialogue.turns[-HISTORY_TURNS - 1 :]
        return len(turns) + sum(text_work(turn.text, MOST_TOKENS) for turn in turns if news.add(turn.text))

    def shown(self, item: IntentionItem, result: Intentions) -> dict[str, Any]:
        return {
            **encode(result),
            "role": result.roles[-1],
            "label": result.label,
            "counts": {role: result.counts(role) for role in PERSUASION_ROLES},
            "balance": {role: result.balance(role) for role in PERSUASION_ROLES},
        }


OFFER = IntentionRoute
