"""`grice bench scale`: one and two replicas, workers and actors, each pinned to a core; simulated beyond; and what it costs.

Tasks: `serve` (`POST /v1/turns`), `worker` (responses that `grice monitor` scores, Redis beside it) and `offline` (what an actor of
`grice batch` does, tasks `responses`, `turns` and `intentions`). What asks, and Redis, run on the same cores: so does `efficiency`,
what two bring of twice what one does, tell less than two machines would bring. Processor time counts in `cpu_hours_per_million`
(dialogues), which therefore holds on a busy machine too; the others do not.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.options import option
from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.core.systems import System, Systems
from grice.benchmarks.direct.held_out import FILES, dialogues, held_out
from grice.benchmarks.scale.judge_price import JudgePrices, usd_of
from grice.benchmarks.scale.pinned import ONE_THREAD, ActorProcess, ActorTimes, PinnedService, cores, monitor_on
from grice.benchmarks.scale.simulation import FULLEST, enough
from grice.benchmarks.speed.load import Caller, body_of, share
from grice.benchmarks.speed.timing import rate
from grice.benchmarks.speed.worker import STREAM, TURNS, WorkerProcess, conversations
from grice.benchmarks.stats.metrics import Array, Measure
from grice.benchmarks.worker.local_redis import LocalRedis
from grice.middleware.batch.job import TASKS
from grice.middleware.events.redis_stream import RedisStreamPublisher
from grice.models.dialogue import Dialogue
from grice.models.errors import ModelError

ONE, TWO = "grice-1", "grice-2"
COUNTS = {ONE: 1, TWO: 2}
RATES = {"serve": (100.0, 1000.0), "worker": (1000.0, 10_000.0)}
"""Requests a second that are simulated."""
DIALOGUES = 40
PATH = "/v1/turns"


@dataclass(frozen=True)
class ScaleOptions(JudgePrices):
    """How long is measured, what is simulated, and a language model's price."""

    rounds: int = option(3, "measure N times", "N", (1, 1000))
    requests: int = option(20_000, "requests of each simulation", "N", (100, 10**7))
    within_s: float = option(1.0, "seconds within which 99 of 100 are to be answered", "S", (0.001, 3600))


def _no_model(options: ScaleOptions, name: str) -> int:
    return COUNTS[name]


SYSTEMS = Systems[ScaleOptions, int](
    "scale",
    System(ONE, "one process on one core", "ours", _no_model),
    System(TWO, "two, each on a core of its own", "ours", _no_model),
)


def evaluate(options: ScaleOptions) -> Sheet:
    """Measure one and two of each, and simulate more.

    Raises:
        DataError: the data cannot be read.
    """
    found = held_out(options, DIALOGUES)
    given = dialogues(found.rows, "indirect")
    sheet = Sheet("scale", found.groups, options.seed, found.unscored, drawn="round")
    available = cores()
    asked = [name for name in SYSTEMS.asked(options) if COUNTS[name] <= len(available)]
    for name in set(SYSTEMS.asked(options)) - set(asked):
        for task in ("serve", "worker", "offline"):
            sheet.add_unscored(task, name, ("per_second",), f"this machine has {len(available)} cores")
    measured: dict[str, Callable[[int], _Rounds]] = {
        "serve": lambda count: _serve(options, available[:count], given),
        "worker": lambda count: _work(options, available[:count], given),
        "offline": lambda count: _score(options, available[:count], given),
    }
    for task, measure in measured.items():
        try:
            rounds = {name: measure(COUNTS[name]) for name in asked}
        except ModelError as error:
            for name in asked:
                sheet.add_unscored(task, name, ("per_second",), str(error))
            continue
        _add(sheet, task, rounds, options)
        if task == "offline" and ONE in rounds:
            sheet.tables.append(_costs(rounds[ONE].cpu, given, options))
    sheet.notes += [
        "simulated: Poisson arrivals, measured service times, one request at a time a replica, least-request proxy, no network; "
        "a worker scores in batches, so its service times are the means of rounds",
        f"judge: nine questions a response, {options.judge_answer_tokens:g} tokens an answer, four characters a token, "
        f"{options.judge_price_in:g} and {options.judge_price_out:g} US dollars per million tokens",
    ]
    return sheet


