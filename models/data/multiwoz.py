"""MultiWOZ 2.1 (Eric et al. 2020): dialogues with user and system dialogue acts.

Files: `{train,val,test}.json.zip` (or unzipped): {dialogue id: {goal, log: [{text, dialog_act, span_info, metadata}]}}, users on
even turns; the texts are tokens joined by spaces, and are read with natural spacing. `annotated_user_utts_18k.txt`:
tab-separated sessID, MsgID, Text, DialogAct; its sessions overlap with the test split.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.data.files import existing, in_format, number_rows, parse_each, read_json
from grice.models.data.silence import is_silent, turn_or_silence
from grice.models.data.spacing import untokenized as untokenized
from grice.models.dialogue import Turn

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
class ValueSpan:
    """Where a slot's value is said: characters [start, end) of the turn's text. `value` is as annotated, not as said."""

    slot: str
    value: str
    start: int
    end: int


@dataclass(frozen=True)
class Utterance:
    """One turn with its dialogue acts and the places of their values (both empty where none was annotated)."""

    turn: Turn
    acts: tuple[Act, ...]
    spans: tuple[ValueSpan, ...] = ()

    @property
    def silent(self) -> bool:
        """The file has no text for this turn."""
        return is_silent(self.turn)

    @property
    def labels(self) -> frozenset[str]:
        """The distinct act labels of this turn."""
        return frozenset(act.label for act in self.acts)


def read(folder: Path, split: str) -> dict[str, tuple[Utterance, ...]]:
    """All dialogues of `split` ("train", "val" or "test"), by id without `.json`.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    path = existing(folder, f"{split}.json.zip", f"{split}.json")
    with in_format("MultiWOZ 2.1", path):
        return {key.removesuffix(".json"): _dialogue(value["log"]) for key, value in read_json(path).items()}


def _dialogue(log: list[dict[str, Any]]) -> tuple[Utterance, ...]:
    return tuple(
        Utterance(
            turn_or_silence("user" if index % 2 == 0 else "bot", untokenized(entry["text"])),
            _acts(entry.get("dialog_act")),
            _spans(entry["text"], entry.get("span_info") or ()),
        )
        for index, entry in enumerate(log)
    )


def _spans(tokenised: str, annotation: Sequence[Sequence[Any]]) -> tuple[ValueSpan, ...]:
    """`annotation` counts tokens; natural spacing moves characters, but only blanks, so its letters are counted off."""
    text, tokens = untokenized(tokenised), tokenised.split()
    letters = [place for place, character in enumerate(text) if not character.isspace()]
    ends = list(itertools.accumulate(len(token) for token in tokens))
    spans = []
    for _, slot, value, first, last in annotation:
        first, last = int(first), int(last)
        if 0 <= first <= last < len(tokens):
            begin = ends[first] - len(tokens[first])
            spans.append(ValueSpan(slot, value, letters[begin], letters[ends[last] - 1] + 1))
    return tuple(spans)


def _acts(annotation: object) -> tuple[Act, ...]:
    if not isinstance(annotation, dict):  # "No Annotation"
        return ()
    return tuple(Act(act, slot, value) for act, pairs in annotation.items() for slot, value in pairs)


def read_user_utterances(folder: Path) -> list[tuple[str, Utterance]]:
    """What users say in `annotated_user_utts_18k.txt`: `read_annotated_utterances` without its system turns.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    return [(session, said) for session, said in read_annotated_utterances(folder) if said.turn.speaker == "user"]


def read_annotated_utterances(folder: Path) -> list[tuple[str, Utterance]]:
    """The rows of `annotated_user_utts_18k.txt` that have a text, as (session id, utterance), in file order.

    MsgID counts all turns of a session from 0, users on even ones: in spite of the file's name, a third are the system's.
    The sessions of MultiWOZ's test split are among them: whoever trains drops those.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    path = existing(folder, "annotated_user_utts_18k.txt")
    with in_format(path.name, path), path.open(encoding="utf-8", newline="") as lines:
        _, *rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [said for said in parse_each(path.name, path, number_rows("line", rows, 2), _annotated) if said]


def _annotated(row: list[str]) -> tuple[str, Utterance] | None:
    session, index, text, acts = row
    if not text.strip():
        return None
    turn = Turn("user" if int(index) % 2 == 0 else "bot", untokenized(text))
    return session.removesuffix(".json"), Utterance(turn, _parse_acts(acts))


def _parse_acts(text: str) -> tuple[Act, ...]:
    acts = []
    for act, pairs in _ACT.findall(text):
        for pair in pairs.split(";") if pairs else ["none=none"]:
            slot, _, value = pair.partition("=")
            acts.append(Act(act, slot.strip() or "none", value.strip() or "none"))
    return tuple(acts)
