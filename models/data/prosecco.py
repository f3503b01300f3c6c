"""ProSeCCo (Beyer et al. 2026): two statements of one speaker of a debate, and whether the second contradicts the first.

File: `ProSeCCo_final.json`, one JSON object a line: {id, speaker_id, locution_1, locution_2, proposition_1, proposition_2, source,
label, prop_needed, …}. A locution is what was said, a proposition the same with what it refers to filled in. The texts from US2016
are tokens joined by spaces; all are read with natural spacing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.data.files import existing, parse_lines
from grice.models.data.spacing import untokenized
from grice.models.dialogue import check_text

FOLDER = "prosecco"
FILE = "ProSeCCo_final.json"

_LABELS = {"self-contradiction": True, "no self-contradiction": False}


@dataclass(frozen=True)
class StatementPair:
    """Two statements of one speaker.

    Attributes:
        pair_id: as in the file; two of the released ids, and three of the pairs of locutions, are there twice.
        speaker_id: what to keep together when the pairs are divided.
        source: the debates that it is from: QT30, QT50 (Question Time) or US2016.
        first, second: the locutions.
        first_proposition, second_proposition: the same, to be understood without their context.
        contradictory: the annotators' decision.
        propositions_needed: whether they needed the propositions for it; None where the file does not say.
    """

    pair_id: str
    speaker_id: str
    source: str
    first: str
    second: str
    first_proposition: str
    second_proposition: str
    contradictory: bool
    propositions_needed: bool | None


def read(data_dir: Path) -> list[StatementPair]:
    """The pairs in `prosecco/`, in file order.

    Raises:
        DataNotFound: the file is missing.
        DataCorrupt: it is damaged or empty, or has a pair with a blank text or an unknown label; says in which line.
    """
    return parse_lines("ProSeCCo", existing(data_dir / FOLDER, FILE), "pairs", lambda _, entry: _pair(entry))


def _pair(entry: dict[str, Any]) -> StatementPair:
    needed = entry["prop_needed"]
    if not math.isnan(needed) and needed not in (0, 1):
        raise ValueError(f"prop_needed is {needed!r}, not 0, 1 or NaN")
    return StatementPair(
        entry["id"],
        entry["speaker_id"],
        entry["source"],
        _text(entry, "locution_1"),
        _text(entry, "locution_2"),
        _text(entry, "proposition_1"),
        _text(entry, "proposition_2"),
        _LABELS[entry["label"]],
        None if math.isnan(needed) else needed == 1,
    )


def _text(entry: dict[str, Any], key: str) -> str:
    return untokenized(check_text(entry[key], key))
