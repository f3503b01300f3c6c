"""Faults that are found by comparing words and values, whatever the model says."""

from __future__ import annotations

from grice.models.relations.clashes import find_clash
from grice.models.relations.repeats import Repeat
from grice.models.relations.results import RelationFinding, RelationQuestion


def find_by_rule(question: RelationQuestion, repeat: Repeat | None) -> list[RelationFinding]:
    """A value that clashes with a row, and words said again for no reason; their probability is 1.

    Words that are only nearly the same raise nothing by rule: they are as common in people's own replies as in
    faulty ones. They are what is quoted where the model finds a repeat.

    Args:
        repeat: what `find_repeat` found.
    """
    found = []
    if (clash := find_clash(question)) is not None:
        found.append(clash)
    if repeat is not None and repeat.exact and not repeat.reason:
        if repeat.answer is not None:
            found.append(RelationFinding("asked_again", 1.0, repeat.answer, repeat.words, rule=True))
        else:
            found.append(RelationFinding("Red", 1.0, repeat.about, repeat.words, rule=True))
    return found
