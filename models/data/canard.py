"""CANARD (Elgohary et al. 2019): questions of QuAC dialogues, rewritten to stand without the dialogue.

Files: `{train,dev,test}.json`: a list of {QuAC_dialog_id, Question_no (from 1), History, Question, Rewrite}. History is the title
of the Wikipedia article, the title of its section, then questions and answers in turn.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grice.models.data.files import existing, number_rows, parse_each, read_json
from grice.models.data.rewrite_record import RewriteRecord
from grice.models.data.spacing import untokenized
from grice.models.dialogue import Turn


def read(folder: Path, split: str = "dev") -> list[RewriteRecord]:
    """The questions of `split` ("train", "dev" or "test"), in file order; askers are users, answerers bots.

    Both sides of a QuAC dialogue see the two titles and rewrites are made from them, so they stand as the bot's first turn.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    path = existing(folder, f"{split}.json")
    return parse_each("CANARD", path, number_rows("record", read_json(path)), lambda entry: _record(entry, split))


def _record(entry: dict[str, Any], split: str) -> RewriteRecord:
    title, section, *said = (untokenized(text) for text in entry["History"])
    history = [Turn("bot", f"{title}, {section}")]
    history += [Turn("bot" if index % 2 else "user", text) for index, text in enumerate(said)]
    return RewriteRecord(
        entry["QuAC_dialog_id"],
        entry["Question_no"],
        tuple(history),
        Turn("user", untokenized(entry["Question"])),
        (untokenized(entry["Rewrite"]),),
        split,
    )
