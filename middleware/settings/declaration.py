"""A setting is declared once, as the field of a frozen dataclass: its name, type and default, its range, and its help.

Its help is what the class's docstring says of it under `Attributes:`. Its environment variable is `GRICE_NAME`, its flag `--name`;
one that is true or false has the flag that turns it round: `--no-name` where it is true by default.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
import re
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints

from grice.models.errors import SettingsError

PREFIX = "GRICE_"
OTHER_VARIABLES = ("GRICE_DATA_DIR", "GRICE_SERVER_PYTHON")
"""Variables that are no settings of a class: the folder of the data sets, and the interpreter that tests start servers with."""
DECLARED = (
    "grice.middleware.settings:PipelineSettings",
    "grice.middleware.settings:ServiceSettings",
    "grice.middleware.settings:ConnectionSettings",
    "grice.middleware.monitor:MonitorSettings",
    "grice.middleware.stream:WorkerSettings",
    "grice.middleware.alerts:AlertSettings",
    "grice.middleware.gateways.proxy.settings:ProxySettings",
    "grice.middleware.capabilities:capability_settings",
    "grice.middleware.client.settings:WatchSettings",
)
"""Every class whose settings are read from the environment, or what makes it."""

_TRUTH = {"true": True, "false": False, "1": True, "0": False}
_KINDS = {int: "an integer", float: "a number"}


class SettingsClass(Protocol):
    """Any dataclass of settings."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


Settings = TypeVar("Settings", bound=SettingsClass)


@dataclass(frozen=True)
class Declaration:
    """One setting, as its class declares it.

    Attributes:
        kind: its type.
        low, high: its range, where it is a number that has one.
        secret: its value is not shown.
        flag: whether it may be given on the command line; keys and tokens may not, other users could read them there.
        repeats: whether the flag may be given several times; the values are one text then, with spaces between them.
    """

    name: str
    kind: Any
    default: Any
    help: str
    low: float | None
    high: float | None
    secret: bool
    flag: bool
    repeats: bool = False

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return PREFIX + self.name.upper()

    @property
    def required(self) -> Any:
        """Its type, without None."""
        return next((each for each in get_args(self.kind) if each is not type(None)), self.kind) if self.optional else self.kind

    @property
    def optional(self) -> bool:
        """Whether it may be None."""
        return type(None) in get_args(self.kind)


def setting(default: Any, low: float | None = None, high: float | None = None, *, flag: bool = True, help: str = "") -> Any:
    """A field of a settings class.

    Args:
        low, high: the range of a number.
        flag: whether it has one.
        help: in place of what the class's docstring says.
    """
    return field(default=default, metadata={"low": low, "high": high, "flag": flag, "help": help})


def secret(default: Any, *, flag: bool = True, repeats: bool = False) -> Any:
    """A field of a settings class that is not shown with the others.

    Args:
        flag, repeats: whether it has one, and whether that may be given several times.
    """
    return field(default=default, repr=False, metadata={"flag": flag, "repeats": repeats})


def declarations(kind: type[Any]) -> Iterator[Declaration]:
    """The settings of a class, in order."""
    hints, told = get_type_hints(kind), attributes(kind)
    for each in fields(kind):
        more = each.metadata
        text = more.get("help") or told.get(each.name, "")
        default = None if each.default is MISSING else each.default
        limits = (more.get("low"), more.get("high"))
        flag = (more.get("flag", True), more.get("repeats", False))
        yield Declaration(each.name, hints[each.name], default, text, *limits, not each.repr, *flag)


def attributes(kind: type[Any]) -> dict[str, str]:
    """What the docstrings of a class, and of those it inherits from, say of each attribute, in one line each."""
    return {name: text for each in reversed(kind.__mro__) for name, text in _own_attributes(each).items()}


def _own_attributes(kind: type[Any]) -> dict[str, str]:
    _, _, section = inspect.cleandoc(kind.__doc__ or "").partition("\nAttributes:\n")
    entries = re.findall(r"^    (\w[\w, ]*): (.*(?:\n {8}.*)*)", section.partition("\n\n")[0], re.MULTILINE)
    return {name: " ".join(text.split()) for names, text in entries for name in names.split(", ")}


def check_settings(settings: object) -> None:
    """Refuse settings (a dataclass) with a value that is not of its type, none of its choices, or out of its range.

    Raises:
        SettingsError: there is one.
    """
    for each in declarations(type(settings)):
        value, kind = getattr(settings, each.name), each.required
        if value is None and each.optional:
            continue
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        if choices and value not in choices:
            raise SettingsError(each.name, value, ", ".join(map(str, choices)))
        if kind is str and not isinstance(value, str):
            raise SettingsError(each.name, "a value that is not shown" if each.secret else value, "a string")
        if kind is bool and not isinstance(value, bool):
            raise SettingsError(each.name, value, "true, false")
        if each.low is not None and each.high is not None:
            check_within(each.name, value, each.low, each.high)


