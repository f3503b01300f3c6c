"""Anybody's own turns as cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.benchmarks.meaning.cases import NOTHING, MeaningCase
from grice.models.data.user_turns import UserTurn, read_user_turns
from grice.models.meaning.results import MeaningQuestion


@dataclass(frozen=True)
class Item:
    """A line of the file: all its fields, and the case that it makes."""

    fields: Mapping[str, Any]
    case: MeaningCase


def read_items(path: Path) -> list[Item]:
    """The items of a file.

    Raises:
        DataNotFound, InputError: as `read_user_turns`.
    """
    return [Item(turn.fields, _case(turn)) for turn in read_user_turns(path)]


def _case(turn: UserTurn) -> MeaningCase:
    gold = NOTHING if turn.intent is None else ("intent", turn.intent)
    return MeaningCase(MeaningQuestion(turn.dialogue, turn.schema), turn.name, gold, turn.kind, turn.domain, turn.slots)
