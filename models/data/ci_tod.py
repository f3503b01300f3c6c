"""CI-ToD (Qin et al. 2021): task dialogues whose last response contradicts the query, the history or the knowledge base, or none.

Files: `DOMAIN_PART.json`, domains calendar, navigate and weather_new, parts train, dev and test: a list of {id, dialogue: [{turn:
driver | assistant, utterance}], scenario: {kb: {items: [row]}, qi, hi, kbi: "0" | "1"}}. Values are words joined by underscores;
they are read with blanks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.data.files import in_format, read_json
from grice.models.dialogue import Speaker, Turn
from grice.models.errors import DataNotFound

FOLDER = "ci_tod"
DOMAINS = ("calendar", "navigate", "weather_new")

_SPEAKERS: dict[str, Speaker] = {"driver": "user", "assistant": "bot"}


@dataclass(frozen=True)
class InconsistentResponse:
    """A dialogue and what its last response contradicts.

    Attributes:
        turns: all before the response. rows: of the knowledge base, fields to values.
        query, history, knowledge: whether it contradicts the user's last turn, an earlier turn, a row.
    """

    dialogue_id: str
    turns: tuple[Turn, ...]
    response: str
    rows: tuple[dict[str, str], ...]
    query: bool
    history: bool
    knowledge: bool


def read(data_dir: Path, part: str) -> list[InconsistentResponse]:
    """The dialogues of a part ("train", "dev" or "test") of every domain that is there.

    Raises:
        DataNotFound: no file of the part is there. DataCorrupt: one is damaged; says which.
    """
    paths = [path for domain in DOMAINS if (path := data_dir / FOLDER / f"{domain}_{part}.json").is_file()]
    if not paths:
        raise DataNotFound(f"{data_dir / FOLDER}: no *_{part}.json there; get CI-ToD's files from its authors' repository")
    found = []
    for path in paths:
        with in_format("CI-ToD", path):
            found += [_response(entry, path.stem) for entry in read_json(path) if len(entry["dialogue"]) > 1]
    return found


def _response(entry: dict[str, Any], stem: str) -> InconsistentResponse:
    *before, last = (Turn(_SPEAKERS[turn["turn"]], _spaced(turn["utterance"])) for turn in entry["dialogue"])
    scenario = entry["scenario"]
    rows = tuple({_spaced(name): _spaced(value) for name, value in row.items()} for row in scenario["kb"]["items"] or ())
    query, history, knowledge = (scenario[name] == "1" for name in ("qi", "hi", "kbi"))
    return InconsistentResponse(f"{stem}/{entry['id']}", tuple(before), last.text, rows, query, history, knowledge)


def _spaced(text: object) -> str:
    return str(text).replace("_", " ")
