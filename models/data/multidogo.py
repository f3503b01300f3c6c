"""MultiDoGO (Peskov et al. 2019): customers of six domains talk with an agent; intents and slots of each customer turn.

File: `turn_level.zip` with `…/DOMAIN/{train,dev,test}.tsv`, tab-separated: conversationId, turnNumber, utteranceId, utterance,
slot-labels (one a word), intent (several are joined by `<div>`). The agent's turns are not in it.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grice.models.data.files import existing, in_format
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import DataCorrupt

FOLDER = "multidogo"
DOMAINS = ("airline", "fastfood", "finance", "insurance", "media", "software")
GENERAL = ("contentonly", "confirmation", "rejection", "openinggreeting", "closinggreeting", "thankyou", "outofdomain")
"""Intents of every domain; `contentonly` only answers the agent's question."""
_ARCHIVE = "turn_level.zip"
_MEMBER = "data/paper_splits/splits_annotated_at_turn_level/{}/{}.tsv"


@dataclass(frozen=True)
class CustomerTurn:
    """A customer's turn, after those that the customer said before; and its intents, none where nobody labelled it."""

    dialogue_id: str
    dialogue: Dialogue
    intents: tuple[str, ...]


def read(folder: Path, domain: str, split: str) -> Iterator[CustomerTurn]:
    """The turns of a domain's split ("train", "dev" or "test"), in file order.

    Raises:
        DataNotFound, DataCorrupt: the archive is not there or not readable.
    """
    path = existing(folder, _ARCHIVE)
    member = _MEMBER.format(domain, split)
    try:
        with zipfile.ZipFile(path) as archive:
            text = archive.read(member).decode("utf-8")
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError) as error:
        raise DataCorrupt(f"{path} ({member}): {error}; fetch it again") from error
    said: list[Turn] = []
    before = ""
    with in_format("MultiDoGO", f"{path} ({member})"):
        for row in csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"):
            if not row["utterance"].strip():
                continue
            said = [*(said if row["conversationId"] == before else ()), Turn("user", row["utterance"])]
            before = row["conversationId"]
            intents = tuple(filter(None, row["intent"].split("<div>")))
            yield CustomerTurn(before, Dialogue(tuple(said)), intents)
