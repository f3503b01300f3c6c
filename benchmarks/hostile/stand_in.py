"""A real service in a process of its own, with models that cost a fixed time."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from types import TracebackType

from grice.middleware.service.http.server import serve
from grice.middleware.service.json_log import log_json_lines
from grice.middleware.settings import ConnectionSettings, PipelineSettings, ServiceSettings
from grice.middleware.turns.pipeline import Pipeline
from grice.models.dialogue import Dialogue
from grice.models.errors import ModelError
from grice.models.results import Directness, Rewrite

START_S = 60.0
PATH = "/v1/turns"
BODY = json.dumps({"turns": [{"speaker": "user", "text": "Book a table for two."}]}).encode()
"""A request that the stand-ins answer."""


class StandInDirectness:
    """Every turn is direct."""

    def __init__(self, cost_ms: float) -> None:
        self._cost_s = cost_ms / 1000

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Directness]:
        time.sleep(self._cost_s)
        return [Directness(1.0) for _ in dialogues]


class NoRewriter:
    """Is never asked, since every turn is direct."""

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Rewrite]:
        raise AssertionError("every turn is direct: no rewriter is asked")


@dataclass(frozen=True)
class Service:
    """How a service is started.

    Attributes:
        cost_ms: what a batch costs the model.
        log: where its log goes.
    """

    settings: ServiceSettings
    limits: ConnectionSettings
    cost_ms: float
    log: Path


class ServiceProcess:
    """The service, while its context is entered. It is forked: call it while no other thread runs.

    Attributes:
        port: where it listens.
        pid: of its process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    def __enter__(self) -> ServiceProcess:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_run, args=(self._service, theirs))
        self._process.start()
        theirs.close()
        try:
            if not ours.poll(START_S):
                raise EOFError
            self.port = int(ours.recv().rpartition(":")[2])
        except EOFError:
            self._end()
            raise ModelError(f"the service did not start: see {self._service.log}") from None
        self.pid = self._process.pid or 0
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()

    def tell_to_stop(self) -> None:
        """Send SIGTERM."""
        os.kill(self.pid, signal.SIGTERM)

    def wait(self, seconds: float) -> int | None:
        """The status it ended with; None: it has not yet."""
        self._process.join(seconds)
        return self._process.exitcode

    def _end(self) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()


def _run(service: Service, pipe: Pipe) -> None:
    with service.log.open("ab", buffering=0) as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
    log_json_lines()
    directness = StandInDirectness(service.cost_ms)
    turns = Pipeline(directness, NoRewriter(), PipelineSettings())
    serve({"directness": directness, "turns": turns}, service.settings, pipe.send, limits=service.limits)
