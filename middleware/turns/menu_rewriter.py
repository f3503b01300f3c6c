"""Rewriting with a bot's menu: what the turn means is read, said plainly, and read again before it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grice.middleware.turns.analysis import Reason
from grice.middleware.turns.clarification import Clarification, clarify
from grice.middleware.turns.realisation import is_verified, realise
from grice.models.dialogue import Dialogue, Turn
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.protocols import MeaningPredictor

LEFT_ALONE: dict[str, Reason] = {"courtesy": "courtesy", "none": "not_on_menu"}
"""Acts that need no rewrite, and the reason that is given."""


@dataclass(frozen=True)
class MenuRewrite:
    """What is made of one turn.

    Attributes:
        meaning: what it means.
        text: a sentence that says so; "" where the turn is to stay as it is.
        reason: why.
        question: what to ask the user, where the meaning cannot be told but few are likely.
    """

    meaning: TurnMeaning
    text: str
    reason: Reason
    question: Clarification | None = None


class MenuRewriter:
    """Says what turns mean, where they do not say it themselves and the reader knows.

    Args:
        reader: reads meanings. indirect_from: from which likelihood on a turn is taken for indirect, 0 to 1.
        clarify_from: the share of all meanings that those hold between which the user is asked to choose, 0 to 1.
    """

    def __init__(self, reader: MeaningPredictor, indirect_from: float, clarify_from: float) -> None:
        self.reader = reader
        self.indirect_from = indirect_from
        self.clarify_from = clarify_from

    def predict(self, questions: Sequence[MeaningQuestion]) -> list[MenuRewrite]:
        """One result a question, in order."""
        return [self._rewrite(*pair) for pair in zip(questions, self.reader.predict(questions), strict=True)]

    def _rewrite(self, question: MeaningQuestion, meaning: TurnMeaning) -> MenuRewrite:
        best = meaning.possible[0]
        left_alone = LEFT_ALONE.get(best.name) if best.kind == "act" else None
        if meaning.kind == "unknown":
            asks = meaning.indirect >= self.indirect_from and left_alone is None
            return MenuRewrite(meaning, "", "unknown", self._question(question, meaning) if asks else None)
        if left_alone is not None:
            return MenuRewrite(meaning, "", left_alone)
        if meaning.indirect < self.indirect_from:
            return MenuRewrite(meaning, "", "direct")
        for text in realise(meaning, question.schema):
            said = Dialogue((*question.dialogue.history, Turn(question.dialogue.last.speaker, text)))
            (again,) = self.reader.predict([MeaningQuestion(said, question.schema)])
            if is_verified(meaning, again):
                return MenuRewrite(meaning, text, "indirect")
        return MenuRewrite(meaning, "", "uncertain", self._question(question, meaning))

    def _question(self, question: MeaningQuestion, meaning: TurnMeaning) -> Clarification | None:
        return clarify(meaning, question.schema, self.clarify_from)
