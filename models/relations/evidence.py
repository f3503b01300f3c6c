"""Of each sentence of a response, whether what the bot was given bears it out."""

from __future__ import annotations

from collections.abc import Sequence

from grice.models.relations.clashes import clashes_in, quote_field
from grice.models.relations.inputs import row_text
from grice.models.relations.results import QuotedKind, QuotedSpan, RelationFinding, RelationQuestion, SentenceSupport
from grice.models.relations.sentences import sentence_places
from grice.models.relations.settled import is_settled
from grice.models.relations.values import is_borne_out, known_amounts, stated_values
from grice.models.text.wording import Wording

SHARED = 0.5
"""Of a sentence's content words, the share that what the bot was given must have for it to be borne out."""


def sentence_support(question: RelationQuestion, shown: Sequence[RelationFinding]) -> tuple[SentenceSupport, ...]:
    """One a sentence.

    Values are compared exactly. Where that says nothing, a sentence is contradicted where the model shows `!Fac` in it, and not
    found where it shows `unsupported`. Where all values of a sentence are in what was given, the model's `!Fac` does not count.
    """
    response, place = question.dialogue.last.text, len(question.dialogue.history)
    return tuple(
        _support(question, QuotedSpan("response", place, number, start, end, response[start:end]), shown)
        for number, (start, end) in enumerate(sentence_places(response))
    )


def _support(question: RelationQuestion, words: QuotedSpan, shown: Sequence[RelationFinding]) -> SentenceSupport:
    if not question.has_evidence:
        return SentenceSupport(words, "no evidence")
    if clashes := clashes_in(question, words.text):
        return SentenceSupport(words, "contradicted", quote_field(question, clashes[0]))
    for finding in shown:
        if finding.words is not None and finding.words.sentence == words.sentence and not is_settled(question, finding):
            if finding.label == "!Fac":
                return SentenceSupport(words, "contradicted", finding.about)
            if finding.label == "unsupported":
                return SentenceSupport(words, "not found")
    said = [*(turn.text for turn in question.dialogue.history), *question.documents, *question.policy]
    given = _given(question)
    known = known_amounts([*(each.text for each in given), *said])
    if any(not is_borne_out(value, known) for value in stated_values(words.text)):
        return SentenceSupport(words, "not found")
    return _by_words(words, given)


def _by_words(words: QuotedSpan, given: Sequence[QuotedSpan]) -> SentenceSupport:
    """A sentence whose values are borne out, by its words; a value counts as a word, however it is written."""
    wanted = _content(words.text)
    held = [wanted & (_content(each.text) | known_amounts([each.text])) for each in given]
    shared = frozenset[str]().union(*held)
    if not shared or len(shared) < SHARED * len(wanted):
        return SentenceSupport(words, "not found")
    return SentenceSupport(words, "supported", max(zip(given, held, strict=True), key=lambda each: len(each[1]))[0])


def _content(text: str) -> frozenset[str]:
    """Content words, and in the place of values what they amount to."""
    values = stated_values(text)
    letters = [" " if any(value.start <= place < value.end for value in values) else letter for place, letter in enumerate(text)]
    words = Wording.of("".join(letters)).content if "".join(letters).strip() else frozenset[str]()
    return words | {value.amount for value in values}


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
