"""All samples of one task and one model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.llm.sample import Exchange, Sample, Status

HEADER = (
    *("questions", "requests", "remembered requests", "prompt tokens", "completion tokens"),
    *("US dollars", "US dollars paid in this run", "unparsable", "unanswered"),
)
UNKNOWN = "–"


@dataclass(frozen=True)
class LlmRun:
    """What a language model said to the questions of one task.

    Attributes:
        samples: in the order of the questions.
        settings: all that has to be known to ask the same again, as JSON values; goes into `Sheet.settings`.
    """

    samples: tuple[Sample, ...]
    settings: dict[str, Any]

    def count(self, status: Status) -> int:
        """How many samples have that status."""
        return sum(sample.status == status for sample in self.samples)

    def usage(self, system: str) -> Table:
        """One row: requests, tokens and dollars, where servers count and prices are known, and what has no prediction."""
        exchanges = [exchange for sample in self.samples for exchange in sample.exchanges]
        paid = [exchange for exchange in exchanges if not exchange.remembered]
        row: tuple[Cell, ...] = (
            len(self.samples),
            len(exchanges),
            len(exchanges) - len(paid),
            _sum(exchanges, lambda exchange: exchange.prompt_tokens),
            _sum(exchanges, lambda exchange: exchange.completion_tokens),
            _sum(exchanges, lambda exchange: exchange.cost),
            _sum(paid, lambda exchange: exchange.cost),
            self.count("unparsable"),
            self.count("unanswered"),
        )
        return Table(f"Usage of {system}: {self.settings['task']}", HEADER, (row,))


def _sum(exchanges: list[Exchange], amount: Callable[[Exchange], float | None]) -> Cell:
    """The sum over all exchanges; `UNKNOWN` where one has none, because a part of a sum would pass for all of it."""
    amounts = [amount(exchange) for exchange in exchanges]
    known = [each for each in amounts if each is not None]
    return round(sum(known), 6) if len(known) == len(amounts) else UNKNOWN