def check_within(name: str, value: object, low: float, high: float) -> None:
    """Refuse a setting that is not a number from `low` to `high`.

    Raises:
        SettingsError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise SettingsError(name, value, f"{low} to {high}")


def from_environment(kind: type[Settings], environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """Settings of `kind` from `GRICE_…` variables (`GRICE_DIRECT_FROM=0.6`), overridden by the `given` values that are not None.

    Raises:
        SettingsError: a variable is none of Grice's, or a value cannot be read or is out of range.
    """
    source = os.environ if environment is None else environment
    check_variables(source)
    read = {each.name: _parse(each, source[each.variable]) for each in declarations(kind) if each.variable in source}
    return kind(**{**read, **{name: value for name, value in given.items() if value is not None}})


def check_variables(environment: Mapping[str, str]) -> None:
    """Refuse a variable that begins like ours and is none: it is a slip, and would have no effect.

    Raises:
        SettingsError: there is one.
    """
    given = [name for name in environment if name.startswith(PREFIX)]
    known = known_variables() if given else ()
    for name in given:
        if name not in known:
            (nearest,) = difflib.get_close_matches(name, known, 1, 0.0)
            raise SettingsError(name, "a value that is not shown", f"there is no such setting; the nearest is {nearest}")


def known_variables() -> list[str]:
    """All environment variables that mean something to Grice."""
    return [*OTHER_VARIABLES, *(each.variable for kind in settings_classes() for each in declarations(kind))]


def settings_classes() -> Iterator[type[Any]]:
    """Every class whose settings are read from the environment."""
    for path in DECLARED:
        module, _, name = path.partition(":")
        found = getattr(importlib.import_module(module), name)
        yield found if isinstance(found, type) else found()


def _parse(declared: Declaration, text: str) -> Any:
    kind = declared.required
    if declared.optional and not text.strip():
        return None
    if kind == tuple[str, ...]:
        return _several(declared, text)
    if kind is bool:
        if text not in _TRUTH:
            raise SettingsError(declared.variable, text, ", ".join(_TRUTH))
        return _TRUTH[text]
    if kind not in _KINDS:
        return text
    try:
        return kind(text)
    except ValueError:
        raise SettingsError(declared.variable, text, _KINDS[kind]) from None


def _several(declared: Declaration, text: str) -> tuple[str, ...]:
    found = _listed(text)
    if text and not found:  # it was meant to say something, and would be taken for nothing
        raise SettingsError(declared.variable, "commas and spaces only", "values separated by commas, or an empty variable")
    return found


def add_options(
    parser: ArgumentParser, *kinds: type[Any], names: Sequence[str] | None = None, flags: Mapping[str, str] | None = None
) -> None:
    """Give the parser a flag for each setting of these classes; one that several classes have gets one.

    What is not given on the command line comes from the environment or the default, see `from_options`.

    Args:
        names: only these settings.
        flags: of settings whose flag is another than `--name`.
    """
    done: set[str] = set()
    for each in (each for kind in kinds for each in declarations(kind)):
        if each.flag and each.name not in done and (names is None or each.name in names):
            _add_option(parser, each, (flags or {}).get(each.name, "--" + each.name.replace("_", "-")))
            done.add(each.name)


def _add_option(parser: ArgumentParser, declared: Declaration, flag: str) -> None:
    kind, text = declared.required, declared.help.replace("%", "%%").rstrip(".")
    if kind is bool:
        flag = flag.replace("--", "--no-", 1) if declared.default else flag
        state = "on" if declared.default else "off"
        text = f"{text} (default: {state})"
        parser.add_argument(flag, dest=declared.name, action="store_const", const=not declared.default, help=text)
        return
    shown = str(declared.default).replace("%", "%%") if declared.default not in (None, "", ()) else "none"
    choices = get_args(kind) if get_origin(kind) is Literal else None
    parser.add_argument(
        flag,
        dest=declared.name,
        action=_Repeated if declared.repeats else "store",
        type=kind if kind in _KINDS else (_listed if kind == tuple[str, ...] else str),
        choices=choices,
        metavar=None if choices else flag.rpartition("-")[2].upper(),
        help=f"{text} (default: {shown})",
    )


class _Repeated(Action):
    """Puts the values of a flag that is given several times behind one another."""

    def __call__(self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: str | None = None) -> None:
        before = getattr(namespace, self.dest, None)
        setattr(namespace, self.dest, values if before is None else f"{before} {values}")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def from_options(kind: type[Settings], args: Namespace, names: Sequence[str] | None = None) -> Settings:
    """Settings of `kind`: flags before environment before defaults.

    Args:
        names: the settings that have a flag, where the command has others of the same name.

    Raises:
        SettingsError: as in `from_environment`.
    """
    return from_environment(kind, **given_options(kind, args, names))


def given_options(kind: type[Any], args: Namespace, names: Sequence[str] | None = None) -> dict[str, Any]:
    """The settings of `kind` (or of them those named) that were given on the command line."""
    found = {each.name: getattr(args, each.name, None) for each in declarations(kind) if names is None or each.name in names}
    return {name: value for name, value in found.items() if value is not None}
