"""The worker's part of `grice bench speed`: responses that one `grice monitor` process scores in a second, Redis beside it.

Each round adds dialogues of forty turns to the stream at once, side by side (ten by default, one for every twenty turns that the
benchmark is given), so that a response has twenty turns of history on average; it ends with the last result in the stream of
results. Redis writes every change to its disk before it answers (AOF, `appendfsync always`). As in production a batch is worked on
in parts side by side, one a CPU; sessions have `--threads` threads.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np

from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.servers import START, foreign_environment
from grice.benchmarks.speed.timing import rate
from grice.benchmarks.worker.local_redis import LocalRedis
from grice.middleware.events.event import DialogueEvent
from grice.middleware.events.redis_stream import RedisStreamPublisher
from grice.middleware.settings import PREFIX
from grice.models.dialogue import Dialogue, Speaker
from grice.models.errors import ModelError

TASK, SYSTEM, METRIC = "worker", "grice-int8", "per_second"
TURNS = 40
STREAM, RESULTS = "grice:events", "grice:results"
LONGEST_S = 300.0
"""How long the first result, and each round, may take."""
MONITOR = (sys.executable, "-c", START, "monitor")


class WorkerProcess:
    """A worker in its own process, while its context is entered.

    Raises:
        ModelError: in `wait_for`, when it has ended or takes too long; says its last line.
    """

    def __init__(self, redis: LocalRedis, settings: Mapping[str, str], command: Sequence[str] = MONITOR) -> None:
        self._environment = {**foreign_environment(), f"{PREFIX}REDIS_URL": redis.url, **settings}
        self._command = command
        self._client = redis.client()

    def __enter__(self) -> WorkerProcess:
        self._output = tempfile.NamedTemporaryFile(prefix="grice-worker-", suffix=".log")
        self._process = subprocess.Popen(self._command, env=self._environment, stdout=self._output, stderr=subprocess.STDOUT)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        self._output.close()
        self._client.close()

    def wait_for(self, results: int) -> None:
        """Return once there are that many results."""
        end = time.monotonic() + LONGEST_S
        while self._client.xlen(RESULTS) < results:
            if self._process.poll() is not None or time.monotonic() > end:
                said = Path(self._output.name).read_text(encoding="utf-8", errors="replace").strip()
                raise ModelError(f"the worker ended or did not get on: {(said.splitlines() or ['it said nothing'])[-1]}")
            time.sleep(0.002)


def add_worker(
    sheet: Sheet, options: SpeedOptions, asked: Sequence[str], given: Sequence[Dialogue], command: Sequence[str] = MONITOR
) -> None:
    """Measure, if the system is asked for; `given` says what the turns are taken from."""
    if SYSTEM not in asked:
        return
    try:
        responses, seconds = measured(options, given, command)
    except ModelError as error:
        sheet.add_unscored(TASK, SYSTEM, (METRIC,), str(error))
        return
    places = [str(number) for number in range(options.rounds)]
    sheet.add(TASK, SYSTEM, METRIC, rate([responses] * options.rounds, np.array(seconds)), ScoredRows(places))


def measured(options: SpeedOptions, given: Sequence[Dialogue], command: Sequence[str] = MONITOR) -> tuple[int, list[float]]:
    """Responses in a round, and the seconds of each round.

    Raises:
        ModelError: redis-server or the model cannot be had, or the worker ended.
    """
    settings = {"BEHAVIORS_MODEL": options.behaviors, "PROVIDER": "cpu", "THREADS": str(options.threads)}
    environment = {f"{PREFIX}{name}": value for name, value in settings.items()}
    texts = [turn.text for dialogue in given for turn in dialogue.turns]
    dialogues = max(1, len(given) // 20)
    responses = dialogues * TURNS // 2
    with tempfile.TemporaryDirectory(prefix="grice-redis-") as folder, LocalRedis(Path(folder)) as redis:
        publisher = RedisStreamPublisher(redis.url, STREAM)
        with WorkerProcess(redis, environment, command) as worker:
            taken = []
            for number in range(options.rounds + 1):  # the first is the warm-up
                begun = time.perf_counter()
                publisher.publish(list(conversations(texts, dialogues, number)))
                worker.wait_for((number + 1) * responses)
                taken.append(time.perf_counter() - begun)
        publisher.close()
    return responses, taken[1:]


def conversations(texts: Sequence[str], dialogues: int, number: int) -> Iterator[DialogueEvent]:
    """The events of one round; no turn is like one of another dialogue or round."""
    now = time.time()
    for turn in range(TURNS):
        for place in range(dialogues):
            name = f"{number}.{place}"
            speaker: Speaker = "bot" if turn % 2 else "user"
            text = texts[(place * TURNS + turn) % len(texts)]
            yield DialogueEvent(f"{name}.{turn}", name, speaker, f"{text} {name}", now)
