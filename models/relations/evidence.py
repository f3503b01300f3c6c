"""Of each sentence of a response, whether what the bot was given bears it out."""

from __future__ import annotations

from collections.abc import Sequence

from grice.models.relations.inputs import row_text
from grice.models.relations.results import QuotedSpan, RelationFinding, RelationQuestion, SentenceSupport
from grice.models.relations.sentences import sentence_places
from grice.models.relations.values import ValueClash, find_clashes, is_borne_out, known_amounts, stated_values
from grice.models.text.wording import Wording

SHARED = 0.5
"""Of a sentence's content words, the share that what the bot was given must have for it to be borne out."""


def sentence_support(question: RelationQuestion, shown: Sequence[RelationFinding]) -> tuple[SentenceSupport, ...]:
    """One a sentence.

    Values are compared exactly. A sentence is contradicted too where the model shows `!Fac` in it, and not found where it shows
    `unsupported`.
    """
    response, place = question.dialogue.last.text, len(question.dialogue.history)
    return tuple(
        _support(question, QuotedSpan("response", place, number, start, end, response[start:end]), shown)
        for number, (start, end) in enumerate(sentence_places(response))
    )


def _support(question: RelationQuestion, words: QuotedSpan, shown: Sequence[RelationFinding]) -> SentenceSupport:
    if not question.has_evidence:
        return SentenceSupport(words, "no evidence")
    said = [*(turn.text for turn in question.dialogue.history), *question.documents, *question.policy]
    if clashes := find_clashes(words.text, question.facts, said):
        return SentenceSupport(words, "contradicted", _row_quote(question, clashes[0]))
    for finding in shown:
        if finding.words is not None and finding.words.sentence == words.sentence:
            if finding.label == "!Fac":
                return SentenceSupport(words, "contradicted", finding.about)
            if finding.label == "unsupported":
                return SentenceSupport(words, "not found")
    given = [*map(row_text, question.facts), *question.documents, *question.policy]
    known = known_amounts([*given, *said])
    if any(not is_borne_out(value, known) for value in stated_values(words.text)):
        return SentenceSupport(words, "not found")
    content = Wording.of(words.text).content
    held = frozenset[str]().union(*(Wording.of(text).content for text in given if text.strip()))
    enough = len(content & held) >= SHARED * len(content)
    return SentenceSupport(words, "supported" if content and enough else "not found")


def _row_quote(question: RelationQuestion, clash: ValueClash) -> QuotedSpan:
    text = row_text(question.facts[clash.row])
    quoted = f"{clash.field}: {clash.has}"
    start = text.index(quoted)
    return QuotedSpan("fact", clash.row, 0, start, start + len(quoted), quoted)