@dataclass(frozen=True)
class _Rounds:
    """What was measured of so many processes.

    Attributes:
        counts: what was done in each round; seconds: that it took.
        service_s: seconds that single requests take where nothing else is under way; empty: not known.
        cpu: of each part, dialogues and seconds of processor time.
    """

    counts: Array
    seconds: Array
    service_s: Array
    cpu: Array


def _add(sheet: Sheet, task: str, found: dict[str, _Rounds], options: ScaleOptions) -> None:
    places = [str(number) for number in range(options.rounds)]
    for name, each in found.items():
        sheet.add(task, name, "per_second", rate(each.counts, each.seconds), ScoredRows(places))
        if len(each.cpu):
            measure = Measure(each.cpu, lambda sums: np.asarray(1e6 * sums[:, 1] / sums[:, 0] / 3600))
            sheet.add(task, name, "cpu_hours_per_million", measure, ScoredRows([str(place) for place in range(len(each.cpu))]))
    if len(found) == 2:
        one, two = found[ONE], found[TWO]
        rows = np.stack([one.counts, one.seconds, two.counts, two.seconds], axis=1)
        measure = Measure(rows, lambda sums: np.asarray(sums[:, 2] * sums[:, 1] / (2 * sums[:, 3] * sums[:, 0])))
        sheet.add(task, TWO, "efficiency", measure, ScoredRows(places))
    if ONE in found and len(found[ONE].service_s):
        sheet.tables.append(_simulated(task, found[ONE].service_s, options))


def _simulated(task: str, service_s: Array, options: ScaleOptions) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for per_second in RATES[task]:
        try:
            waits = enough(service_s, per_second, options.within_s, options.requests, options.seed)
        except ValueError as error:
            rows.append((f"{per_second:g}", str(error), "", "", ""))
            continue
        shown = (f"{1000 * waits.quantile(share):.0f}" for share in (0.5, 0.99))
        rows.append((f"{per_second:g}", str(waits.replicas), f"{waits.utilisation:.2f}", *shown))
    header = ("a second", "cores", "busy", "p50_ms", "p99_ms")
    return Table(
        f"{task}, simulated: the fewest, {100 * FULLEST:g} % busy at most, that answer 99 of 100 within {options.within_s:g} s",
        header,
        tuple(rows),
    )


def _costs(cpu: Array, given: Sequence[Dialogue], options: ScaleOptions) -> Table:
    hours = 1e6 * cpu[:, 1].sum() / cpu[:, 0].sum() / 3600
    scored = [Dialogue.of_messages(row["turns"]) for row in _rows(options.limit or DIALOGUES, given)]
    dollars = 1e6 * float(np.mean(usd_of(scored, options.judge_price_in, options.judge_price_out, options.judge_answer_tokens)))
    rows: tuple[tuple[Cell, ...], ...] = (
        ("CPU-hours of ours, all three tasks", f"{hours:.0f}"),
        ("US dollars of a judge, responses alone", f"{dollars:.0f}"),
        ("price of a CPU-hour at which both cost the same, US dollars", f"{dollars / hours:.2f}"),
    )
    return Table("a million dialogues of four turns", ("", "per million"), rows)


