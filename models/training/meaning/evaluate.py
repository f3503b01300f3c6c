"""How well the reader of meaning reads turns that it did not learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from grice.models.training.meaning.network import SLOT_STATES, MeaningNetwork, Readings
from grice.models.training.meaning.samples import Target
from grice.models.training.meaning.steps import TURNS_AT_ONCE, Step

AGREED = 0.6
"""Share of Circa's judges who make a class the right one: three of five."""


@dataclass(frozen=True)
class TurnReading:
    """What was read of one turn, for counting.

    Attributes:
        best: the most likely meaning, and its share as confidence. target: what it means.
        slots: how many slots with values were read right or wrong, missed, silent, or false: filled though nothing was said.
        judged_right: whether Circa's class is right; None where judges do not agree.
    """

    target: Target
    best: tuple[str, str]
    confidence: float
    slots: Counter[str]
    judged_right: bool | None = None


@torch.no_grad()
def read_steps(network: MeaningNetwork, steps: Sequence[Step]) -> list[TurnReading]:
    """Readings of all turns."""
    found = []
    for step in steps:
        options = network.read_options(step.texts, step.kinds, step.owners)
        for start in range(0, len(step.turns), TURNS_AT_ONCE):
            part = step.turns[start : start + TURNS_AT_ONCE]
            readings = network([pieces for _, pieces, _ in part], options)
            found += [_reading(readings, row, step, target) for row, (_, _, target) in enumerate(part)]
    return found


def figures(readings: Sequence[TurnReading]) -> dict[str, float]:
    """Percentages: intents of indirect turns, replies, what is neither, slots, and each figure's n."""
    found: dict[str, float] = {}

    def add(name: str, chosen: Sequence[bool]) -> None:
        if chosen:
            found[name], found[f"n_{name}"] = 100 * sum(chosen) / len(chosen), len(chosen)

    def right(reading: TurnReading) -> bool:
        return reading.best == reading.target.meaning

    known = [reading for reading in readings if reading.target.meaning is not None]
    indirect = [reading for reading in known if reading.target.kind == "indirect"]
    add("indirect", [right(each) for each in indirect])
    add("intents", [right(each) for each in indirect if each.target.meaning[0] == "intent"])  # type: ignore[index]
    add("yes_no", [right(each) for each in indirect if each.target.meaning in (("act", "yes"), ("act", "no"), ("act", "not-yet"))])
    add("direct", [right(each) for each in known if each.target.kind == "direct"])
    add("courtesy", [right(each) for each in known if each.target.kind == "courtesy"])
    add("out_of_scope", [right(each) for each in known if each.target.kind == "out_of_scope"])
    quiet = [each for each in known if each.target.kind in ("courtesy", "out_of_scope")]
    add("quiet_read_as_intent_or_reply", [each.best[1] not in ("courtesy", "none", "answer") for each in quiet])
    counts: Counter[str] = sum((reading.slots for reading in readings), Counter())
    spoken = counts["right"] + counts["wrong"] + counts["missed"]
    if spoken:
        found["slots"], found["n_slots"] = 100 * counts["right"] / spoken, spoken
    if counts["silent"]:
        found["false_fills"], found["n_false_fills"] = 100 * counts["false"] / counts["silent"], counts["silent"]
    add("circa", [bool(each.judged_right) for each in readings if each.judged_right is not None])
    sure = sorted(known, key=lambda each: -each.confidence)
    add("surest_half", [right(each) for each in sure[: len(sure) // 2]])
    return found


def _reading(readings: Readings, row: int, step: Step, target: Target) -> TurnReading:
    meanings = step.menu.meanings
    shares = readings.meaning[row, : len(meanings)].softmax(0)
    confidence, place = shares.max(0)
    best = meanings[int(place)]
    judged = readings.judged[row]
    right = None
    if target.judged and max(target.judged) >= AGREED:
        right = int(judged.argmax()) == target.judged.index(max(target.judged))
    return TurnReading(target, (best.kind, best.name), float(confidence), _slots(readings, row, step, target), right)


def _slots(readings: Readings, row: int, step: Step, target: Target) -> Counter[str]:
    counts: Counter[str] = Counter()
    place = len(step.menu.meanings)
    for slot, values in step.menu.slots:
        if values and target.mentions is not None:
            mention = target.mentions.get(slot.name)
            said = SLOT_STATES[int(readings.slot_states[row, place].argmax())]
            best = values[int(_values(readings, row, place, len(values)).argmax())].value
            if mention is None:
                counts["silent"] += 1
                counts["false"] += said != "silent"
            elif said == "silent":
                counts["missed"] += 1
            else:
                same = said == mention.said and (said not in ("meant", "not_this") or (best,) == mention.values)
                counts["right" if same else "wrong"] += 1
        place += 1 + len(values)
    return counts


def _values(readings: Readings, row: int, place: int, count: int) -> Tensor:
    return readings.values[row, place + 1 : place + 1 + count]
