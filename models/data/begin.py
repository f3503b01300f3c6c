"""BEGIN (Dziri et al. 2022): models' responses, and whether the knowledge that they were given bears them out.

Files: `begin_{dev,test}_{cmu,wow,tc}.tsv`, tab-separated without quoting: model_name, data_source, knowledge, message, response,
begin_label. `message` is the user's turn before the response. Part of the texts are tokens joined by spaces, which depends on the
model; all are read with natural spacing.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grice.models.data.files import number_rows, parse_each, read_table
from grice.models.data.silence import SILENCE
from grice.models.data.spacing import untokenized
from grice.models.dialogue import check_text
from grice.models.errors import DataNotFound

FOLDER = "begin"
COLUMNS = ["model_name", "data_source", "knowledge", "message", "response", "begin_label"]

Attribution = Literal["fully attributable", "not fully attributable", "generic"]
"""All of the response follows from the knowledge; some of it does not; or it says nothing that could."""

_LABELS: dict[str, Attribution] = {
    "Fully attributable": "fully attributable",
    "Not fully attributable": "not fully attributable",
    "Generic": "generic",
}


@dataclass(frozen=True)
class KnowledgeResponse:
    """A response with what it should rest on.

    Attributes:
        part: which file it is from: "dev_cmu", "dev_wow", "test_wow" and so on (CMU DoG, Wizard of Wikipedia).
        model: the name of the model that wrote it.
        message: the turn before; `SILENCE` where the file has none.
    """

    part: str
    model: str
    knowledge: str
    message: str
    response: str
    attribution: Attribution


def read(data_dir: Path) -> list[KnowledgeResponse]:
    """The responses of every `begin_*.tsv` in `begin/`, by file name and in file order.

    Raises:
        DataNotFound: no such file is there.
        DataCorrupt: one is damaged, has no rows, or has a row without knowledge, response or a known label; says which.
    """
    folder = data_dir / FOLDER
    paths = sorted(folder.glob("begin_*.tsv"))
    if not paths:
        raise DataNotFound(f"{folder}: no begin_*.tsv there; `grice data fetch begin` gets three of them")
    return [response for path in paths for response in _read_file(path)]


def _read_file(path: Path) -> list[KnowledgeResponse]:
    rows = read_table(path, "BEGIN", COLUMNS, delimiter="\t", quoting=csv.QUOTE_NONE)
    part = path.stem.removeprefix("begin_")
    return parse_each("BEGIN", path, number_rows("line", rows, 2), lambda row: _response(row, part))


def _response(row: list[str], part: str) -> KnowledgeResponse:
    model, _, knowledge, message, response, label = row
    return KnowledgeResponse(
        part,
        model,
        check_text(untokenized(knowledge), "knowledge"),
        check_text(untokenized(message) or SILENCE, "message"),
        check_text(untokenized(response), "response"),
        _LABELS[label],
    )