def _serve(options: ScaleOptions, used: Sequence[int], given: Sequence[Dialogue]) -> _Rounds:
    bodies = [body_of(dialogue) for dialogue in given]
    with ExitStack() as stack:
        addresses = [stack.enter_context(PinnedService(core)).address for core in used]
        _share(addresses, bodies[: 4 * len(used)], 1)  # the warm-up
        alone = _share(addresses, bodies, 1) if len(used) == 1 else np.zeros(0)
        seconds = []
        for _ in range(options.rounds):
            begun = time.perf_counter()
            _share(addresses, bodies, 4)
            seconds.append(time.perf_counter() - begun)
    return _Rounds(np.full(options.rounds, len(bodies)), np.array(seconds), alone[np.isfinite(alone)], np.zeros((0, 2)))


def _share(addresses: Sequence[str], bodies: Sequence[bytes], callers: int) -> Array:
    """Send every body once, by so many callers a replica; the seconds of each call."""
    waiting = iter(range(10**9))

    def open_caller() -> tuple[Callable[[int], float], Callable[[], None]]:
        caller = Caller(addresses[next(waiting) % len(addresses)], PATH)
        return lambda place: caller.rewrite(bodies[place]), caller.close

    return share(len(bodies), callers * len(addresses), open_caller)


def _work(options: ScaleOptions, used: Sequence[int], given: Sequence[Dialogue]) -> _Rounds:
    texts = [turn.text for dialogue in given for turn in dialogue.turns]
    names = max(2 * len(used), len(given) // 10)
    responses = names * TURNS // 2
    settings = {**ONE_THREAD, "GRICE_EVENTS_PARTITIONS": "2"}
    with tempfile.TemporaryDirectory(prefix="grice-redis-") as folder, LocalRedis(Path(folder)) as redis, ExitStack() as stack:
        publisher = RedisStreamPublisher(redis.url, STREAM, partitions=2)
        workers = [stack.enter_context(WorkerProcess(redis, settings, monitor_on(core))) for core in used]
        taken = []
        for number in range(options.rounds + 1):  # the first is the warm-up
            begun = time.perf_counter()
            publisher.publish(list(conversations(texts, names, number)))
            workers[0].wait_for((number + 1) * responses)
            taken.append(time.perf_counter() - begun)
        publisher.close()
    seconds = np.array(taken[1:])
    return _Rounds(np.full(options.rounds, responses), seconds, seconds / responses, np.zeros((0, 2)))


def _score(options: ScaleOptions, used: Sequence[int], given: Sequence[Dialogue]) -> _Rounds:
    tasks = [name for name in TASKS if name != "directness"]  # which `turns` has
    found: list[list[ActorTimes]] = []
    seconds = []
    with tempfile.TemporaryDirectory(prefix="grice-scale-") as folder:
        path = Path(folder) / "dialogues.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in _rows(options.limit or DIALOGUES, given)), encoding="utf-8")
        for _ in range(options.rounds):
            with ExitStack() as stack:
                actors = [stack.enter_context(ActorProcess(core, path, tasks)) for core in used]
                begun = time.perf_counter()
                for actor in actors:
                    actor.start()
                found.append([actor.wait() for actor in actors])
                seconds.append(time.perf_counter() - begun)
    cpu = [pair for scored in found for each in scored for pair in zip(each.rows, each.cpu_s, strict=True)]
    counts = [sum(sum(each.rows) for each in scored) for scored in found]
    return _Rounds(np.array(counts), np.array(seconds), np.zeros(0), np.array(cpu))


def _rows(count: int, given: Sequence[Dialogue]) -> list[dict[str, list[dict[str, str]]]]:
    """Dialogues of four turns: what a user said and a plain reply, twice; no two are alike."""
    texts = [dialogue.last.text for dialogue in given]
    return [
        {
            "turns": [
                {"speaker": speaker, "text": f"{text} {number}"}
                for text in (texts[number % len(texts)], texts[(number + 1) % len(texts)])
                for speaker, text in (("user", text), ("bot", "Certainly. Which day would you like, and for how many people?"))
            ]
        }
        for number in range(count)
    ]


BENCHMARK = Benchmark("scale", ScaleOptions, SYSTEMS, FILES, evaluate)
