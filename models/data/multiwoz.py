"""MultiWOZ 2.1 (Eric et al. 2020): dialogues with user and system dialogue acts.

Files: `val.json.zip`, `test.json.zip` (or unzipped): {dialogue id: {goal, log: [{text, dialog_act, span_info, metadata}]}},
users on even turns; texts are tokenised. `annotated_user_utts_18k.txt`: tab-separated sessID, MsgID, Text, DialogAct;
its sessions overlap with the test split.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from grice.models.data.files import existing, read_json
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt

_ACT = re.compile(r"([A-Za-z]+-[A-Za-z]+)\(([^)]*)\)")


@dataclass(frozen=True)
class Act:
    """One dialogue act, such as Hotel-Inform Area=east. `slot` and `value` are "none" where the act has none."""

    act: str
    slot: str
    value: str

    @property
    def label(self) -> str:
        """Domain, act and slot without the value: `hotel-inform-area`."""
        return f"{self.act}-{self.slot}".lower()


@dataclass(frozen=True)
class Utterance:
    """One turn with its dialogue acts (empty where none was annotated)."""

    turn: Turn
    acts: tuple[Act, ...]

    @property
    def labels(self) -> frozenset[str]:
        """The distinct act labels of this turn."""
        return frozenset(act.label for act in self.acts)


def read(folder: Path, split: str) -> dict[str, tuple[Utterance, ...]]:
    """All dialogues of `split` ("val" or "test"), by id without `.json`.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    path = existing(folder, f"{split}.json.zip", f"{split}.json")
    try:
        return {key.removesuffix(".json"): _dialogue(value["log"]) for key, value in read_json(path).items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise DataCorrupt(f"{path}: not in MultiWOZ's format ({error!r})") from error


def _dialogue(log: list[dict[str, object]]) -> tuple[Utterance, ...]:
    return tuple(
        Utterance(Turn("user" if index % 2 == 0 else "bot", str(entry["text"]) or "…"), _acts(entry.get("dialog_act")))
        for index, entry in enumerate(log)
    )


def _acts(annotation: object) -> tuple[Act, ...]:
    if not isinstance(annotation, dict):  # "No Annotation"
        return ()
    return tuple(Act(act, slot, value) for act, pairs in annotation.items() for slot, value in pairs)


def read_user_utterances(folder: Path) -> list[tuple[str, Utterance]]:
    """The rows of `annotated_user_utts_18k.txt` as (session id, utterance), in file order.

    The sessions of MultiWOZ's test split are among them: whoever trains drops those.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    path = existing(folder, "annotated_user_utts_18k.txt")
    rows = []
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), start=1):
            if number == 1 or not row:
                continue
            if len(row) < 4:
                raise DataCorrupt(f"{path}, line {number}: got {len(row)} columns, expected 4")
            if row[2].strip():
                rows.append((row[0].removesuffix(".json"), Utterance(Turn("user", row[2].strip()), _parse_acts(row[3]))))
    return rows


def _parse_acts(text: str) -> tuple[Act, ...]:
    acts = []
    for act, pairs in _ACT.findall(text):
        for pair in pairs.split(";") if pairs else ["none=none"]:
            slot, _, value = pair.partition("=")
            acts.append(Act(act, slot.strip() or "none", value.strip() or "none"))
    return tuple(acts)
