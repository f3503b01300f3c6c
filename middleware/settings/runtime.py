"""How models run, for every class of settings that loads some."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from grice.middleware.settings.declaration import check_settings, setting
from grice.models.runtime.runtime import Runtime


@dataclass(frozen=True)
class RuntimeSettings:
    """How models run.

    Attributes:
        provider: ONNX execution provider: auto, cpu, cuda or a provider's full name.
        threads: intra-op threads of a session, 1 to 64.
        workers: parts of a batch that are worked on side by side, 0 to 64; 0: one a CPU. A single turn takes one, and
            an indirect one two for a while.
        precision: which file of a model: int8, fp32 or fp16.

    Raises:
        SettingsError: a value is out of range.
    """

    provider: str = "auto"
    threads: int = setting(1, 1, 64)
    workers: int = setting(0, 0, 64)
    precision: Literal["int8", "fp32", "fp16"] = "int8"

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def runtime(self) -> Runtime:
        """What loaders of models take."""
        return Runtime(self.provider, self.threads, self.precision, self.workers)


RUNTIME = tuple(each.name for each in fields(RuntimeSettings))
"""The settings that say how models run."""
