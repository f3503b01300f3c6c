"""Anybody's own recommendation dialogues, as JSON lines: what was talked of, and how the seeker stands to each item in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.data.item_lines import check_object, read_items
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import InputError
from grice.models.minds.labels import COARSE, MIND_ROLES, Attitude, MindRole
from grice.models.minds.recommendation_dialogue import RecommendationDialogue

FIELDS = {"id": (str,), "domain": (str,), "turns": (list,), "attitudes": (dict,)}
_TURN = {"speaker": (str,), "text": (str,)}
_ATTITUDE = {"suggested_by": (str,), "seen": (bool,), "liked": (bool,)}
_NEXT = {"after_turns": (int,), "strategy": (str,), "works": (bool,)}


@dataclass(frozen=True)
class PlannedStrategy:
    """Whether a coarse intention works in the turn after the first `after_turns`, by the one who did not speak last."""

    after_turns: int
    strategy: str
    works: bool


@dataclass(frozen=True)
class OwnRecommendation:
    """A dialogue, whose user seeks.

    Attributes:
        fields: the item as it was given.
        attitudes: by item, at the end.
        planned: empty where the item says nothing of what comes next.
    """

    fields: Mapping[str, Any]
    name: str
    domain: str
    dialogue: Dialogue
    attitudes: Mapping[str, Attitude]
    planned: tuple[PlannedStrategy, ...]


def read_recommendation_items(path: Path) -> list[OwnRecommendation]:
    """The items of a file, one JSON object a line; blank lines are left out.

    Raises:
        DataNotFound: it cannot be read, or has no item.
        InputError: an item lacks a field or has a wrong one; says line, field, what it has and what is allowed.
    """
    return read_items(path, FIELDS, _item)


def _item(fields: dict[str, Any], where: str) -> OwnRecommendation:
    rows = [check_object(each, f"{where}, turns", _TURN) for each in fields["turns"]]
    attitudes = {name: _attitude(each, f"{where}, attitudes, {name}") for name, each in fields["attitudes"].items()}
    try:
        dialogue = Dialogue(tuple(Turn(row["speaker"], row["text"]) for row in rows))
        RecommendationDialogue(dialogue, tuple(attitudes))
    except InputError as error:
        raise InputError(f"{where}, {error.what}", error.got, error.allowed) from error
    planned = fields.get("next") or []
    if not isinstance(planned, list):
        raise InputError(f"{where}, next", planned, "a list")
    found = tuple(_planned(each, dialogue, f"{where}, next") for each in planned)
    return OwnRecommendation(fields, fields["id"], fields["domain"], dialogue, attitudes, found)


def _attitude(given: object, where: str) -> Attitude:
    row = check_object(given, where, _ATTITUDE)
    role = next((each for each in MIND_ROLES if each == row["suggested_by"]), None)
    if role is None:
        raise InputError(f"{where}, suggested_by", row["suggested_by"], ", ".join(MIND_ROLES))
    return Attitude(role, row["seen"], row["liked"])


def _planned(given: object, dialogue: Dialogue, where: str) -> PlannedStrategy:
    row = check_object(given, where, _NEXT)
    count = row["after_turns"]
    if isinstance(count, bool) or not 1 <= count <= len(dialogue.turns):
        raise InputError(f"{where}, after_turns", count, f"1 to {len(dialogue.turns)}")
    role: MindRole = "recommender" if dialogue.turns[count - 1].speaker == "user" else "seeker"
    if row["strategy"] not in COARSE[role]:
        raise InputError(f"{where}, strategy of the {role}", row["strategy"], ", ".join(COARSE[role]))
    return PlannedStrategy(count, row["strategy"], row["works"])
