"""Which formats a menu is read from, by name, and how a file is read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.middleware.schemas.content import kind_of, read_content, read_text_content
from grice.middleware.schemas.plain import is_plain, schema_of_plain
from grice.middleware.schemas.rasa.files import is_rasa, read_bot, schema_of_bot
from grice.middleware.schemas.sgd import is_sgd, pick_services, schema_of_sgd
from grice.middleware.schemas.tools import is_tools, schema_of_tools
from grice.models.errors import DataCorrupt, DataNotFound, InputError
from grice.models.schema import BotSchema

AUTO = "auto"


@dataclass(frozen=True)
class SchemaFormat:
    """A format of menus.

    Attributes:
        title: what it is, in words.
        recognise: whether a content is of it.
        schema_of: the menu of a content.
        read: the content of a file; of a folder too, where the format has folders.
        has_folders: whether it has.
        pick: only the services of some names, where the format has services.
    """

    title: str
    recognise: Callable[[object], bool]
    schema_of: Callable[[Any], BotSchema]
    read: Callable[[Path], object] = read_content
    has_folders: bool = False
    pick: Callable[[Any, Collection[str]], object] | None = None


FORMATS = {
    "grice": SchemaFormat("Grice's own: a mapping with intents, slots, services", is_plain, schema_of_plain),
    "rasa": SchemaFormat("a Rasa 3.6 bot: its folder, domain or training data", is_rasa, schema_of_bot, read_bot, has_folders=True),
    "sgd": SchemaFormat("an SGD schema.json: a list of services", is_sgd, schema_of_sgd, pick=pick_services),
    "tools": SchemaFormat("a list of tools, as OpenAI, Anthropic or MCP write them", is_tools, schema_of_tools),
}


def read_schema(path: str | Path, format: str = AUTO, services: Collection[str] = ()) -> BotSchema:
    """The menu in a file or folder.

    Args:
        path: JSON, or YAML (`.yml`, `.yaml`); a folder where it is a Rasa bot.
        format: one of `FORMATS`; `auto`: recognised by the content.
        services: of an SGD schema only these; none: all.

    Raises:
        MissingExtra: it is YAML, and ruamel.yaml is not installed.
        DataNotFound, DataCorrupt: it cannot be read.
        InputError: its format is not recognised, or it is not in the format; says what it saw, and what is allowed.
    """
    file = Path(path)
    if not file.exists():
        raise DataNotFound(f"{file}: no such file or folder")
    if format not in (AUTO, *FORMATS):
        raise InputError("format", format, ", ".join((AUTO, *FORMATS)))
    chosen = FORMATS[_recognise(file) if format == AUTO else format]
    if file.is_dir() and not chosen.has_folders:
        raise InputError(f"{file}", "a folder", f"a file: {chosen.title}")
    content = chosen.read(file)
    if services:
        if chosen.pick is None:
            raise InputError("services", ", ".join(services), "only with an SGD schema")
        content = chosen.pick(content, services)
    return chosen.schema_of(content)


def schema_of_text(text: str, name: str) -> BotSchema:
    """The menu in the content of a file: YAML or JSON, of whichever format.

    Args:
        name: of the text, in messages.

    Raises:
        MissingExtra: it is YAML, and ruamel.yaml is not installed.
        InputError: it cannot be read, its format is not recognised, or it is not in the format; says what it saw.
    """
    try:
        content = read_text_content(text, name)
    except DataCorrupt as error:
        raise InputError(name, text, f"YAML or JSON ({error})") from error
    return FORMATS[_format_of(content, name)].schema_of(content)


def _recognise(file: Path) -> str:
    if file.is_dir():
        return next(name for name, each in FORMATS.items() if each.has_folders)
    return _format_of(read_content(file), f"{file}")


def _format_of(content: object, where: str) -> str:
    found = [name for name, each in FORMATS.items() if each.recognise(content)]
    if len(found) != 1:
        allowed = "; ".join(f"{name}: {each.title}" for name, each in FORMATS.items())
        seen = f"{kind_of(content)}{f' ({chr(32).join(found)})' if found else ''}"
        raise InputError(where, seen, f"{allowed}; or name the format")
    return found[0]
