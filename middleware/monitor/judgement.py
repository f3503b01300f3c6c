"""A second opinion on one behaviour of one response, by a large language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from grice.models.dialogue import Dialogue
from grice.models.results import Behavior


@dataclass(frozen=True)
class Judgement:
    """What a judge says.

    Attributes:
        behavior: what it was asked about.
        decision: whether the response shows it; None where the answer had no decision, or there was no answer.
        reasoning: what it said before its decision.
        unscored: why there is no decision, empty where there is one.
        prompt_tokens, completion_tokens: as the server counts them; 0 for a remembered answer.
        cost: in US dollars; None where no price is known.
        cached: the answer was remembered from the same request.
    """

    behavior: Behavior
    decision: bool | None
    reasoning: str = ""
    unscored: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    cached: bool = False


class Judge(Protocol):
    """Answers one question a behaviour about the last turn of a dialogue, the bot's."""

    def judge(self, questions: Sequence[tuple[Dialogue, Behavior]]) -> Sequence[Judgement]:
        """One judgement a question, in order. A question that fails is unscored and says why; nothing is raised for it."""
        ...
