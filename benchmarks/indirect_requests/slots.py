"""Three tasks on slot values: the resolver on SGD turns that do not say the value, and a state tracker with and without Grice.

Slot accuracy is that of the paper's section 7: is the value right of the one slot that the turn is about?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grice.benchmarks.core.benchmark import Sheet
from grice.benchmarks.indirect_requests.data import strategies_of
from grice.benchmarks.indirect_requests.slot_floors import FLOORS
from grice.benchmarks.indirect_requests.slot_scores import Kinds, add_accuracy, by_kind
from grice.benchmarks.indirect_requests.slot_turns import FOLDER, Schema, SlotTurn, inform_turns, request_turn, silent_questions
from grice.benchmarks.indirect_requests.state_tracking import StateTracker, filled
from grice.benchmarks.stats import metrics
from grice.models.data import sgd
from grice.models.data.files import existing
from grice.models.data.indirect_requests import IndirectRequest
from grice.models.manifest import sha256
from grice.models.protocols import SlotPredictor
from grice.models.slots.questions import SlotQuestion

OURS = "grice"
PLAIN = "plain"
RESOLVER = "resolver"
ORIGINALS = "slot-accuracy-sgd"
INDIRECT = "slot-accuracy-indirect"
SLOT_TASKS = (RESOLVER, ORIGINALS, INDIRECT)
Answers = dict[str, Sequence[str | None]]
"""By system the value that it finds in each turn; None where it finds none."""

SILENT_SHARE = 0.05
"""For this share of SGD's test turns a slot that they say nothing of is asked too."""


@dataclass(frozen=True)
class SlotSystems:
    """What is measured.

    Attributes:
        names: of systems, `OURS`, `PLAIN` or a floor.
        resolver, tracker: None where there is none, or none is asked for.
        reasons: by the name of a system, why it cannot be scored.
    """

    names: Sequence[str]
    resolver: SlotPredictor | None
    tracker: StateTracker | None
    reasons: Mapping[str, str] = field(default_factory=dict)

    def floors(self, turns: Sequence[SlotTurn], seed: int) -> Answers:
        """What the floors answer."""
        return {name: FLOORS[name](turns, False, seed) for name in self.names if name in FLOORS}

    def alone(self, questions: Sequence[SlotQuestion]) -> Answers:
        """The values that resolver and tracker find, each by itself."""
        found = {OURS: self.resolver, PLAIN: self.tracker}
        return {name: [each.value for each in model.predict(questions)] for name, model in found.items() if model}

    def together(self, questions: Sequence[SlotQuestion]) -> Answers:
        """The values that the tracker has without the resolver, and with it."""
        if self.tracker is None:
            return {}
        tracked = self.tracker.predict(questions)
        plain: Answers = {PLAIN: [each.value for each in tracked]}
        return {**plain, OURS: list(map(filled, tracked, self.resolver.predict(questions)))} if self.resolver else plain


@dataclass(frozen=True)
class SlotData:
    """What the tasks read of SGD.

    Attributes:
        turns: the user turns of the test split that inform of a categorical slot.
        silent: questions about slots of which a turn says nothing, with the dialogue's id.
        seen: services of the training split.
        checksums: sha256 of the files.
    """

    turns: Sequence[SlotTurn]
    silent: Sequence[tuple[str, SlotQuestion]]
    schema: Schema
    seen: frozenset[str]
    checksums: Mapping[str, str]


def read_slot_data(data_dir: Path, seed: int) -> SlotData:
    """Read SGD's test split, and the schema of its training split.

    Raises:
        DataNotFound, DataCorrupt: the data cannot be read.
    """
    folder = data_dir / FOLDER
    checksums = {**_checksums(folder, "train"), **_checksums(folder, "test")}
    return SlotData(
        list(inform_turns(folder, "test")),
        list(silent_questions(folder, "test", SILENT_SHARE, seed)),
        sgd.read_schema(folder, "test"),
        frozenset(sgd.read_schema(folder, "train")),
        checksums,
    )


