"""What a command line asks of a benchmark. An option is declared once: a field with type, default, range and help."""

from __future__ import annotations

import argparse
import dataclasses
import types
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from grice.models.data.files import DATA_DIR_VARIABLE, data_dir
from grice.models.errors import InputError

Split = Literal["ours", "all"]
Weights = Literal["folds", "shipped"]
Chosen = TypeVar("Chosen", bound="Options")

FLAG = "flag"
MODEL_HELP = "a shipped {}, or the folder of an exported one"


def option(default: Any, about: str, metavar: str = "", within: tuple[float, float] | None = None, flag: str = "") -> Any:
    """A field of `Options`: its default, its line of the help, the allowed numbers, and the flag if it is not the field's name."""
    return field(default=default, metadata={"about": about, "metavar": metavar, "within": within, FLAG: flag})


def model_option(kind: str, default: str) -> Any:
    """An option that names a model of ours."""
    return option(default, MODEL_HELP.format(kind), "NAME|DIR")


@dataclass(frozen=True)
class Options:
    """What every benchmark takes. `data_dir` holds one folder a data set.

    Raises:
        InputError: a value is out of range.
    """

    data_dir: Path
    split: Split = option("ours", "our own test part, or every row of the files")
    systems: tuple[str, ...] = option((), "only these systems (default: all that need no server)", "S", flag="--system")
    limit: int | None = option(None, "only the first N rows (default: all)", "N", (1, 10**9))
    seed: int = option(0, "of the bootstrap, and of a language model's sampling", "N", (0, 2**32 - 1))

    def __post_init__(self) -> None:
        for each, hint in _declared(type(self)):
            value, within, allowed = getattr(self, each.name), each.metadata["within"], typing.get_args(hint)
            if typing.get_origin(hint) is Literal and value not in allowed:
                raise InputError(each.name, value, ", ".join(allowed))
            if within and value is not None and not within[0] <= value <= within[1]:
                raise InputError(each.name, value, f"{within[0]} to {within[1]}")

    @classmethod
    def folder_of(cls, args: argparse.Namespace) -> Path:
        """Where the data sets are.

        Raises:
            DataNotFound: nothing says where.
        """
        return data_dir(args.data_dir)


@dataclass(frozen=True)
class Threaded(Options):
    """Of benchmarks that run our models."""

    threads: int = option(1, "threads of every system", "N", (1, 64))


@dataclass(frozen=True)
class FoldOptions(Threaded):
    """Of benchmarks whose data the shipped weights were trained on."""

    weights: Weights = option(
        "folds", "stored predictions of the cross-validation, or the shipped model, for data that it has not seen"
    )


@dataclass(frozen=True)
class LlmOptions(Options):
    """How the systems `openai:MODEL` are asked."""

    llm_url: str | None = option(None, "base URL of an OpenAI-compatible server; its key is $OPENAI_API_KEY", "URL")
    llm_cache: Path | None = option(None, "remembers answers: an interrupted run goes on (default: none)", "FILE")
    llm_price_in: float | None = option(
        None, "US dollars per million tokens that the model reads (default: not known)", "USD", (0, 10**6)
    )
    llm_price_out: float | None = option(
        None, "US dollars per million tokens that it writes (default: not known)", "USD", (0, 10**6)
    )
    llm_workers: int = option(4, "questions asked side by side", "N", (1, 64))
    llm_rpm: float | None = option(None, "at most N requests a minute (default: without limit)", "N", (1, 10**6))
    llm_timeout_s: float = option(60.0, "seconds for one request", "S", (0.001, 3600))
    llm_temperature: float | None = option(None, "of its answers (default: as the paper; mostly 0)", "T", (0, 2))
    llm_max_tokens: int | None = option(None, "that an answer may have (default: as the paper)", "N", (1, 10**6))
    llm_omit: tuple[str, ...] = option((), "of temperature and seed, what the server refuses (default: nothing)", "NAME")
    llm_batch: bool = option(False, "ask through OpenAI's batch API: slower and cheaper")
    llm_out: Path | None = option(None, "write all samples, for `grice report`; remembers answers too (default: none)", "DIR")


@dataclass(frozen=True)
class WindowedOptions(LlmOptions):
    """Where the context that a language model reads can be cut."""

    llm_window: int | None = option(None, "only the newest K turns of context (default: all)", "K", (1, 1000))


def add_options(parser: argparse.ArgumentParser, options: type[Options], but: type[Options] | None = None) -> None:
    """Declare the flags of `options`, each with its default; `but` those that this class has too."""
    known = {each.name for each in dataclasses.fields(but)} if but else set()
    if not known:
        where = f"folder with one folder a data set (default: ${DATA_DIR_VARIABLE})"
        parser.add_argument("--data-dir", type=Path, metavar="DIR", help=where)
    for each, hint in _declared(options):
        if each.name not in known:
            flag = each.metadata[FLAG] or f"--{each.name.replace('_', '-')}"
            parser.add_argument(flag, **{"dest": each.name, "default": each.default, **_reading(each, hint)})


def _reading(declared: dataclasses.Field[Any], hint: Any) -> dict[str, Any]:
    """How argparse reads an option, and what its help says."""
    about, default = declared.metadata["about"], declared.default
    if hint is bool:
        return {"action": "store_true", "help": about}
    if typing.get_origin(hint) is tuple:
        return {"action": "extend", "nargs": "+", "default": [], "metavar": declared.metadata["metavar"], "help": about}
    is_choice = typing.get_origin(hint) is Literal
    return {
        "type": str if is_choice else hint,
        "metavar": "|".join(typing.get_args(hint)) if is_choice else declared.metadata["metavar"],
        "help": about if default is None else f"{about} (default: {default})",
    }


def read_options(args: argparse.Namespace, options: type[Chosen]) -> Chosen:
    """What a parser with `add_options` read.

    Raises:
        InputError: a value is out of range. DataNotFound: nothing says where the data are.
    """
    return options(options.folder_of(args), **read_values(args, options))


def read_values(args: argparse.Namespace, options: type[Options]) -> dict[str, Any]:
    """The values of those fields of `options` that the parser has, by name."""
    values = {each.name: getattr(args, each.name) for each, _ in _declared(options) if hasattr(args, each.name)}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def described(options: Options) -> dict[str, Any]:
    """Systems and the options of this benchmark alone, as JSON values."""
    common = {each.name for each in dataclasses.fields(Options)} - {"systems"}
    values = {each.name: getattr(options, each.name) for each in dataclasses.fields(options) if each.name not in common}
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


def _declared(options: type[Options]) -> list[tuple[dataclasses.Field[Any], Any]]:
    """The fields that are flags, each with its type; without None for those that may be None."""
    hints = typing.get_type_hints(options)
    return [(each, _without_none(hints[each.name])) for each in dataclasses.fields(options) if each.metadata]


def _without_none(hint: Any) -> Any:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        (hint,) = (each for each in typing.get_args(hint) if each is not type(None))
    return hint
