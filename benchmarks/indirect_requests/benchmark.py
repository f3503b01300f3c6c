"""`grice bench indirect-requests`: which value an indirect request means, and what that is worth to a state tracker.

The requests are the official ones of Mannekote et al. 2024 where their files are in the data folder, and otherwise a set that we
wrote for the same tasks; the output says which. The tasks on slots read Schema-Guided Dialogue. The state tracker of
`slot-accuracy-…` is trained on SGD's training split at the first run and kept in `--work`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.paper import read_paper
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.indirect_requests import criteria
from grice.benchmarks.indirect_requests.data import RequestSet, request_set
from grice.benchmarks.indirect_requests.models import IndirectOptions, Loaders, SlotModels
from grice.benchmarks.indirect_requests.slots import tasks as slot_tasks
from grice.benchmarks.indirect_requests.slots.tasks import SLOT_TASKS, read_slot_data
from grice.benchmarks.indirect_requests.slots.turns import request_turn
from grice.models.errors import DataNotFound, InputError

PAPER = Path(__file__).parent / "paper.json"
CRITERIA: Mapping[str, Callable[[criteria.CriterionSetup], None]] = {
    criteria.UNAMBIGUITY: criteria.add_unambiguity,
    criteria.WORLD: criteria.add_world_understanding,
}
TASKS = (*CRITERIA, *SLOT_TASKS)
SIGNATURES = {
    "accuracy": "0 to 1; majority: each slot's most frequent target in these very rows, rather too high a floor than too low",
    "pearson": "of ratings from 1 to 10, 10: an average six-year-old surely sees which value is meant",
    "times_plain": "accuracy divided by that of plain, on the same turns",
    "left_empty": "share of slots that stay empty, of those that a turn says nothing of",
}
NOTES = (
    "resolver: SGD test turns that inform of a categorical slot, of services that are not in the training split, whose value is "
    "not said verbatim: its words do not follow one another in the turn (lower case, without plural s, number words as digits); "
    "True and False are never said verbatim",
    "slot accuracy: plain is a state tracker trained on SGD's training split (3 turns of context, as in the paper); grice is the "
    "same tracker with the resolver's value where the tracker has none or less than half of the probability",
    "indirect requests have no history; those that are ambiguous count in unambiguity and world-understanding only",
)


def evaluate(options: IndirectOptions, loaders: Loaders | None = None) -> Sheet:
    """Score the tasks.

    Raises:
        InputError: an unknown task. DataError: data cannot be read.
        ModelError, DataError: a system that was asked for by name cannot be loaded.
        JudgeError: the server of a language model does not answer.
    """
    tasks = options.tasks or TASKS
    if unknown := [task for task in tasks if task not in TASKS]:
        raise InputError("task of benchmark indirect-requests", unknown[0], ", ".join(TASKS))
    requests, paper = request_set(options, options.requests), read_paper(PAPER)
    sheet = Sheet(
        "indirect-requests",
        [request_turn(request).group for request in requests.rows],
        options.seed,
        part=requests.part,
        drawn="slot for indirect requests, by dialogue for turns of SGD",
        published=paper.published(tasks),
        notes=[*NOTES, paper.note],
        signatures=dict(SIGNATURES),
        data=dict(requests.checksums),
        settings={"requests": requests.owner},
    )
    models = SlotModels(options, loaders or Loaders(), sheet)
    for task, add in CRITERIA.items():
        if task in tasks:
            add(criteria.CriterionSetup(options, requests.rows, models, sheet))
    if slot_tasks.SYSTEMS.asked(options):
        _add_slot_tasks(sheet, [task for task in SLOT_TASKS if task in tasks], requests, models, options)
    return sheet


def _add_slot_tasks(sheet: Sheet, tasks: Sequence[str], requests: RequestSet, models: SlotModels, options: IndirectOptions) -> None:
    if not tasks:
        return
    try:
        data = read_slot_data(options.data_dir, options.seed)
    except DataNotFound as error:
        if options.tasks:
            raise
        for task in tasks:
            for name in slot_tasks.SYSTEMS.asked(options):
                sheet.add_unscored(task, name, ("accuracy",), str(error), 0)
        return
    sheet.data |= data.checksums
    if slot_tasks.RESOLVER in tasks:
        slot_tasks.add_resolver(sheet, data, models, options)
    if slot_tasks.ORIGINALS in tasks:
        slot_tasks.add_originals(sheet, data, models, options)
    if slot_tasks.INDIRECT in tasks:
        slot_tasks.add_indirect(sheet, requests.rows, data, models, options)


BENCHMARK = Benchmark("indirect-requests", IndirectOptions, slot_tasks.SYSTEMS | criteria.VALUE_SYSTEMS, (), evaluate)
