"""ConTurE (Ghazarian et al. 2022): people's dialogues with task and chat bots, each of the bot's turns rated 0, 1 or 2.

File: `data.json`, a list of {dialog_id, turns: [{user: "User: …", chatbot: "Chatbot: …", overall impression: 0 | 1 | 2}]}. A turn
without words is read as silence.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.data.files import existing, in_format, read_json
from grice.models.data.silence import is_silent, turn_or_silence
from grice.models.dialogue import Turn

FOLDER = "conture"
FILE = "data.json"


@dataclass(frozen=True)
class RatedTurn:
    """A bot's turn after `turns`, the last of which is the user's, and its rating: 0 bad, 1 so-so, 2 good."""

    dialogue_id: str
    turns: tuple[Turn, ...]
    response: Turn
    rating: int

    @property
    def silent(self) -> bool:
        """The bot said nothing."""
        return is_silent(self.response)


def read(data_dir: Path) -> list[RatedTurn]:
    """The bot's turns of all dialogues, in file order.

    Raises:
        DataNotFound, DataCorrupt: the file is not there, or damaged.
    """
    path = existing(data_dir / FOLDER, FILE)
    with in_format("ConTurE", path):
        return [rated for dialogue in read_json(path) for rated in _rated(dialogue)]


def _rated(dialogue: dict[str, Any]) -> list[RatedTurn]:
    said: list[Turn] = []
    found = []
    for entry in dialogue["turns"]:
        said.append(turn_or_silence("user", entry["user"].removeprefix("User:").strip()))
        response = turn_or_silence("bot", entry["chatbot"].removeprefix("Chatbot:").strip())
        found.append(RatedTurn(str(dialogue["dialog_id"]), tuple(said), response, int(entry["overall impression"])))
        said.append(response)
    return found
