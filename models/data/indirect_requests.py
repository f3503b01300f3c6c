"""IndirectRequests (Mannekote et al. 2024): requests that say a slot's value indirectly, for services of Schema-Guided Dialogue.

Files: `{train,validation,test}_target_slot_value.jsonl`, one JSON object a line: {utterance, situation, service, slot_description,
possible_slot_values, bool_rephrased_slot_values, target_slot_value, mean_world_understanding, creation_date}. Both lists of values
are Python literals in a string. A file of one's own may also say `id`, `slot` (its name in the schema) and `strategy`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from grice.models.data.files import existing, parse_lines
from grice.models.dialogue import check_text

FOLDER = "indirect-requests"
AMBIGUOUS = "<ambiguous>"
"""The target of a request that fits no value, or several, about equally well."""
SCALE = (1.0, 10.0)

RequestSplit = Literal["train", "validation", "test"]
Strategy = Literal["simple elaboration", "justification", "hyponym swap", "synonym swap", "small talk"]
"""How the value is said indirectly (Table 4 of the paper)."""

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


@dataclass(frozen=True)
class IndirectRequest:
    """A request and the value that is meant.

    Attributes:
        request_id: as in the file; else the file's split and the line, from 1: `test-17`.
        situation: what the user wants to do, in a sentence.
        slot: its name in the schema; None where the file does not say.
        values: the possible values, at least 2.
        phrasings: the values as a person would say them, which matters for True and False; as many as the file has.
        target: one of `values`, or `AMBIGUOUS`.
        world_understanding: 1 to 10, the mean of raters: how likely an average six-year-old is to see which value is meant.
        strategy: None where the file does not say.
    """

    request_id: str
    utterance: str
    situation: str
    service: str
    slot: str | None
    slot_description: str
    values: tuple[str, ...]
    phrasings: tuple[str, ...]
    target: str
    world_understanding: float
    strategy: Strategy | None = None

    @property
    def ambiguous(self) -> bool:
        """Whether no single value is meant."""
        return self.target == AMBIGUOUS


def file_name(split: RequestSplit) -> str:
    """The name of a split's file."""
    return f"{split}_target_slot_value.jsonl"


def read(data_dir: Path, splits: Sequence[RequestSplit] = ("validation", "test")) -> list[IndirectRequest]:
    """The requests of the given splits in `indirect-requests/`, in file order; the paper evaluates on validation and test.

    Raises:
        DataNotFound: a file is missing.
        DataCorrupt: as `read_file`.
    """
    folder = data_dir / FOLDER
    return [request for split in splits for request in read_file(existing(folder, file_name(split)), split)]


def read_file(path: Path, name: str) -> list[IndirectRequest]:
    """The requests in a file of that format; those without an id are called `{name}-{line}`.

    Raises:
        DataCorrupt: it is damaged or empty, or a request has a blank text, fewer than 2 values, the same value twice, a target
            that is not one of them, or an unknown strategy; says in which line.
    """
    return parse_lines("IndirectRequests", path, "requests", lambda number, entry: _request(entry, f"{name}-{number}"))


def _request(entry: dict[str, Any], request_id: str) -> IndirectRequest:
    values, target = _values(entry["possible_slot_values"]), str(entry["target_slot_value"])
    if len(values) < 2 or len(set(values)) < len(values):
        raise ValueError(f"possible_slot_values are {values!r}, not at least 2 different ones")
    if target not in (*values, AMBIGUOUS):
        raise ValueError(f"target_slot_value is {target!r}, not one of {values!r} or {AMBIGUOUS}")
    rating, strategy = float(entry["mean_world_understanding"]), entry.get("strategy")
    if not SCALE[0] <= rating <= SCALE[1]:
        raise ValueError(f"mean_world_understanding is {rating}, not 1 to 10")
    if strategy is not None and strategy not in STRATEGIES:
        raise ValueError(f"strategy is {strategy!r}, not one of {', '.join(STRATEGIES)}")
    return IndirectRequest(
        str(entry.get("id", request_id)),
        check_text(entry["utterance"], "utterance"),
        check_text(entry["situation"], "situation"),
        check_text(entry["service"], "service"),
        entry.get("slot"),
        check_text(entry["slot_description"], "slot_description"),
        values,
        _values(entry["bool_rephrased_slot_values"]),
        target,
        rating,
        strategy,
    )


def _values(literal: str) -> tuple[str, ...]:
    try:
        found = ast.literal_eval(literal)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{literal[:80]!r} is not a Python literal") from error
    if not isinstance(found, (list, tuple)):
        raise TypeError(f"{literal[:80]!r} is not a list")
    return tuple(map(str, found))
