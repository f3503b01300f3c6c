"""Recommendation that was written for this project: talks about items of any kind, and how the seeker stands to each in the end.

    == DOMAIN | who they are and what is wanted
    r INTENTS | what the recommender says, with [items] in brackets
    s INTENTS | what the seeker says, with [items] in brackets
    A item | recommender or seeker | seen or unseen | liked or disliked

A later short form of an item stands as `[short=item]`. INTENTS, joined by commas, are those of `grice.models.minds.labels`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.models.minds.labels import FINE, Attitude, MindRole
from grice.models.training.shorthand import Line, read_hands_with

HANDS = Path(__file__).parent / "hands"

_ROLES: dict[str, MindRole] = {"r": "recommender", "s": "seeker"}
_MENTION = re.compile(r"\[([^\]=]*)(?:=([^\]]*))?\]")


@dataclass(frozen=True)
class ItemMention:
    """Where a turn names an item: its characters from `start` to before `end`, and the item."""

    start: int
    end: int
    item: str


@dataclass(frozen=True)
class WrittenTalkTurn:
    """What one of the two says, without brackets; with fine intentions of its role."""

    role: MindRole
    intents: frozenset[str]
    text: str
    mentions: tuple[ItemMention, ...]


@dataclass(frozen=True)
class WrittenTalk:
    """A talk. `attitudes` has the items to which the seeker takes a stand."""

    hand: str
    domain: str
    about: str
    turns: tuple[WrittenTalkTurn, ...]
    attitudes: dict[str, Attitude]


def read_talks(folder: Path = HANDS, names: Sequence[str] = ()) -> dict[str, list[WrittenTalk]]:
    """The talks of each hand, by its name; of `names` alone where some are given.

    Raises:
        DataNotFound: there is no such hand. DataCorrupt: a file is not in the shorthand; says the line.
    """
    return read_hands_with(_talk, folder, names)


def _talk(hand: str, lines: Sequence[Line]) -> WrittenTalk:
    head, *rest = lines
    domain, about = head.split(2)
    turns = tuple(_turn(line) for line in rest if line.tag != "A")
    items = {mention.item.lower(): mention.item for turn in reversed(turns) for mention in turn.mentions}
    return WrittenTalk(hand, domain, about, turns, dict(_attitude(line, items) for line in rest if line.tag == "A"))


def _turn(line: Line) -> WrittenTalkTurn:
    if line.tag not in _ROLES:
        raise line.corrupt(line.tag, "==, r, s, A")
    given, marked = line.split(2)
    role = _ROLES[line.tag]
    intents = frozenset(part.strip() for part in given.split(","))
    if unknown := intents - set(FINE[role]):
        raise line.corrupt(", ".join(sorted(unknown)), ", ".join(FINE[role]))
    text, mentions, last = "", [], 0
    for found in _MENTION.finditer(marked):
        text += marked[last : found.start()]
        mentions.append(ItemMention(len(text), len(text) + len(found[1]), (found[2] or found[1]).strip()))
        text += found[1]
        last = found.end()
    return WrittenTalkTurn(role, intents, text + marked[last:], tuple(mentions))


def _attitude(line: Line, items: dict[str, str]) -> tuple[str, Attitude]:
    item, by, seen, liked = line.split(4)
    role = next((each for each in _ROLES.values() if each == by), None)
    if item.lower() not in items or role is None or seen not in ("seen", "unseen") or liked not in ("liked", "disliked"):
        raise line.corrupt(line.text, "an item in brackets | recommender or seeker | seen or unseen | liked or disliked")
    return items[item.lower()], Attitude(role, seen == "seen", liked == "liked")
