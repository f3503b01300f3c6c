"""`grice bench speed`: how fast our runtime is beside PyTorch and CTranslate2, and the REST service end to end.

Everything is measured in one run on the same turns (indirect ones, with their history) and with the same number of threads.
A time covers what a caller waits for: from the dialogue to the text, tokenising included. The time of a turn is the median of
the rounds; `p50_ms` and the others are over turns, in milliseconds; in `rewrite-batched` over batches. `n` counts what a figure
is over: turns, batches, or rounds for the REST service's `per_second` and `batching_gain`. `overhead_ms` is what the service adds
to the same model's own time, turn by turn. In `behaviors` a call is all nine scores of a response after 20 turns of history;
`worker` says how many responses `grice monitor` scores in a second. In `slots` a call is one turn and a slot of 8 values. In
`meaning` it is a turn and the bot's pending one against a menu of ten intents and three slots of five values. In `intentions`
and `mind` it is all that the model finds when one turn of the user follows 20 that it has read before, outside the measured time;
in `intentions-cold` and `mind-cold` it has read none of the 21. In `trunk` it is one turn of 40 pieces (`trunk.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems, attempt
from grice.benchmarks.direct.held_out import FILES, dialogues, held_out
from grice.benchmarks.speed.behaviors import PRECISIONS, add_behaviors, load_precisions
from grice.benchmarks.speed.checkpoint import PyTorchRewriter, float_rewriter
from grice.benchmarks.speed.classifiers import add_readers
from grice.benchmarks.speed.ctranslate2_rewriter import CTranslate2Rewriter
from grice.benchmarks.speed.meanings import add_meanings
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.service import METRICS, UNBATCHED, add_service
from grice.benchmarks.speed.timing import add_times, interleaved
from grice.benchmarks.speed.trunk import TRUNKS, add_trunk
from grice.benchmarks.speed.worker import add_worker
from grice.benchmarks.stats.metrics import Array
from grice.models import load_directness_scorer, load_rewriter
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError, ModelError
from grice.models.protocols import Model
from grice.models.results import Directness
from grice.models.runtime.runtime import Runtime

DEFAULT_TURNS = 200
BATCH = 16
"""Turns in a batch of `rewrite-batched`: what the service batches by default."""
RewriteTurns = Callable[[Sequence[Dialogue]], list[str]]


def _ours(precision: str, options: SpeedOptions, name: str) -> RewriteTurns:
    ours = load_rewriter(options.rewriter, "direct", runtime=Runtime("cpu", options.threads, precision, workers=1))
    return lambda given: [rewrite.text for rewrite in ours.predict(given)]


def _rival(kind: type[PyTorchRewriter] | type[CTranslate2Rewriter], options: SpeedOptions, name: str) -> RewriteTurns:
    with float_rewriter(options.checkpoint, options.rewriter) as weights:
        return kind(weights, options.threads).rewrite


REWRITERS = Systems[SpeedOptions, RewriteTurns](
    "speed",
    System("grice-int8", "our models as they ship, and the service on them", "ours", partial(_ours, "int8")),
    System("grice-fp32", "the same before they were rounded", "ours", partial(_ours, "fp32")),
    System("pytorch", "the rewriter in float weights, in PyTorch", "rival", partial(_rival, PyTorchRewriter)),
    System("ctranslate2-int8", "the same in CTranslate2, int8", "rival", partial(_rival, CTranslate2Rewriter)),
)


def _no_rewriter(options: SpeedOptions, name: str) -> RewriteTurns:
    raise ModelError(f"{name} is a service")


SYSTEMS = REWRITERS | Systems("speed", System(UNBATCHED, "our service, one turn a batch", "ours", _no_rewriter)) | TRUNKS


def evaluate(options: SpeedOptions) -> Sheet:
    """Take all times.

    Raises:
        DataError: the data cannot be read. ModelError: a system that was asked for by name cannot be loaded.
        InputError: a task is unknown.
    """
    if unknown := set(options.tasks) - set(TASKS):
        raise InputError("task of benchmark speed", min(unknown), ", ".join(TASKS))
    found = held_out(options, DEFAULT_TURNS)
    sheet = Sheet("speed", found.groups, options.seed, found.unscored)
    given = dialogues(found.rows, "indirect")
    for task in options.tasks or TASKS:
        TASKS[task](sheet, options, SYSTEMS.asked(options), given)
    return sheet


def _rewriting(sheet: Sheet, options: SpeedOptions, asked: Sequence[str], given: Sequence[Dialogue]) -> None:
    systems, reasons = REWRITERS.build(options, options)
    for name, reason in reasons.items():
        for task in ("rewrite", "rewrite-batched"):
            sheet.add_unscored(task, name, METRICS, reason)
    _time_rewriting(sheet, systems, given, options.rounds)


def _time_rewriting(sheet: Sheet, systems: Mapping[str, RewriteTurns], given: Sequence[Dialogue], rounds: int) -> None:
    said: dict[str, dict[Dialogue, str]] = {name: {} for name in systems}
    alone = interleaved({name: _kept(call, said[name]) for name, call in systems.items()}, given, rounds, "rewrite")
    for name, times in alone.items():
        add_times(sheet, "rewrite", name, times)
    batches = [given[start : start + BATCH] for start in range(0, len(given), BATCH)]
    together = interleaved(systems, batches, rounds, "rewrite-batched")
    for name, times in together.items():
        add_times(sheet, "rewrite-batched", name, times, [len(batch) for batch in batches])
    if len(systems) > 1:
        sheet.tables += [_ratios(alone), _agreement(said)]


def _kept(call: RewriteTurns, said: dict[Dialogue, str]) -> Callable[[Dialogue], None]:
    def run(dialogue: Dialogue) -> None:
        said[dialogue] = call([dialogue])[0]

    return run


def _ratios(times: Mapping[str, Array]) -> Table:
    """The p50 of each system (rows) as a multiple of that of each other (columns)."""
    middle = {name: float(np.median(np.median(taken, axis=0))) for name, taken in times.items()}
    rows: list[tuple[Cell, ...]] = [(name, *(round(mine / other, 3) for other in middle.values())) for name, mine in middle.items()]
    return Table("rewrite: p50 divided by the p50 of", ("system", *middle), tuple(rows))


def _agreement(said: Mapping[str, Mapping[Dialogue, str]]) -> Table:
    """In how many turns, in %, two systems say the same but for case and spacing."""
    words = {name: [_letters(text) for text in texts.values()] for name, texts in said.items()}
    rows: list[tuple[Cell, ...]] = [
        (name, *(round(100 * sum(map(str.__eq__, mine, other)) / len(mine), 1) for other in words.values()))
        for name, mine in words.items()
    ]
    return Table("rewrite: same words, in % of turns, as", ("system", *words), tuple(rows))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _directness(sheet: Sheet, options: SpeedOptions, asked: Sequence[str], given: Sequence[Dialogue]) -> None:
    scorers = load_precisions(sheet, "directness", options, asked, _load_scorer)
    calls = {name: _single(scorer.predict) for name, scorer in scorers.items()}
    for name, times in interleaved(calls, given, options.rounds, "directness").items():
        add_times(sheet, "directness", name, times)
        sheet.add_model(scorers[name])


def _load_scorer(options: SpeedOptions, system: str) -> Model[Directness]:
    return load_directness_scorer(options.directness, runtime=Runtime("cpu", options.threads, PRECISIONS[system], workers=1))


def _single(predict: Callable[[Sequence[Dialogue]], object]) -> Callable[[Dialogue], object]:
    return lambda dialogue: predict([dialogue])


def _service(sheet: Sheet, options: SpeedOptions, asked: Sequence[str], given: Sequence[Dialogue]) -> None:
    name = "grice-int8"
    rewriters, _ = attempt({name: partial(_ours, "int8", options, name)} if name in asked else {}, options)
    add_service(sheet, options, asked, given, rewriters.get(name))


TASKS: Mapping[str, Callable[[Sheet, SpeedOptions, Sequence[str], Sequence[Dialogue]], None]] = {
    "rewrite": _rewriting,
    "directness": _directness,
    "behaviors": add_behaviors,
    "readers": add_readers,
    "meaning": add_meanings,
    "rest": _service,
    "worker": add_worker,
    "trunk": add_trunk,
}

BENCHMARK = Benchmark("speed", SpeedOptions, SYSTEMS, FILES, evaluate)
