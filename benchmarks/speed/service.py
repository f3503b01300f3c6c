"""The REST part of `grice bench speed`: latency and throughput at 1, 8 and 32 callers, with batching and without.

Sessions have `--threads` threads. As in production a batch is worked on in parts side by side, one a CPU; without batching there
is one turn in a batch, and so one part.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

import numpy as np
from tqdm import tqdm

from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.speed.load import Caller, Load, body_of, drive
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.servers import RestService
from grice.benchmarks.speed.timing import add_percentiles, interleaved, percentile, rate
from grice.benchmarks.stats.metrics import Measure
from grice.models.dialogue import Dialogue
from grice.models.errors import ModelError

CALLERS = (1, 8, 32)
BATCHED, UNBATCHED = "grice-int8", "grice-int8-unbatched"
BATCH_SIZES = {BATCHED: None, UNBATCHED: "1"}
"""`GRICE_BATCH_SIZE` of the service of each system; None leaves the default."""
METRICS = ("p50_ms", "p95_ms", "p99_ms", "per_second")

Loads = dict[str, list[Load]]


def add_service(
    sheet: Sheet,
    options: SpeedOptions,
    asked: Sequence[str],
    given: Sequence[Dialogue],
    model: Callable[[Sequence[Dialogue]], object] | None,
) -> None:
    """Measure the service of each system that was asked for; `model` is the same model in this process, for the overhead."""
    names = [name for name in BATCH_SIZES if name in asked]
    with contextlib.ExitStack() as stack:
        try:
            services = {name: stack.enter_context(RestService(_settings(options, name))) for name in names}
        except ModelError as error:
            for task in [f"rest-{callers}" for callers in CALLERS]:
                for name in names:
                    sheet.add_unscored(task, name, METRICS, str(error))
            return
        bodies = [body_of(dialogue) for dialogue in given]
        for callers in CALLERS:
            _measure(sheet, services, bodies, callers, options.rounds)
        if model is not None and BATCHED in services:
            _overhead(sheet, services[BATCHED], given, model, options.rounds)


def _settings(options: SpeedOptions, name: str) -> dict[str, str]:
    settings = {
        "GRICE_REWRITER_MODEL": options.rewriter,
        "GRICE_DIRECTNESS_MODEL": options.directness,
        "GRICE_PROVIDER": "cpu",
        "GRICE_THREADS": str(options.threads),
        "GRICE_STORE": "memory",
    }
    size = BATCH_SIZES[name]
    return settings if size is None else {**settings, "GRICE_BATCH_SIZE": size}


def _measure(sheet: Sheet, services: dict[str, RestService], bodies: Sequence[bytes], callers: int, rounds: int) -> None:
    loads: Loads = {name: [] for name in services}
    for service in services.values():
        drive(service.address, bodies[: 2 * callers], callers)
    for _ in tqdm(range(rounds), desc=f"rest-{callers}", unit="round", disable=None):
        for name, service in services.items():
            loads[name].append(drive(service.address, bodies, callers))
    for name, rows in loads.items():
        _add_loads(sheet, f"rest-{callers}", name, rows)
    if len(services) > 1:
        places = [str(number) for number in range(rounds)]
        sheet.add(f"rest-{callers}", BATCHED, "batching_gain", _gain(loads[BATCHED], loads[UNBATCHED]), ScoredRows(places))


def _add_loads(sheet: Sheet, task: str, name: str, loads: Sequence[Load]) -> None:
    """Calls that failed have no time: they are counted as unscored."""
    seconds = np.stack([load.seconds for load in loads])
    answered = np.asarray(np.isfinite(seconds).any(axis=0))
    lost = int((~answered).sum())
    if not answered.any():
        sheet.add_unscored(task, name, METRICS, "no call was answered with 200")
        return
    groups = [group for group, kept in zip(sheet.groups, answered, strict=True) if kept]
    add_percentiles(sheet, task, name, np.nanmedian(seconds[:, answered], axis=0), ScoredRows(groups, lost))
    measure = rate([load.answered for load in loads], np.array([load.wall for load in loads]))
    sheet.add(task, name, "per_second", measure, ScoredRows([str(number) for number in range(len(loads))], lost))


def _gain(batched: Sequence[Load], unbatched: Sequence[Load]) -> Measure:
    """Turns a second with batching by turns a second without; one row a round."""
    rows = [[value for load in pair for value in (load.answered, load.wall)] for pair in zip(batched, unbatched, strict=True)]
    return Measure(np.array(rows), lambda sums: np.asarray(sums[:, 0] * sums[:, 3] / (sums[:, 1] * sums[:, 2]), float))


def _overhead(
    sheet: Sheet,
    service: RestService,
    given: Sequence[Dialogue],
    model: Callable[[Sequence[Dialogue]], object],
    rounds: int,
) -> None:
    """What the service adds to the model's own time, turn by turn, at one caller."""
    bodies = [body_of(dialogue) for dialogue in given]
    with contextlib.closing(Caller(service.address)) as caller:
        calls: dict[str, Callable[[int], object]] = {
            "model": lambda place: model([given[place]]),
            "service": lambda place: caller.rewrite(bodies[place]),
        }
        times = interleaved(calls, range(len(given)), rounds, "rest-1 overhead")
    added = np.median(times["service"], axis=0) - np.median(times["model"], axis=0)
    sheet.add("rest-1", BATCHED, "overhead_ms", percentile(1000 * added, 0.5))
