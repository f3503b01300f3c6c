"""What is measured: systems by name, each with what it is and how it is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from grice.benchmarks.core.options import Options
from grice.models.errors import DataError, InputError, ModelError

Given = TypeVar("Given")
Found = TypeVar("Found")

Kind = Literal["ours", "floor", "replay", "rival", "llm"]
"""Our own, a constant or a rule, published outputs, another software's model, a language model behind a server."""


@dataclass(frozen=True)
class System(Generic[Given, Found]):
    """One system.

    Attributes:
        name: a name such as `openai:MODEL` stands for every name with that beginning: a family.
        about: what it is, in a few words.
        kind: says where its figures come from.
        build: what it finds, from what the benchmark gives it and the name that was asked for.
    """

    name: str
    about: str
    kind: Kind
    build: Callable[[Given, str], Found]

    @property
    def family(self) -> str:
        """What the names of a family begin with, up to the colon; empty for a system of its own."""
        return self.name.partition(":")[0] if ":" in self.name else ""

    def has(self, name: str) -> bool:
        """Whether it is called so, or has that name in its family."""
        beginning, _, member = name.partition(":")
        return bool(member) and beginning == self.family if self.family else name == self.name


def llm(family: str, about: str, build: Callable[[Given, str], Found]) -> System[Given, Found]:
    """Every model of an OpenAI-compatible server, asked in one way; `build` is given the model's name there."""
    return System(f"{family}:MODEL", about, "llm", lambda given, name: build(given, name.partition(":")[2]))


class Systems(Generic[Given, Found]):
    """The systems of a benchmark, or of one of its tasks, in the order of its tables."""

    def __init__(self, benchmark: str, *systems: System[Given, Found]) -> None:
        self._benchmark = benchmark
        self._systems = systems

    def __iter__(self) -> Iterator[System[Given, Found]]:
        return iter(self._systems)

    def __or__(self, other: Systems[Any, Any]) -> Systems[Any, Any]:
        """The systems of two tasks; of those with one name the first."""
        return Systems(self._benchmark, *self._systems, *(each for each in other if each.name not in self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """All names, families among them."""
        return tuple(each.name for each in self._systems)

    @property
    def defaults(self) -> tuple[str, ...]:
        """What is run when nothing is asked for: all but language models."""
        return tuple(each.name for each in self._systems if not each.family)

    def has(self, name: str) -> bool:
        """Whether there is a system of that name."""
        return any(each.has(name) for each in self._systems)

    def kind(self, name: str) -> Kind:
        """Of the system of that name; ours is also what a benchmark measures beside its systems."""
        return self.find(name).kind if self.has(name) else "ours"

    def find(self, name: str) -> System[Given, Found]:
        """The system of that name.

        Raises:
            InputError: there is none; says which there are.
        """
        for each in self._systems:
            if each.has(name):
                return each
        raise InputError(f"system of benchmark {self._benchmark}", name, ", ".join(self.names))

    def asked(self, options: Options) -> tuple[str, ...]:
        """The names to run: those that the options name and that are here, or the default ones."""
        return tuple(filter(self.has, options.systems)) or (() if options.systems else self.defaults)

    def build(self, options: Options, given: Given) -> tuple[dict[str, Found], dict[str, str]]:
        """What the systems that were asked for find, by name, and why the others could not be built."""
        return attempt({name: self._builder(name, given) for name in self.asked(options)}, options)

    def _builder(self, name: str, given: Given) -> Callable[[], Found]:
        return lambda: self.find(name).build(given, name)


def attempt(builders: Mapping[str, Callable[[], Found]], options: Options) -> tuple[dict[str, Found], dict[str, str]]:
    """What comes of each builder, by the name of its system, and why the others failed.

    Raises:
        ModelError, DataError: a system that was asked for by name cannot be built.
    """
    ready: dict[str, Found] = {}
    reasons: dict[str, str] = {}
    for name, build in builders.items():
        try:
            ready[name] = build()
        except (ModelError, DataError, ImportError) as error:
            if name in options.systems:
                raise
            reasons[name] = str(error)
    return ready, reasons
