"""Turns that were written for this project, bot by bot, in a shorthand that people can read.

    == DOMAIN | what the bot is
    i INTENT | description
    s SLOT | description | value; value; value      (* in place of values: free text)
    u an earlier user turn
    b an earlier bot turn
    > KIND | MEANING | SLOTS | the turn | its direct form | a wrong reading

`u` and `b` lines are the history of the next `>` line. KIND is `i` indirect, `d` direct, `c` courtesy, `o` out of scope; `~`
behind it: the user changes what was said before. MEANING is an intent, a reply (`yes`, `no`, `not-yet`, `yes-but`, `no-but`, `any`,
`option 2`; `no-but:INTENT` says what is wanted instead), or `-`. SLOTS are joined by `;`: `slot=value`, `slot=*` (any),
`slot=!value` (not that one), `slot=?a/b` (one cannot tell which), `slot="words of the turn"` for free text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from grice.models.dialogue import Turn
from grice.models.meaning.results import TURN_KINDS, TurnKind
from grice.models.schema import BotSchema, IntentSpec, SlotSpec
from grice.models.training.shorthand import Line, read_hands_with, read_parts

HANDS = Path(__file__).parent / "hands"
HELD_HANDS = ("H", "P", "QJ", "QO")
"""Nothing is trained on what these wrote. How rewrites are worded was changed after a look at H and P."""
LATER_HANDS = ("WA", "WB", "WC", "WD")
"""Written after the weights that are shipped, which have not learnt from them. A look at these hands showed that
sureness gains from more hands to fit it on."""
CALIBRATION_HANDS = ("UD", "VB", "YA", "YB", "YC", "YD", "YE", "YF")
"""Nothing is trained on what these wrote: how sure the reader has to be is fitted on it, so that it is fitted on strangers."""

MentionKind = Literal["meant", "not_this", "any", "ambiguous"]
REPLIES = ("yes", "no", "not-yet", "yes-but", "no-but", "any", "option")

_KINDS: dict[str, TurnKind] = {kind[0]: kind for kind in TURN_KINDS}


@dataclass(frozen=True)
class SlotMention:
    """What a turn says of a slot.

    Attributes:
        said: how it speaks of it.
        values: the value that is meant or excluded; those between which one cannot tell; none for `any`.
        words: of a free-text slot, as the turn has them.
    """

    said: MentionKind
    values: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class WrittenTurn:
    """A user turn and what it means.

    Attributes:
        history: the turns before it, oldest first.
        meaning: the name of an intent, one of `REPLIES`, or "": neither.
        instead: the intent that is wanted in place of what the bot offered, with `no-but`.
        option: which of the listed options is chosen, from 1; 0 where none is.
        changes: whether the user takes back or changes what was said before.
        mentions: by slot; of all others it says nothing.
        direct: what a careful person would say directly. wrong: a plausible wrong reading; may be "".
    """

    history: tuple[Turn, ...]
    text: str
    kind: TurnKind
    meaning: str
    direct: str
    wrong: str = ""
    instead: str = ""
    option: int = 0
    changes: bool = False
    mentions: dict[str, SlotMention] = field(default_factory=dict)


@dataclass(frozen=True)
class WrittenBot:
    """A bot and turns of its users. `hand` is who wrote them."""

    hand: str
    domain: str
    service: str
    schema: BotSchema
    turns: tuple[WrittenTurn, ...]


def read_hands(folder: Path = HANDS, names: Sequence[str] = ()) -> dict[str, list[WrittenBot]]:
    """The bots of each hand, by its name; of `names` alone where some are given.

    Raises:
        DataNotFound: there is no such hand. DataCorrupt: a file is not in the shorthand; says the line.
    """
    return read_hands_with(_bot, folder, names)


def read_hand(path: Path) -> list[WrittenBot]:
    """The bots in one hand's file.

    Raises:
        DataNotFound, DataCorrupt: as `read_hands`.
    """
    return [_bot(path.stem, part) for part in read_parts(path)]


def _bot(hand: str, lines: Sequence[Line]) -> WrittenBot:
    head, *rest = lines
    if head.tag != "==" or len(head.fields) != 2:
        raise head.corrupt(head.tag, "== DOMAIN | what the bot is")
    domain, service = head.fields
    intents = [_intent(line) for line in rest if line.tag == "i"]
    slots = [_slot(line) for line in rest if line.tag == "s"]
    schema = BotSchema(tuple(intents), tuple(slots))
    turns: list[WrittenTurn] = []
    history: list[Turn] = []
    for line in rest:
        if line.tag in ("u", "b"):
            history.append(Turn("user" if line.tag == "u" else "bot", line.text))
        elif line.tag == ">":
            turns.append(_turn(line, tuple(history), schema))
            history = []
        elif line.tag not in ("i", "s"):
            raise line.corrupt(line.tag, "==, i, s, u, b, >")
    return WrittenBot(hand, domain, service, schema, tuple(turns))


def _intent(line: Line) -> IntentSpec:
    name, description = line.split(2)
    return IntentSpec(name, description)


def _slot(line: Line) -> SlotSpec:
    name, description, values = line.split(3)
    return SlotSpec(name, description, () if values == "*" else tuple(part.strip() for part in values.split(";") if part.strip()))


def _turn(line: Line, history: tuple[Turn, ...], schema: BotSchema) -> WrittenTurn:
    kind, meaning, slots, text, direct, wrong = line.split(6)
    if kind.rstrip("~") not in _KINDS or not text or not direct:
        raise line.corrupt(kind, "i, d, c or o, with a turn and its direct form")
    intents = {intent.name for intent in schema.intents}
    base, _, instead = (meaning, "", "") if meaning in intents else map(str.strip, meaning.partition(":"))
    option = re.fullmatch(r"option (\d)", base)
    if option:
        base = "option"
    if base != "-" and base not in intents and base not in REPLIES:
        raise line.corrupt(meaning, "an intent of the bot, a reply, or -")
    if instead and instead not in intents:
        raise line.corrupt(instead, ", ".join(sorted(intents)))
    return WrittenTurn(
        history,
        text,
        _KINDS[kind[0]],
        "" if base == "-" else base,
        direct,
        wrong,
        instead,
        int(option[1]) if option else 0,
        kind.endswith("~"),
        dict(_mention(line, part.strip(), schema) for part in slots.split(";") if part.strip()),
    )


def _mention(line: Line, part: str, schema: BotSchema) -> tuple[str, SlotMention]:
    name, _, value = (each.strip() for each in part.partition("="))
    slot = next((slot for slot in schema.slots if slot.name == name), None)
    if slot is None:
        raise line.corrupt(part, ", ".join(slot.name for slot in schema.slots))
    if value == "*":
        return name, SlotMention("any")
    if slot.is_free:
        return name, SlotMention("meant", words=value.strip('"'))
    if value in slot.values:
        return name, SlotMention("meant", (value,))
    said: MentionKind = "not_this" if value.startswith("!") else "ambiguous"
    values = (value[1:],) if said == "not_this" else tuple(each.strip() for each in value[1:].split("/"))
    for each in values:
        if each not in slot.values:
            raise line.corrupt(each, ", ".join(slot.values))
    return name, SlotMention(said, values)
