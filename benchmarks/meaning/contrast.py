"""Contrasts: the same words under another question, or for another bot, mean something else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.meaning.cases import NOTHING, MeaningAnswers, MeaningCase
from grice.benchmarks.meaning.held_out import written_cases
from grice.benchmarks.meaning.scores import add_share
from grice.models.meaning.results import MeaningQuestion
from grice.models.text.verbatim import words

CONTRAST = "contrast"
SIGNATURES = {
    "all_right": "percent of groups of turns that have the same words and different meanings: of every turn of the group the "
    "likeliest meaning is the right one",
    "each_right": "percent of the turns in such groups: the likeliest meaning is the right one",
}


def find_contrasts(cases: Sequence[MeaningCase]) -> list[list[int]]:
    """Places of turns that have the same words, whatever their marks and capitals, and not all the same meaning."""
    by_words: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, case in enumerate(cases):
        by_words[tuple(words(case.question.dialogue.last.text))].append(place)
    return [places for places in by_words.values() if len({cases[place].gold for place in places}) > 1]


def add_contrasts(sheet: Sheet, task: str, name: str, cases: Sequence[MeaningCase], answers: MeaningAnswers) -> None:
    """Add how many of these groups a system reads right as a whole, as `TASK/contrast`; nothing where there are none."""
    right = [case.is_right(answer.best) for case, answer in zip(cases, answers, strict=True)]
    groups = find_contrasts(cases)
    if groups:
        where = f"{task}/{CONTRAST}"
        add_share(sheet, where, name, "all_right", ((cases[places[0]].group, all(right[at] for at in places)) for places in groups))
        add_share(sheet, where, name, "each_right", ((cases[at].group, right[at]) for places in groups for at in places))


def other_bot_cases() -> list[MeaningCase]:
    """Hints at an intent that open a dialogue of the held-out hands, each for its own bot and for the next bot of its hand.

    What the other bot is told is none of its menu, unless the two bots have an intent of the same name: then the hint is left out.

    Raises:
        DataNotFound, DataCorrupt: a hand cannot be read.
    """
    hints = [case for case in written_cases() if case.kind == "indirect" and case.gold[0] == "intent"]
    hints = [case for case in hints if not case.question.dialogue.history]
    menus = {case.group: case.question.schema for case in hints}
    bots: defaultdict[str, list[str]] = defaultdict(list)
    for case in hints:
        if case.group not in bots[case.part]:
            bots[case.part].append(case.group)
    cases = []
    for case in hints:
        others = bots[case.part]
        menu = menus[others[(others.index(case.group) + 1) % len(others)]]
        if case.gold[1] not in {intent.name for intent in menu.intents}:
            question = MeaningQuestion(case.question.dialogue, menu)
            cases += [
                MeaningCase(case.question, case.group, case.gold, part=case.part),
                MeaningCase(question, case.group, NOTHING, part=case.part),
            ]
    return cases
