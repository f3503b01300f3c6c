"""What the monitor says of a response, and a judge of one of its behaviours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, get_args

from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import Dialogue
from grice.models.relations.results import RelationQuestion, ResponseRelations
from grice.models.results import Behavior, Behaviors

MonitorQuestion = Dialogue | RelationQuestion
"""A dialogue that ends in the response; with what the bot should know where the caller says it."""
WatchedLabel = Literal[Behavior, "alarm"]
"""A behaviour, or that a response raises an alarm under the budget of its setting."""
WATCHED: tuple[WatchedLabel, ...] = get_args(WatchedLabel)
ALARM: Final = "alarm"
CountedLabel = Literal[WatchedLabel, "user_frustration"]
"""What is counted of responses: behaviours, alarms, and whether the user was frustrated before it."""


def dialogue_of(asked: MonitorQuestion) -> Dialogue:
    """The dialogue that ends in the response."""
    return asked.dialogue if isinstance(asked, RelationQuestion) else asked


@dataclass(frozen=True)
class Judgement:
    """What a judge says.

    Attributes:
        behavior: what it was asked about; `alarm`: whether anything is wrong with the response.
        decision: whether the response shows it; None where the answer had no decision, or there was no answer.
        reasoning: what it said before its decision.
        unscored: why there is no decision, empty where there is one. It never quotes the conversation.
        error: the class of the error that kept the judge from an answer, such as `BudgetExhausted`; empty where it answered.
        evidence: the place in `Dialogue.turns` of the turn that the response was held against when the judge said yes; None where
            it was held against all of the dialogue.
        prompt_tokens, completion_tokens: what its answers took, as the server counts; 0 where it does not. A remembered answer has
            what it took when it was given.
        cost: what its answers cost, in US dollars; None where no price is known.
        cached: all its answers were remembered from the same requests: nothing was paid this time.
    """

    behavior: WatchedLabel
    decision: bool | None
    reasoning: str = ""
    unscored: str = ""
    error: str = ""
    evidence: int | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    cached: bool = False


JudgeQuestion = tuple[MonitorQuestion, WatchedLabel]
"""A response, and what is asked about it; about an alarm with what the bot should know."""


class Judge(Protocol):
    """Answers one question a behaviour, or one about an alarm, about the last turn of a dialogue, the bot's."""

    def judge(self, questions: Sequence[JudgeQuestion], tenants: Sequence[str] | None = None) -> Sequence[Judgement]:
        """One judgement a question, in order. A question that fails is unscored and says why; nothing is raised for it.

        Args:
            tenants: whose each question is; what one asks must not be told by another's answers. None: all the default tenant's.
        """
        ...


@dataclass(frozen=True)
class ResponseReport:
    """A bot's response after the monitor.

    Attributes:
        behaviors: probabilities and evidence; None where the model failed.
        shown: the behaviours that it shows: where a judge decided, its decision, otherwise what reaches its threshold.
        judgements: what the judge said, where it was asked.
        suppressed: the undesired behaviours that the model found and the judge denied; `alarm` where it took the alarm away.
        failures: stages that failed; the response is not scored by them.
        relations: how it relates to what was said and what is known, without the alarm that a judge took away; None where that
            is not read, or the model failed.
        uncertain: behaviours whose probability lies close to the threshold, and of which no judge decided.
    """

    behaviors: Behaviors | None
    shown: tuple[Behavior, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    failures: tuple[StageFailure, ...] = ()
    suppressed: tuple[WatchedLabel, ...] = ()
    relations: ResponseRelations | None = None
    uncertain: tuple[Behavior, ...] = ()
