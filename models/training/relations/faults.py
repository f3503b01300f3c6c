"""Faults put into replies that are fine: another value, a request for what was told, something said again, another's reply."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grice.models.dialogue import Turn
from grice.models.relations.inputs import KnownSpan
from grice.models.relations.labels import RelationLabel
from grice.models.text.wording import Wording
from grice.models.training.relations.samples import Clash, TaughtResponse

MOST_FAULTS = 3
LONG = 8
"""Words that a turn must have to be worth saying again, or to show that it belongs to another dialogue."""

_NUMBER = re.compile(r"\d+(?:[:.]\d+)?")
_DAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True)
class TaskReply:
    """A turn of task dialogue.

    Attributes:
        asks, tells: slots, as `service slot`. values: of such slots, as the turn says them. rows: that a service gave for it.
    """

    turn: Turn
    asks: frozenset[str] = frozenset()
    tells: frozenset[str] = frozenset()
    values: tuple[tuple[str, str], ...] = ()
    rows: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True)
class Elsewhere:
    """What other dialogues say.

    Attributes:
        replies: of one of them. asked: by slot, the replies that ask for it alone. values: by slot, what it was in them.
    """

    replies: Sequence[TaskReply]
    asked: Mapping[str, Sequence[TaskReply]]
    values: Mapping[str, Sequence[str]]


def faulty(
    reply: TaskReply, before: Sequence[TaskReply], spans: Sequence[KnownSpan], elsewhere: Elsewhere, chance: random.Random
) -> list[TaughtResponse]:
    """At most `MOST_FAULTS` faulty responses in place of `reply`, which comes after `before`; they can clash with `spans`.

    Other values come first: they are the rarest, as the reply must repeat one that was said.
    """
    values = [*_other_value(reply.turn.text, spans, chance), *_other_name(reply, spans, elsewhere.values, chance)]
    found = [
        *_asked_again(before, spans, elsewhere.asked, chance),
        *_said_again(reply, before, spans, chance),
        *_of_another(reply, before, elsewhere.replies, chance),
    ]
    chance.shuffle(found)
    return [*values, *found][:MOST_FAULTS]


def _other_value(text: str, spans: Sequence[KnownSpan], chance: random.Random) -> Iterator[TaughtResponse]:
    """A number or a day that someone said, or a row has, is another one."""
    values = [*_NUMBER.finditer(text), *_DAY.finditer(text)]
    chance.shuffle(values)
    for value in values:
        held = [at for at, span in enumerate(spans) if _find(value[0], span.text)]
        if held:
            new = _another(value[0], chance)
            kinds = {spans[at].kind for at in held}
            label: RelationLabel = "!Fac" if "fact" in kinds else "!Par" if "user" in kinds else "!Sel"
            at = next(at for at in held if label != "!Fac" or spans[at].kind == "fact")
            said = text[: value.start()] + new + text[value.end() :]
            yield TaughtResponse(said, frozenset((label,)), True, Clash(at, value[0], new), frozenset((label, "Red", "Ign")))
            return


def _other_name(
    reply: TaskReply, spans: Sequence[KnownSpan], values: Mapping[str, Sequence[str]], chance: random.Random
) -> Iterator[TaughtResponse]:
    """A place, a name or a kind that the user or the bot said is another one, which nobody said."""
    text = reply.turn.text
    for slot, value in chance.sample(reply.values, len(reply.values)):
        place = _find(value, text)
        held = [at for at, span in enumerate(spans) if span.kind in ("user", "bot") and _find(value, span.text)]
        new = chance.choice(values[slot])
        if place is None or not held or any(map(str.isdigit, value)) or any(_find(new, span.text) for span in spans):
            continue
        labels: frozenset[RelationLabel] = frozenset("!Par" if spans[at].kind == "user" else "!Sel" for at in held)
        said = text[: place.start()] + new + text[place.end() :]
        yield TaughtResponse(said, labels, True, Clash(held[-1], value, new), frozenset(("!Par", "!Sel", "Red", "Ign")))
        return


def _find(value: str, text: str) -> re.Match[str] | None:
    return re.search(rf"\b{re.escape(value)}\b", text, re.IGNORECASE)


def _another(value: str, chance: random.Random) -> str:
    if value.lower() in _DAYS:
        new = chance.choice([day for day in _DAYS if day != value.lower()])
        return new.capitalize() if value[0].isupper() else new
    place = chance.choice([at for at, letter in enumerate(value) if letter.isdigit()])
    digit = chance.choice([each for each in "123456789" if each != value[place]])
    return value[:place] + digit + value[place + 1 :]


def _asked_again(
    before: Sequence[TaskReply], spans: Sequence[KnownSpan], asked: Mapping[str, Sequence[TaskReply]], chance: random.Random
) -> Iterator[TaughtResponse]:
    turns = [at for at, span in enumerate(spans) if span.kind in ("user", "bot")]
    told = [(slot, at) for at, each in enumerate(before) if each.turn.speaker == "user" for slot in each.tells if slot in asked]
    if told:
        slot, at = chance.choice(told)
        text = chance.choice(asked[slot]).turn.text
        yield TaughtResponse(
            text, frozenset(("asked_again",)), True, Clash(turns[at], "", text), frozenset(("asked_again", "!Sel", "!Fac"))
        )


def _said_again(
    reply: TaskReply, before: Sequence[TaskReply], spans: Sequence[KnownSpan], chance: random.Random
) -> Iterator[TaughtResponse]:
    turns = [at for at, span in enumerate(spans) if span.kind in ("user", "bot")]
    earlier = [at for at, each in enumerate(before) if each.turn.speaker == "bot" and _is_long(each.turn.text)]
    if earlier:
        at = chance.choice(earlier)
        text = before[at].turn.text
        if text != reply.turn.text:
            known: frozenset[RelationLabel] = frozenset(("Red", "!Sel", "!Par"))
            yield TaughtResponse(text, frozenset(("Red",)), True, Clash(turns[at], text, text), known)


def _of_another(
    reply: TaskReply, before: Sequence[TaskReply], other: Sequence[TaskReply], chance: random.Random
) -> Iterator[TaughtResponse]:
    """A reply of another dialogue that shares few words with this one."""
    here = set[str]().union(*(Wording.of(each.turn.text).content for each in (*before, reply)))
    strange = [
        each.turn.text
        for each in other
        if each.turn.speaker == "bot" and _is_long(each.turn.text) and len(Wording.of(each.turn.text).content & here) <= 1
    ]
    if strange:
        yield TaughtResponse(chance.choice(strange), frozenset(("!Rel",)), True, None, frozenset(("!Rel", "Red", "!Sel")))


def _is_long(text: str) -> bool:
    return len(text.split()) >= LONG
