"""What is known exactly wins over the model: values that were given, sums that are right, acts that were done."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

from grice.models.relations.clashes import named_in, row_of
from grice.models.relations.inputs import row_text
from grice.models.relations.results import RelationFinding, RelationQuestion
from grice.models.relations.sentences import sentence_places
from grice.models.relations.values import StatedValue, known_amounts, stated_values

_ACTS = frozenset({"tool", "tool name", "action", "function", "call", "operation", "api", "apiname"})
"""Names of a field that says what was done."""
_STATES = frozenset({"status", "state", "result", "outcome", "success", "done"})
_DONE = frozenset({"done", "ok", "success", "successful", "succeeded", "completed", "complete", "yes", "true", "confirmed", "sent"})
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
STEM = 4


def is_settled(question: RelationQuestion, finding: RelationFinding) -> bool:
    """Whether what was given shows that there is no such fault.

    `!Fac`: it points at a value, and all values of the sentence are in what was given, or are right sums. `promise`: a row says
    that the act was done.
    """
    if finding.rule or finding.words is None:
        return False
    places = sentence_places(question.dialogue.last.text)
    start, end = places[min(finding.words.sentence, len(places) - 1)]
    sentence = question.dialogue.last.text[start:end]
    if finding.label == "!Fac":
        first, last = finding.words.start - start, finding.words.end - start
        return any(each.start < last and each.end > first for each in stated_values(sentence)) and is_exact(question, sentence)
    return finding.label == "promise" and any(_was_done(row, sentence) for row in question.facts)


def is_exact(question: RelationQuestion, sentence: str) -> bool:
    """Whether the sentence has values, and each is in the row that it is about or in one document, or is a right sum.

    Of a sum, what it is made of stands in the sentence, and was given or said. A value that the row has in another field than the
    one that the sentence names is none of the row's.
    """
    own = stated_values(sentence)
    if not own or not question.has_evidence:
        return False
    sums = [value for value in own if _is_sum(value, [each for each in own if each is not value])]
    said = known_amounts([*(turn.text for turn in question.dialogue.history), *_texts(question)])
    rest = [value for value in own if value not in sums]
    if sums and all(value.amount in said for value in rest):
        return True
    sources = [*question.documents, *question.policy]
    about = row_of(sentence, question.facts)
    if about is not None and not any(_elsewhere(value, sentence, question.facts[about]) for value in own):
        sources.append(row_text(question.facts[about]))
    return any({value.amount for value in own} <= known_amounts([each]) and _months(sentence) <= _months(each) for each in sources)


def _months(text: str) -> set[str]:
    """The months that dates of a text name, as three letters."""
    dates = [text[value.start : value.end] for value in stated_values(text) if value.kind == "date" and not value.unit]
    iso = {_MONTHS[int(each[5:7]) - 1] for each in dates if each.count("-") == 2 and 1 <= int(each[5:7]) <= len(_MONTHS)}
    return iso | {each for date in dates for each in _MONTHS if each in date.lower()}


def _texts(question: RelationQuestion) -> list[str]:
    return [*question.documents, *question.policy, *(text for row in question.facts for text in (row_text(row), *row.values()))]


def _is_sum(value: StatedValue, others: list[StatedValue]) -> bool:
    numbers = [_number(each) for each in others if each.kind in ("number", "amount")]
    if value.kind not in ("number", "amount"):
        return False
    wanted = _number(value)
    return any(
        abs(wanted - result) < 0.006
        for one, other in itertools.permutations(numbers, 2)
        for result in (one + other, one - other, one * other, *([one / other] if other else []))
    )


def _number(value: StatedValue) -> float:
    try:
        return float(value.amount)
    except ValueError:
        return float("nan")


def _elsewhere(value: StatedValue, sentence: str, row: Mapping[str, str]) -> bool:
    """Whether the sentence names fields, and the row has the value in none of them but in another."""
    holds = [name for name, text in row.items() if value.amount in known_amounts([text])]
    named = [name for name, text in row.items() if named_in(sentence, name) and stated_values(text)]
    return bool(holds) and bool(named) and not set(holds) & set(named)


def _was_done(row: Mapping[str, str], sentence: str) -> bool:
    fields = {name.replace("_", " ").strip().lower(): value for name, value in row.items()}
    if not any(fields.get(name, "").strip().lower() in _DONE for name in _STATES):
        return False
    said = {word[:STEM] for word in re.findall(r"[a-z]{3,}", sentence.lower())}
    acts = [{part.lower() for part in _PART.findall(fields[name]) if len(part) > 2} for name in _ACTS & set(fields)]
    return any(act and len({part for part in act if part[:STEM] in said}) * 2 > len(act) for act in acts)
