"""Three tasks on slot values: the resolver on SGD turns that do not say the value, and a state tracker with and without Grice.

Slot accuracy is that of the paper's section 7: is the value right of the one slot that the turn is about?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.benchmarks.core.options import Options
from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.core.systems import System, Systems
from grice.benchmarks.indirect_requests.data import strategies_of
from grice.benchmarks.indirect_requests.models import PLAIN, SlotModels
from grice.benchmarks.indirect_requests.slots.floors import FLOORS
from grice.benchmarks.indirect_requests.slots.scores import Kinds, add_accuracy, by_kind
from grice.benchmarks.indirect_requests.slots.state import filled
from grice.benchmarks.indirect_requests.slots.turns import (
    FOLDER,
    Schema,
    SlotTurn,
    inform_turns,
    request_turn,
    silent_questions,
)
from grice.benchmarks.stats import metrics
from grice.models.data import sgd
from grice.models.data.files import existing
from grice.models.data.indirect_requests import IndirectRequest
from grice.models.manifest import sha256
from grice.models.slots.questions import SlotQuestion

OURS = "grice"
RESOLVER = "resolver"
ORIGINALS = "slot-accuracy-sgd"
INDIRECT = "slot-accuracy-indirect"
SLOT_TASKS = (RESOLVER, ORIGINALS, INDIRECT)
FoundValues = Sequence[str | None]
"""The value that a system finds in each turn; None where it finds none."""

SILENT_SHARE = 0.05
"""For this share of SGD's test turns a slot that they say nothing of is asked too."""


@dataclass(frozen=True)
class TaskSetup:
    """A task, and what its systems are built from."""

    task: str
    turns: Sequence[SlotTurn]
    models: SlotModels
    options: Options

    @property
    def questions(self) -> list[SlotQuestion]:
        """Those of the turns."""
        return [turn.question for turn in self.turns]


def _track(asked: TaskSetup, name: str) -> FoundValues:
    return _tracked(asked.models, asked.questions)


def _resolve(asked: TaskSetup, name: str) -> FoundValues:
    """By itself in the resolver's own task, and on top of the tracker in the others."""
    if asked.task == RESOLVER:
        return [each.value for each in asked.models.resolver.predict(asked.questions)]
    return _together(asked.models, asked.questions)


def _tracked(models: SlotModels, questions: Sequence[SlotQuestion]) -> FoundValues:
    return [each.value for each in models.track(questions)]


def _together(models: SlotModels, questions: Sequence[SlotQuestion]) -> FoundValues:
    resolver = models.resolver
    return list(map(filled, models.track(questions), resolver.predict(questions)))


def _floor(asked: TaskSetup, name: str) -> FoundValues:
    return FLOORS[name][1](asked.turns, False, asked.options.seed)


SYSTEMS = Systems[TaskSetup, FoundValues](
    "indirect-requests",
    System(OURS, "our resolver, in slot-accuracy-… on top of the state tracker", "ours", _resolve),
    System(PLAIN, "a state tracker trained on SGD's training split", "rival", _track),
    *(System(name, about, "floor", _floor) for name, (about, _) in FLOORS.items()),
)


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


def add_resolver(sheet: Sheet, data: SlotData, models: SlotModels, options: Options) -> None:
    """Score all informing turns that do not say their value, of services that training has not seen."""
    turns = [turn for turn in data.turns if turn.service not in data.seen and not turn.verbatim][: options.limit]
    kinds = {**_slot_kinds(turns), "one value a turn, other slots": [turn.alone and not turn.boolean for turn in turns]}
    _add(sheet, TaskSetup(RESOLVER, turns, models, options), kinds)


def add_originals(sheet: Sheet, data: SlotData, models: SlotModels, options: Options) -> None:
    """Score the turns that fulfil the paper's four conditions, and what is filled where a turn says nothing of the slot."""
    turns = [turn for turn in data.turns if turn.alone][: options.limit]
    verbatim = {
        "said verbatim": [turn.verbatim for turn in turns],
        "not verbatim, other slots": [not turn.verbatim and not turn.boolean for turn in turns],
    }
    kinds = {**_slot_kinds(turns), **verbatim, **_service_kinds(turns, data.seen)}
    scored = _add(sheet, TaskSetup(ORIGINALS, turns, models, options), kinds)
    silent = data.silent[: options.limit]
    groups, questions = [group for group, _ in silent], [question for _, question in silent]
    for name, values_of in ((PLAIN, _tracked), (OURS, _together)):
        if name in scored:
            empty = [value is None for value in values_of(models, questions)]
            sheet.add(ORIGINALS, name, "left_empty", metrics.mean(empty), ScoredRows(groups))


def add_indirect(sheet: Sheet, requests: Sequence[IndirectRequest], data: SlotData, models: SlotModels, options: Options) -> None:
    """Score the indirect requests that mean one value, their slots worded as in SGD's schema."""
    kept = [request for request in requests if not request.ambiguous]
    turns = [request_turn(request, data.schema) for request in kept]
    kinds = {**_slot_kinds(turns), **_service_kinds(turns, data.seen), **strategies_of(kept)}
    _add(sheet, TaskSetup(INDIRECT, turns, models, options), kinds)


def _slot_kinds(turns: Sequence[SlotTurn]) -> Kinds:
    boolean = [turn.boolean for turn in turns]
    return {"boolean slots": boolean, "other slots": [not each for each in boolean]}


def _service_kinds(turns: Sequence[SlotTurn], seen: frozenset[str]) -> Kinds:
    known = [turn.service in seen for turn in turns]
    return {"services seen in training": known, "services not seen in training": [not each for each in known]}


def _add(sheet: Sheet, asked: TaskSetup, kinds: Kinds) -> set[str]:
    """Score every system that was asked for; those that could be."""
    task, groups = asked.task, [turn.group for turn in asked.turns]
    ready, reasons = SYSTEMS.build(asked.options, asked)
    found = {
        name: [value == turn.target for turn, value in zip(asked.turns, values, strict=True)] for name, values in ready.items()
    }
    for name, right in found.items():
        add_accuracy(sheet, task, name, right, groups)
    for name, reason in reasons.items():
        sheet.add_unscored(task, name, ("accuracy",), reason, len(asked.turns))
    if task != RESOLVER and OURS in found and PLAIN in found:
        sheet.add_defined(task, OURS, {"times_plain": metrics.accuracy_ratio(found[OURS], found[PLAIN])}, groups)
    sheet.tables.append(by_kind(f"{task} by kind of turn", found, groups, kinds, sheet.seed))
    return set(found)
