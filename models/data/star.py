"""STAR (Mosig et al. 2020): users talk with wizards who follow the flows of 24 tasks, or have to leave them.

File: `star/star.zip` with `dialogues/N.json`: {DialogueID, Events: [{Agent, Action, Text, Item}]}. Wizards say a reply that was
suggested (`pick_suggestion`) or their own (`utter`); the knowledge base gives one row at a time (`return_item`).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grice.models.data.files import existing, in_format
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt

FOLDER = "star"
_ARCHIVE = "star.zip"
_SAID = {("User", "utter"): "user", ("Wizard", "utter"): "bot", ("Wizard", "pick_suggestion"): "bot"}


@dataclass(frozen=True)
class StarTurn:
    """What was said, and the row that the knowledge base gave last before it; empty where it gave none."""

    turn: Turn
    row: dict[str, str]


def read(data_dir: Path, step: int = 1) -> Iterator[list[StarTurn]]:
    """The turns of every `step`-th dialogue, by file number.

    Raises:
        DataNotFound, DataCorrupt: the archive is not there or not readable.
    """
    path = existing(data_dir / FOLDER, _ARCHIVE)
    try:
        with zipfile.ZipFile(path) as archive:
            members = [name for name in archive.namelist() if name.startswith("dialogues/") and name.endswith(".json")]
            for name in sorted(members, key=lambda member: int(Path(member).stem))[::step]:
                with in_format("STAR", f"{path} ({name})"):
                    yield _turns(json.loads(archive.read(name)))
    except zipfile.BadZipFile as error:
        raise DataCorrupt(f"{path}: {error}; fetch it again") from error


def _turns(dialogue: dict[str, list[dict[str, object]]]) -> list[StarTurn]:
    found: list[StarTurn] = []
    row: dict[str, str] = {}
    for event in dialogue["Events"]:
        if event.get("Action") == "return_item":
            item = event.get("Item")
            row = {name: str(value) for name, value in item.items()} if isinstance(item, dict) else {}
        speaker = _SAID.get((str(event.get("Agent")), str(event.get("Action"))))
        text = str(event.get("Text") or "").strip()
        if speaker and text:
            found.append(StarTurn(Turn("user" if speaker == "user" else "bot", text), row))
    return found
