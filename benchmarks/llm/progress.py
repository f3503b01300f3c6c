"""How far a run is, what it has cost, and whether it is worth going on."""

from __future__ import annotations

from types import TracebackType

from tqdm import tqdm

from grice.benchmarks.llm.sample import Sample
from grice.models.errors import JudgeError

HOPELESS = 40
"""So many questions in a row without an answer: the server is down, or refuses all of them."""


class SpendingBar:
    """A bar on a terminal (and nothing elsewhere) with dollars so far, and how many samples have no prediction."""

    def __init__(self, label: str, total: int) -> None:
        self._bar = tqdm(total=total, desc=label, unit="question", disable=None)
        self._cost = 0.0
        self._counts = {"unparsable": 0, "unanswered": 0}
        self._in_a_row = 0

    def __enter__(self) -> SpendingBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._bar.close()

    @property
    def text(self) -> str:
        """What stands beside the bar."""
        counts = (f"{count} {status}" for status, count in self._counts.items() if count)
        return ", ".join([f"${self._cost:.4f}", *counts])

    def say(self, text: str) -> None:
        """Show what is being waited for."""
        self._bar.set_postfix_str(text)

    def count(self, sample: Sample) -> None:
        """One sample more.

        Raises:
            JudgeError: `HOPELESS` questions in a row, or all that there are, had no answer.
        """
        self._cost += sample.paid
        if sample.status in self._counts:
            self._counts[sample.status] += 1
        self._in_a_row = self._in_a_row + 1 if sample.status == "unanswered" else 0
        self._bar.update()
        self.say(self.text)
        if self._in_a_row == min(HOPELESS, self._bar.total):
            raise JudgeError(
                f"{self._in_a_row} questions in a row were not answered, the last one because {sample.error}; what was answered "
                "before is remembered with --llm-cache or --llm-out"
            )
