"""How a model runs: where, in how many threads, from which of its files."""

from __future__ import annotations

from dataclasses import dataclass

from grice.models.errors import InputError

PRECISIONS = ("int8", "fp32", "fp16")


@dataclass(frozen=True)
class Runtime:
    """How a model runs; what every model's loader takes.

    Attributes:
        provider: ONNX execution provider: auto, cpu, cuda or a provider's full name.
        threads: intra-op threads of a session, 1 to 64.
        precision: which file of a model: int8, fp32 or fp16.
        workers: parts of a batch that are worked on side by side, 0 to 64; 0: one a CPU.

    Raises:
        InputError: a value is out of range.
    """

    provider: str = "auto"
    threads: int = 1
    precision: str = "int8"
    workers: int = 0

    def __post_init__(self) -> None:
        _check_count("threads", self.threads, 1)
        check_precision(self.precision)
        _check_count("workers", self.workers, 0)


def check_precision(precision: str) -> str:
    """Return `precision` if there is such a one.

    Raises:
        InputError: it is unknown.
    """
    if precision not in PRECISIONS:
        raise InputError("precision", precision, ", ".join(PRECISIONS))
    return precision


def _check_count(name: str, count: int, least: int) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or not least <= count <= 64:
        raise InputError(name, count, f"{least} to 64")
