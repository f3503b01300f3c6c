"""`grice bench indirect-requests`: which value an indirect request means, and what that is worth to a state tracker.

The requests are the official ones of Mannekote et al. 2024 where their files are in the data folder, and otherwise a set that we
wrote for the same tasks; the output says which. The tasks on slots read Schema-Guided Dialogue. The state tracker of
`slot-accuracy-…` is trained on SGD's training split at the first run and kept in `--work`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from grice.benchmarks.core.benchmark import LLM_OPTIONS, Benchmark, Options, Sheet, opened
from grice.benchmarks.indirect_requests import criteria, slots
from grice.benchmarks.indirect_requests.data import RequestSet, request_set
from grice.benchmarks.indirect_requests.paper import published
from grice.benchmarks.indirect_requests.slot_floors import FLOORS
from grice.benchmarks.indirect_requests.slot_turns import request_turn
from grice.benchmarks.indirect_requests.slots import OURS, PLAIN, SLOT_TASKS, SlotSystems, read_slot_data
from grice.benchmarks.indirect_requests.state_tracking import StateTracker
from grice.models.errors import DataNotFound, InputError
from grice.models.protocols import SlotPredictor

CRITERIA = {criteria.UNAMBIGUITY: "accuracy", criteria.WORLD: "pearson"}
TASKS = (*CRITERIA, *SLOT_TASKS)
TRACKER_FOLDER = "slot-tracker"
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


def load_resolver(options: Options) -> SlotPredictor:
    """The shipped slot-value resolver, or the exported one that the options name."""
    from grice.models.slots.resolver import load_slot_resolver

    return load_slot_resolver(options.resolver, threads=options.threads)


def load_tracker(options: Options) -> StateTracker:
    """The state tracker that is kept in the options' folder, trained first if there is none."""
    from grice.benchmarks.indirect_requests.slot_tracker_training import tracker_at
    from grice.models.sentence_encoder.encoder import load_sentence_encoder

    return tracker_at(options.work / TRACKER_FOLDER, options.data_dir, load_sentence_encoder(threads=options.threads))


def evaluate(
    options: Options,
    resolvers: Callable[[Options], SlotPredictor] = load_resolver,
    trackers: Callable[[Options], StateTracker] = load_tracker,
) -> Sheet:
    """Score the tasks.

    Raises:
        InputError: an unknown task. DataError: data cannot be read.
        ModelError, DataError: a system that was asked for by name cannot be loaded.
        JudgeError: the server of a language model does not answer.
    """
    tasks = options.tasks or TASKS
    if unknown := [task for task in tasks if task not in TASKS]:
        raise InputError("task of benchmark indirect-requests", unknown[0], ", ".join(TASKS))
    requests = request_set(options)
    names = options.systems or BENCHMARK.default_systems
    sheet = _sheet(options, tasks, requests)
    ready, reasons = opened([OURS] if OURS in names else [], options, lambda name: resolvers(options))
    resolver = ready.get(OURS)
    sheet.add_model(resolver)
    for task, metric in CRITERIA.items():
        if task in tasks:
            for name, reason in reasons.items():
                sheet.add_unscored(task, name, (metric,), reason)
            ADD_CRITERION[task](sheet, requests.rows, names, resolver, options)
    asked = [task for task in SLOT_TASKS if task in tasks]
    systems = SlotSystems([name for name in names if not name.startswith(criteria.LLM)], resolver, None, reasons)
    if asked and systems.names:
        _add_slot_tasks(sheet, asked, requests, systems, options, trackers)
    return sheet


def _sheet(options: Options, tasks: Sequence[str], requests: RequestSet) -> Sheet:
    groups = [request_turn(request).group for request in requests.rows]
    rows, note = published()
    return Sheet(
        "indirect-requests",
        groups,
        options.seed,
        part=requests.part,
        drawn="slot for indirect requests, by dialogue for turns of SGD",
        published=tuple(row for row in rows if row.task in tasks),
        notes=[*NOTES, note],
        signatures=dict(SIGNATURES),
        data=dict(requests.checksums),
        settings={"requests": requests.owner},
    )


def _add_slot_tasks(
    sheet: Sheet,
    tasks: Sequence[str],
    requests: RequestSet,
    systems: SlotSystems,
    options: Options,
    trackers: Callable[[Options], StateTracker],
) -> None:
    try:
        data = read_slot_data(options.data_dir, options.seed)
    except DataNotFound as error:
        if options.tasks:
            raise
        for task in tasks:
            for name in systems.names:
                sheet.add_unscored(task, name, ("accuracy",), str(error), 0)
        return
    sheet.data |= data.checksums
    if _needs_tracker(tasks, systems):
        systems = _with_tracker(sheet, systems, options, trackers)
    if slots.RESOLVER in tasks:
        slots.add_resolver(sheet, data, systems, options.limit)
    if slots.ORIGINALS in tasks:
        slots.add_originals(sheet, data, systems, options.limit)
    if slots.INDIRECT in tasks:
        slots.add_indirect(sheet, requests.rows, data, systems)


def _needs_tracker(tasks: Sequence[str], systems: SlotSystems) -> bool:
    return PLAIN in systems.names or (systems.resolver is not None and tuple(tasks) != (slots.RESOLVER,))


def _with_tracker(sheet: Sheet, systems: SlotSystems, options: Options, trackers: Callable[[Options], StateTracker]) -> SlotSystems:
    ready, reasons = opened([PLAIN], options, lambda name: trackers(options))
    tracker = ready.get(PLAIN)
    if tracker is not None:
        sheet.settings[PLAIN] = dict(tracker.facts)
    why = {name: reason for reason in reasons.values() for name in (OURS, PLAIN)}  # Grice adds to the tracker
    return replace(systems, tracker=tracker, reasons={**why, **systems.reasons})


ADD_CRITERION = {criteria.UNAMBIGUITY: criteria.add_unambiguity, criteria.WORLD: criteria.add_world_understanding}
BENCHMARK = Benchmark(
    name="indirect-requests",
    about="indirect requests: the slot value that is meant, and a state tracker without and with Grice",
    systems=(OURS, PLAIN, *FLOORS, f"{criteria.LLM}MODEL"),
    default_systems=(OURS, PLAIN, *FLOORS),
    files=(),
    options=("tasks", "requests", "resolver", "work", "threads", *LLM_OPTIONS),
    evaluate=evaluate,
)
