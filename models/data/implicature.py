"""Indirect utterances of the intents of BANKING77, CLINC150 and HWU64, and direct ones of the same intents.

Files in `implicature/SET/`: `implicature.{in,label}` (indirect), `direct_{train,dev,test}.{in,label}`, one utterance and one intent
a line; `CLINC150/out_of_scope.json` with `oos_train` and `oos_val`: pairs of an utterance and `oos`. The indirect ones were written
by a language model, and some are loose.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from grice.models.data.files import existing, in_format, read_json
from grice.models.dialogue import check_text
from grice.models.errors import DataCorrupt

FOLDER = "implicature"
IntentSet = Literal["BANKING77", "CLINC150", "HWU64"]
INTENT_SETS: tuple[IntentSet, ...] = get_args(IntentSet)


@dataclass(frozen=True)
class IntentUtterance:
    """An utterance and its intent. `part` is of the set's own split of direct ones, or "indirect"."""

    intent_set: IntentSet
    intent: str
    text: str
    part: Literal["train", "dev", "test", "indirect"]


def read(data_dir: Path, intent_set: IntentSet) -> list[IntentUtterance]:
    """The utterances of one set: indirect ones, then direct ones by part.

    Raises:
        DataNotFound: a file is not there. DataCorrupt: two files do not fit together.
    """
    folder = existing(data_dir, FOLDER) / intent_set
    found = _read_pair(folder, "implicature", intent_set, "indirect")
    for part in ("train", "dev", "test"):
        found += _read_pair(folder, f"direct_{part}", intent_set, part)
    return found


def read_out_of_scope(data_dir: Path) -> dict[str, list[str]]:
    """CLINC150's utterances that no intent of it covers, by part: "train" and "val".

    Raises:
        DataNotFound, DataCorrupt: as `read`.
    """
    path = existing(data_dir / FOLDER / "CLINC150", "out_of_scope.json")
    parts = read_json(path)
    with in_format("CLINC150", path):
        return {part: [check_text(text) for text, _ in parts[f"oos_{part}"]] for part in ("train", "val")}


def _read_pair(
    folder: Path, stem: str, intent_set: IntentSet, part: Literal["train", "dev", "test", "indirect"]
) -> list[IntentUtterance]:
    texts, labels = (existing(folder, f"{stem}.{end}").read_text(encoding="utf-8").splitlines() for end in ("in", "label"))
    if len(texts) != len(labels):
        raise DataCorrupt(f"{folder}/{stem}: {len(texts)} utterances and {len(labels)} labels; fetch it again")
    return [IntentUtterance(intent_set, label, text, part) for text, label in zip(texts, labels, strict=True) if text.strip()]
