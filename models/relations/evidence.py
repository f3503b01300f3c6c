"""Of each sentence of a response, whether what the bot was given bears it out."""

from __future__ import annotations

from collections.abc import Sequence

from grice.models.relations.inputs import row_text
from grice.models.relations.results import QuotedKind, QuotedSpan, RelationFinding, RelationQuestion, SentenceSupport
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
    given = _given(question)
    known = known_amounts([*(each.text for each in given), *said])
    if any(not is_borne_out(value, known) for value in stated_values(words.text)):
        return SentenceSupport(words, "not found")
    content = Wording.of(words.text).content
    held = [Wording.of(each.text).content for each in given]
    if not content or len(content & frozenset[str]().union(*held)) < SHARED * len(content):
        return SentenceSupport(words, "not found")
    return SentenceSupport(words, "supported", max(zip(given, held, strict=True), key=lambda each: len(content & each[1]))[0])


def _given(question: RelationQuestion) -> list[QuotedSpan]:
    """Rows, and sentences of documents and policy."""
    rows = [(row_text(row), place) for place, row in enumerate(question.facts) if row]
    quotes = [QuotedSpan("fact", place, 0, 0, len(text), text) for text, place in rows]
    kinds: tuple[tuple[QuotedKind, Sequence[str]], ...] = (("document", question.documents), ("policy", question.policy))
    for kind, texts in kinds:
        for place, text in enumerate(texts):
            quotes += [
                QuotedSpan(kind, place, number, start, end, text[start:end])
                for number, (start, end) in enumerate(sentence_places(text))
                if text[start:end].strip()
            ]
    return quotes


def _row_quote(question: RelationQuestion, clash: ValueClash) -> QuotedSpan:
    text = row_text(question.facts[clash.row])
    quoted = f"{clash.field}: {clash.has}"
    start = text.index(quoted)
    return QuotedSpan("fact", clash.row, 0, start, start + len(quoted), quoted)
