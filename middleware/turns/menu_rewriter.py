"""Rewriting with a bot's menu: what the turn means is read, said plainly, and read again before it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grice.middleware.turns.analysis import Reason
from grice.middleware.turns.clarification import Clarification, clarify
from grice.middleware.turns.own_examples import fitting_examples
from grice.middleware.turns.realisation import is_verified, realise, share_of
from grice.middleware.turns.statement import Statement, state
from grice.middleware.turns.wording import is_said_directly
from grice.models.dialogue import Dialogue, Turn
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.protocols import MeaningPredictor, ReadsAhead

LEFT_ALONE: dict[str, Reason] = {"courtesy": "courtesy", "none": "not_on_menu"}
"""Acts that need no rewrite, and the reason that is given."""

ANSWERS_FROM = 0.15
"""From this likelihood on an answer that does not say its value word for word is taken for indirect: few direct ones do not."""


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
    """Says what turns mean, where they do not say it themselves and what the reader says is likely enough.

    Args:
        reader: reads meanings. indirect_from: from which likelihood on a turn is taken for indirect, 0 to 1.
        rewrite_from: how likely what a rewrite says has to be right, its meaning and its values, 0 to 1; see `state`.
        clarify_from: the share of all meanings that those hold between which the user is asked to choose, 0 to 1.
    """

    def __init__(self, reader: MeaningPredictor, indirect_from: float, rewrite_from: float, clarify_from: float) -> None:
        self.reader = reader
        self.indirect_from = indirect_from
        self.rewrite_from = rewrite_from
        self.clarify_from = clarify_from

    def predict(self, questions: Sequence[MeaningQuestion]) -> list[MenuRewrite]:
        """One result a question, in order."""
        return [self.rewrite(*pair) for pair in zip(questions, self.reader.predict(questions), strict=True)]

    def rewrite(self, question: MeaningQuestion, meaning: TurnMeaning) -> MenuRewrite:
        """What is made of a turn that was read as `meaning`."""
        best, unknown = meaning.possible[0], meaning.kind == "unknown"
        left_alone = LEFT_ALONE.get(best.name) if best.kind == "act" else None
        if left_alone is not None:
            return MenuRewrite(meaning, "", "unknown" if unknown else left_alone)
        turn = question.dialogue.last.text
        statement = state(meaning, turn, self.rewrite_from)
        indirect = meaning.indirect >= self.indirect_from and not is_said_directly(turn, statement)
        if indirect or (statement.answers and meaning.indirect >= ANSWERS_FROM):
            text = self._say(question, statement)
            if text:
                return MenuRewrite(meaning, text, "indirect")
        if not indirect:
            return MenuRewrite(meaning, "", "unknown" if unknown else "direct")
        return MenuRewrite(meaning, "", "unknown" if unknown else "uncertain", self._question(question, meaning))

    def _say(self, question: MeaningQuestion, statement: Statement) -> str:
        """The sentence that is most of all read as what it is to say; "" where that is not likely enough, or no sentence is."""
        if not statement.is_likely:
            return ""
        history = question.dialogue.history
        asked = history[-1].text if history and history[-1].speaker == "bot" else ""
        for texts in realise(statement, question.schema, fitting_examples(statement, question), asked):
            said = [Dialogue((*history, Turn(question.dialogue.last.speaker, text))) for text in texts]
            if len(said) > 1 and isinstance(self.reader, ReadsAhead):
                self.reader.read_ahead(said)
            read = self.reader.predict([MeaningQuestion(dialogue, question.schema) for dialogue in said])
            verified = [(text, again) for text, again in zip(texts, read, strict=True) if is_verified(statement, again)]
            if verified:
                return max(verified, key=lambda pair: share_of(statement, pair[1]))[0]
        return ""

    def _question(self, question: MeaningQuestion, meaning: TurnMeaning) -> Clarification | None:
        return clarify(meaning, question.schema, self.clarify_from)
