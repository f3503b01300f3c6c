"""Alexa Contextual Query Rewrite (Regan et al. 2019): in-car dialogues, with rewrites by the authors and by the crowd.

Files: `cqr_kvret_{train,dev,test}_public.json`: a list of {scenario: {uuid, …}, dialogue: [{turn: driver | assistant,
data: {utterance}, reformulation: {base_utt_idx, reformulated_utt, mturk_reformulations}}]}. An annotation sits on the
assistant's turn and says what the driver had meant just before; `reformulated_utt` is null where nothing was written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grice.models.data.files import existing, in_format, read_json
from grice.models.data.rewrite_record import RewriteRecord
from grice.models.dialogue import Speaker, Turn

_SPEAKERS: dict[str, Speaker] = {"driver": "user", "assistant": "bot"}


def read(folder: Path, split: str) -> list[RewriteRecord]:
    """The rewritten driver turns of `split` ("train", "dev" or "test"), in file order.

    Every rewrite takes in all that the driver said up to the annotation, also where the authors started from an earlier turn
    (`base_utt_idx`), so the record's turn is the driver's last one. Turns without text, of which the files have a few, are not
    part of the history.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    path = existing(folder, f"cqr_kvret_{split}_public.json")
    records: list[RewriteRecord] = []
    with in_format("Contextual Query Rewrite", path):
        for dialogue in read_json(path):
            records += _records(dialogue, split)
    return records


def read_dialogues(folder: Path, split: str) -> dict[str, tuple[Turn, ...]]:
    """All dialogues of `split` by id, rewritten or not, without the turns that have no text.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    path = existing(folder, f"cqr_kvret_{split}_public.json")
    with in_format("Contextual Query Rewrite", path):
        return {
            dialogue["scenario"]["uuid"]: tuple(turn for _, turn in _said(dialogue["dialogue"])) for dialogue in read_json(path)
        }


def _records(dialogue: dict[str, Any], split: str) -> list[RewriteRecord]:
    records = []
    for place, entry in enumerate(dialogue["dialogue"]):
        rewrites = _rewrites(entry.get("reformulation", {}))
        if rewrites:
            *earlier, (index, turn) = _said(dialogue["dialogue"][:place])
            history = tuple(said for _, said in earlier)
            records.append(RewriteRecord(dialogue["scenario"]["uuid"], index, history, turn, rewrites, split))
    return records


def _rewrites(annotation: dict[str, Any]) -> tuple[str, ...]:
    texts = [annotation.get("reformulated_utt") or "", *annotation.get("mturk_reformulations", ())]
    return tuple(dict.fromkeys(text for text in (" ".join(text.split()) for text in texts) if text))


def _said(entries: list[dict[str, Any]]) -> list[tuple[int, Turn]]:
    said = []
    for index, entry in enumerate(entries):
        text = " ".join(entry["data"]["utterance"].split())
        if text:
            said.append((index, Turn(_SPEAKERS[entry["turn"]], text)))
    return said