def _checksums(folder: Path, split: str) -> dict[str, str]:
    path = existing(folder, f"{split}.zip", split)
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    return {file.relative_to(folder.parent).as_posix(): sha256(file) for file in files}


def add_resolver(sheet: Sheet, data: SlotData, systems: SlotSystems, limit: int | None) -> None:
    """Score all informing turns that do not say their value, of services that training has not seen."""
    turns = [turn for turn in data.turns if turn.service not in data.seen and not turn.verbatim][:limit]
    kinds = {**_slot_kinds(turns), "one value a turn, other slots": [turn.alone and not turn.boolean for turn in turns]}
    _add(sheet, RESOLVER, turns, systems, systems.alone(_questions(turns)), kinds)


def add_originals(sheet: Sheet, data: SlotData, systems: SlotSystems, limit: int | None) -> None:
    """Score the turns that fulfil the paper's four conditions, and what is filled where a turn says nothing of the slot."""
    turns = [turn for turn in data.turns if turn.alone][:limit]
    verbatim = {
        "said verbatim": [turn.verbatim for turn in turns],
        "not verbatim, other slots": [not turn.verbatim and not turn.boolean for turn in turns],
    }
    kinds = {**_slot_kinds(turns), **verbatim, **_service_kinds(turns, data.seen)}
    _add(sheet, ORIGINALS, turns, systems, systems.together(_questions(turns)), kinds)
    silent = data.silent[:limit]
    groups = [group for group, _ in silent]
    for name, values in systems.together([question for _, question in silent]).items():
        if name in systems.names:
            sheet.add(ORIGINALS, name, "left_empty", metrics.mean([value is None for value in values]), groups)


def add_indirect(sheet: Sheet, requests: Sequence[IndirectRequest], data: SlotData, systems: SlotSystems) -> None:
    """Score the indirect requests that mean one value, their slots worded as in SGD's schema."""
    kept = [request for request in requests if not request.ambiguous]
    turns = [request_turn(request, data.schema) for request in kept]
    kinds = {**_slot_kinds(turns), **_service_kinds(turns, data.seen), **strategies_of(kept)}
    _add(sheet, INDIRECT, turns, systems, systems.together(_questions(turns)), kinds)


def _questions(turns: Sequence[SlotTurn]) -> list[SlotQuestion]:
    return [turn.question for turn in turns]


def _slot_kinds(turns: Sequence[SlotTurn]) -> Kinds:
    boolean = [turn.boolean for turn in turns]
    return {"boolean slots": boolean, "other slots": [not each for each in boolean]}


def _service_kinds(turns: Sequence[SlotTurn], seen: frozenset[str]) -> Kinds:
    known = [turn.service in seen for turn in turns]
    return {"services seen in training": known, "services not seen in training": [not each for each in known]}


def _add(sheet: Sheet, task: str, turns: Sequence[SlotTurn], systems: SlotSystems, answers: Answers, kinds: Kinds) -> None:
    groups = [turn.group for turn in turns]
    everything = {**systems.floors(turns, sheet.seed), **answers}
    found = {name: _right(turns, everything[name]) for name in systems.names if name in everything}
    for name in systems.names:
        if name in found:
            add_accuracy(sheet, task, name, found[name], groups)
        else:
            sheet.add_unscored(task, name, ("accuracy",), systems.reasons.get(name, ""), len(turns))
    if task != RESOLVER and OURS in found and PLAIN in found:
        sheet.add_defined(task, OURS, {"times_plain": metrics.accuracy_ratio(found[OURS], found[PLAIN])}, groups)
    sheet.tables.append(by_kind(f"{task} by kind of turn", found, groups, kinds, sheet.seed))


def _right(turns: Sequence[SlotTurn], values: Sequence[str | None]) -> list[bool]:
    return [value == turn.target for turn, value in zip(turns, values, strict=True)]
