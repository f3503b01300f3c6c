"""The figures of a task, in percent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.meaning.cases import MeaningAnswer, MeaningAnswers, MeaningCase
from grice.benchmarks.stats import metrics
from grice.models.meaning.menu import REPLIES as ALL_REPLIES

MEANINGS = ("intent_accuracy", "precision", "coverage", "intent_precision", "intent_coverage", "misread")
SLOTS = ("slot_accuracy", "false_fills")
CHANGES = ("changes_found", "changes_right")
REPLIES = ("yes", "no", "not-yet")
NO_SLOTS = "it fills no slots"
NO_CHANGES = "it tells no changes"
SIGNATURES = {
    "intent_accuracy": "percent of indirect turns: the likeliest meaning is the right intent, the right reply, or, where the turn "
    "means neither, another act",
    "precision": "percent of indirect turns of which a meaning is said, sure enough for the shipped threshold: it is the right one "
    "(where only intents are known: of turns of which an intent is said)",
    "coverage": "percent of indirect turns: a meaning is said (where only intents are known: of turns that have one, an intent is)",
    "intent_precision": "percent of indirect turns of which an intent is said: it is the right one",
    "intent_coverage": "percent of indirect turns: an intent is said",
    "misread": "percent of direct and courtesy turns: a wrong intent is said, or a reply that is none",
    "slot_accuracy": "percent of the slots that indirect turns give a value: it is filled with that value",
    "false_fills": "percent of the slots that a turn says nothing of: it is filled",
    "reply_accuracy": "percent of indirect turns that mean yes, no or not yet: the likeliest meaning is just that",
    "option_accuracy": "percent of turns that choose one of the options that the bot listed, and of which it is said which: it is "
    "that one",
    "option_coverage": "percent of turns that choose one of the options that the bot listed: it is said which",
    "changes_found": "percent of the slots that turns marked as changes of mind speak of: it is said that they change it (of some "
    "nothing was said before, so that there is nothing to change)",
    "changes_right": "percent of the slots of which it is said that a turn changes them: the turn is marked and speaks of the slot",
    "accuracy": "percent of turns: the likeliest meaning is the right intent",
    "among_intents": "percent of turns: the likeliest of the menu's intents is the right one, were there no acts",
    "left_alone": "percent of turns that mean none of the menu's intents: none is said",
}

Pair = tuple[MeaningCase, MeaningAnswer]


def add_meaning(sheet: Sheet, task: str, name: str, cases: Sequence[MeaningCase], answers: MeaningAnswers) -> None:
    """Add the figures of a system on turns whose kind is known; of each part too, as `TASK/PART`."""
    for where, pairs in _by_part(task, cases, answers):
        indirect = [(case, answer) for case, answer in pairs if case.kind == "indirect"]
        others = [(case, answer) for case, answer in pairs if case.kind in ("direct", "courtesy")]
        replies = [(case, answer) for case, answer in indirect if case.gold[0] == "act" and case.gold[1] in REPLIES]
        add_share(sheet, where, name, "intent_accuracy", ((case.group, case.is_right(answer.best)) for case, answer in indirect))
        for prefix, said in (("", _telling(indirect)), ("intent_", _telling(indirect, "intent"))):
            right = ((case.group, case.is_right(answer.best)) for (case, answer), told in zip(indirect, said, strict=True) if told)
            add_share(sheet, where, name, f"{prefix}precision", right)
            told_of = ((case.group, told) for (case, _), told in zip(indirect, said, strict=True))
            add_share(sheet, where, name, f"{prefix}coverage", told_of)
        add_share(sheet, where, name, "misread", ((case.group, _misreads(case, answer)) for case, answer in others))
        strange = [(case, answer) for case, answer in pairs if case.kind == "out_of_scope"]
        if strange:
            add_share(sheet, where, name, "left_alone", ((case.group, answer.intent is None) for case, answer in strange))
        if replies:
            add_share(sheet, where, name, "reply_accuracy", ((case.group, case.gold == answer.best) for case, answer in replies))
        choosing = [(case, answer) for case, answer in pairs if case.option is not None]
        if choosing:
            told = ((case.group, case.option == answer.option) for case, answer in choosing if answer.option is not None)
            add_share(sheet, where, name, "option_accuracy", told)
            add_share(sheet, where, name, "option_coverage", ((case.group, answer.option is not None) for case, answer in choosing))
        _add_slots(sheet, where, name, pairs)
        _add_changes(sheet, where, name, pairs)


def _telling(pairs: Sequence[Pair], kind: str = "") -> list[bool]:
    """Of each answer, whether it says a meaning, of `kind` alone where one is given."""
    return [answer.meaning is not None and kind in ("", answer.meaning[0]) for _, answer in pairs]


def _misreads(case: MeaningCase, answer: MeaningAnswer) -> bool:
    """Whether a bot would do something that nobody asked for."""
    said = answer.meaning
    return said is not None and not case.is_right(said) and (said[0] == "intent" or said[1] in ALL_REPLIES)


def add_intents(sheet: Sheet, task: str, name: str, cases: Sequence[MeaningCase], answers: MeaningAnswers) -> None:
    """Add the figures of a system on turns of which only the intent is known; of each part too, as `TASK/PART`."""
    for where, pairs in _by_part(task, cases, answers):
        known = [(case, answer) for case, answer in pairs if case.gold[0] == "intent"]
        said = [(case, answer) for case, answer in pairs if answer.intent is not None]
        none = [(case, answer) for case, answer in pairs if case.gold[0] == "act"]
        add_share(sheet, where, name, "accuracy", ((case.group, case.is_right_intent(answer.best)) for case, answer in known))
        add_share(
            sheet, where, name, "among_intents", ((case.group, case.gold[1] == answer.among_intents) for case, answer in known)
        )
        add_share(sheet, where, name, "precision", ((case.group, case.is_right_intent(answer.best)) for case, answer in said))
        add_share(sheet, where, name, "coverage", ((case.group, answer.intent is not None) for case, answer in known))
        if none:
            add_share(sheet, where, name, "left_alone", ((case.group, answer.intent is None) for case, answer in none))


def _by_part(task: str, cases: Sequence[MeaningCase], answers: MeaningAnswers) -> Iterator[tuple[str, list[Pair]]]:
    pairs = list(zip(cases, answers, strict=True))
    yield task, pairs
    for part in filter(None, dict.fromkeys(case.part for case in cases)):
        yield f"{task}/{part}", [pair for pair in pairs if pair[0].part == part]


def _add_slots(sheet: Sheet, task: str, name: str, pairs: Sequence[Pair]) -> None:
    if any(answer.slots is None for _, answer in pairs):
        sheet.add_unscored(task, name, SLOTS, NO_SLOTS, len(pairs))
        return
    add_share(sheet, task, name, "slot_accuracy", _given(pairs))
    add_share(sheet, task, name, "false_fills", _silent(pairs))


def _add_changes(sheet: Sheet, task: str, name: str, pairs: Sequence[Pair]) -> None:
    """Of the turns of which one knows whether they change something."""
    known = [(case.group, case.changed, answer.changed) for case, answer in pairs if case.changed is not None]
    if not known:
        return
    if any(told is None for _, _, told in known):
        sheet.add_unscored(task, name, CHANGES, NO_CHANGES, len(known))
        return
    found = ((group, slot in (told or ())) for group, changed, told in known for slot in sorted(changed))
    add_share(sheet, task, name, CHANGES[0], found)
    add_share(sheet, task, name, CHANGES[1], ((group, slot in changed) for group, changed, told in known for slot in told or ()))


def _given(pairs: Sequence[Pair]) -> Iterator[tuple[str, bool]]:
    """Of indirect turns, each slot that has a value: whether it is filled so."""
    for case, answer in pairs:
        if case.kind == "indirect":
            for slot, value in (case.slots or {}).items():
                yield case.group, (answer.slots or {}).get(slot, "").casefold() == value.casefold()


def _silent(pairs: Sequence[Pair]) -> Iterator[tuple[str, bool]]:
    """Of all turns, each slot that they say nothing of: whether it is filled."""
    for case, answer in pairs:
        if case.slots is not None:
            for slot in case.question.schema.slots:
                if slot.name not in case.slots:
                    yield case.group, slot.name in (answer.slots or {})


def add_share(sheet: Sheet, task: str, name: str, metric: str, rows: Iterable[tuple[str, bool]]) -> None:
    """Add how many rows, each a group and whether it is so, are so, in percent; without a row, that there is nothing to count."""
    flags = list(rows)
    if flags:
        sheet.add(task, name, metric, metrics.mean([flag for _, flag in flags], 100), ScoredRows([group for group, _ in flags]))
    else:
        sheet.add_unscored(task, name, (metric,), "no turn to count", 0)
