"""A real worker process with a model that costs a fixed time and tells what history it was shown.

python -m grice.benchmarks.worker.stand_in_worker COST_MS     # settings from GRICE_…
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from grice.middleware.alerts.settings import AlertSettings
from grice.middleware.monitor import Monitor
from grice.middleware.service.json_log import log_json_lines
from grice.middleware.settings import from_environment
from grice.middleware.stream import WorkerSettings
from grice.middleware.stream.process import run_worker
from grice.models.dialogue import Dialogue
from grice.models.results import Behaviors


class StandIn:
    """Every response is empathic and redundant; the probability of `Ign` tells the length of its history, in thousandths."""

    def __init__(self, cost_ms: float) -> None:
        self._cost_s = cost_ms / 1000

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        time.sleep(self._cost_s * len(dialogues))
        return [_found(dialogue) for dialogue in dialogues]


def _found(dialogue: Dialogue) -> Behaviors:
    before = len(dialogue.history)
    return Behaviors({"Emp": 1.0, "Red": 1.0, "Ign": before / 1000}, {"Red": before - 1} if before else {})


def main() -> None:
    """Work until told to stop."""
    log_json_lines()
    monitor = Monitor(StandIn(float(sys.argv[1])), {"Emp": 0.5, "Red": 0.5})
    run_worker(monitor, from_environment(WorkerSettings), AlertSettings())


if __name__ == "__main__":
    main()
