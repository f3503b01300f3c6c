"""Answers to slot questions that need no model: what any system has to be better than."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from grice.benchmarks.indirect_requests.slots.features import content_words, share
from grice.benchmarks.indirect_requests.slots.turns import SlotTurn
from grice.models.data.indirect_requests import AMBIGUOUS
from grice.models.slots.questions import SlotQuestion
from grice.models.text.verbatim import words
from grice.models.text.wording import Wording

Floor = Callable[[Sequence[SlotTurn], bool, int], list[str]]
"""Turns, whether `AMBIGUOUS` is a possible answer too, and a seed; one answer a turn."""


def majority(turns: Sequence[SlotTurn], ambiguous: bool, seed: int) -> list[str]:
    """For every slot the target that it has most often in these very turns: the best that can be had without reading them."""
    targets: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for turn in turns:
        targets[turn.service, turn.question.slot][turn.target] += 1
    return [targets[turn.service, turn.question.slot].most_common(1)[0][0] for turn in turns]


def chance(turns: Sequence[SlotTurn], ambiguous: bool, seed: int) -> list[str]:
    """Any of the possible answers."""
    generator = random.Random(seed)
    return [generator.choice([*turn.question.values, *([AMBIGUOUS] if ambiguous else [])]) for turn in turns]


def lexical(turns: Sequence[SlotTurn], ambiguous: bool, seed: int) -> list[str]:
    """The value that has the most words in common with the turn; without one, ambiguous, or else the first of the best."""
    return [_most_alike(turn.question, ambiguous, overlap) for turn in turns]


def lexical_with_negation(turns: Sequence[SlotTurn], ambiguous: bool, seed: int) -> list[str]:
    """The same, but the description's words and negation tell True from False: a floor with a rule for yes and no."""
    return [_most_alike(turn.question, ambiguous, overlap_with_negation) for turn in turns]


def _most_alike(question: SlotQuestion, ambiguous: bool, likeness: Callable[[SlotQuestion, str], float]) -> str:
    scores = [likeness(question, value) for value in question.values]
    best = max(scores)
    undecided = best == 0 or scores.count(best) > 1
    return AMBIGUOUS if ambiguous and undecided else question.values[scores.index(best)]


def overlap(question: SlotQuestion, value: str) -> float:
    """The share of a value's words that the turn has."""
    return share(words(value), words(question.dialogue.last.text))


def overlap_with_negation(question: SlotQuestion, value: str) -> float:
    """The same, but for True and False the share of the description's content words.

    They count for False where the turn has a negation and for True where it has none, and one more for a turn that starts with yes
    or no.
    """
    if value not in ("True", "False"):
        return overlap(question, value)
    said = Wording.of(question.dialogue.last.text)
    wanted = value == "True"
    known = share(content_words(question.description), words(said.text))
    return known * (said.negated != wanted) + (said.affirms if wanted else said.denies)


FLOORS: dict[str, tuple[str, Floor]] = {
    "majority": ("each slot's most frequent target in these very rows", majority),
    "random": ("any of the possible answers", chance),
    "lexical": ("the value that has the most words in common with the turn", lexical),
    "lexical-negation": ("the same, with a rule for yes and no", lexical_with_negation),
}
"""What each is, and the floor."""
