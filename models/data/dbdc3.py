"""Dialogue Breakdown Detection Challenge 3, English part (Higashinaka et al. 2017): chats with bots, judged turn by turn.

File: `dbdc3_revised_en.zip` with one `…/en/{dev,eval}/{source}/{dialogue-id}.log.json` a dialogue: {dialogue-id, turns: [{speaker:
U | S, turn-index, utterance, annotations: [{breakdown: O | T | X, …}]}]}. Thirty annotators judged each of the bot's turns but one
that opens the dialogue: O, the user can go on; T, perhaps not; X, not. The texts are as people and bots wrote them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from grice.models.data.files import existing, in_format, read_json_members
from grice.models.data.silence import is_silent, turn_or_silence
from grice.models.dialogue import Speaker, Turn
from grice.models.errors import DataCorrupt

FOLDER = "dbdc3"
FILE = "dbdc3_revised_en.zip"

DbdcPart = Literal["dev", "eval"]
"""The organisers' development and evaluation data."""

_PARTS: dict[str, DbdcPart] = {part: part for part in get_args(DbdcPart)}
_SPEAKERS: dict[str, Speaker] = {"U": "user", "S": "bot"}
_LABELS = ("O", "T", "X")


@dataclass(frozen=True)
class Votes:
    """How many annotators found a bot's turn fine (O), possibly a breakdown (T), and a breakdown (X)."""

    fine: int
    possible: int
    breakdown: int

    @property
    def annotators(self) -> int:
        """How many judged the turn."""
        return self.fine + self.possible + self.breakdown


@dataclass(frozen=True)
class JudgedTurn:
    """A turn and the votes on it; None for users' turns and for a bot's that opens the dialogue."""

    turn: Turn
    votes: Votes | None

    @property
    def text(self) -> str:
        """What was said, with single spaces; `SILENCE` where the file has no text."""
        return self.turn.text

    @property
    def silent(self) -> bool:
        """The file has no text for this turn: the bot said nothing, which annotators judged too."""
        return is_silent(self.turn)


@dataclass(frozen=True)
class JudgedDialogue:
    """A dialogue of a user and a bot, whoever of them began.

    Attributes:
        dialogue_id: as in the file, and unique in all of them.
        part: "dev" or "eval".
        source: the bot's name and a number, as the folder is called: CIC_115, IRIS_50, TKTK_100, YI_50 and so on. CIC is many bots.
    """

    dialogue_id: str
    part: DbdcPart
    source: str
    turns: tuple[JudgedTurn, ...]


def read(data_dir: Path) -> list[JudgedDialogue]:
    """The dialogues in `dbdc3/`, by the names of their files: first "dev", then "eval".

    Raises:
        DataNotFound: the archive is missing.
        DataCorrupt: it is damaged, has no dialogue, or a turn in it is not usable; says which.
    """
    path = existing(data_dir / FOLDER, FILE)
    found = sorted(read_json_members(path, ".log.json"), key=lambda member: member[0])
    if not found:
        raise DataCorrupt(f"{path}: not in the format of DBDC3 (no file *.log.json in it); fetch it again")
    return [_dialogue(name, content, path) for name, content in found]


def _dialogue(name: str, content: dict[str, Any], path: Path) -> JudgedDialogue:
    with in_format("DBDC3", f"{path} ({name})"):
        *_, part, source, _ = name.split("/")
        key, entries = content["dialogue-id"], content["turns"]
        if not entries:
            raise ValueError("no turns")
        known_part = _PARTS[part]
    turns = []
    for place, entry in enumerate(entries):
        with in_format("DBDC3", f"{path} ({name}), turn {place}"):
            turns.append(_turn(entry, place))
    return JudgedDialogue(key, known_part, source, tuple(turns))


def _turn(entry: dict[str, Any], place: int) -> JudgedTurn:
    if entry["turn-index"] != place:
        raise ValueError(f"turn-index is {entry['turn-index']!r}, not {place}")
    counts = Counter(annotation["breakdown"] for annotation in entry["annotations"])
    if unknown := [label for label in counts if label not in _LABELS]:
        raise ValueError(f"a label is {unknown[0]!r}, not O, T or X")
    votes = Votes(*(counts[label] for label in _LABELS)) if counts else None
    return JudgedTurn(turn_or_silence(_SPEAKERS[entry["speaker"]], " ".join(entry["utterance"].split())), votes)
