"""Which turns of the seeker show how they stand to an item: those that name it, and those said while it is talked of."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from grice.models.minds.questions import RoleTurn
from grice.models.minds.wording import movies, naming, parts
from grice.models.minds.wording import names as names_item

_PLACES = {"first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "latter": -1}
_ORDINAL = re.compile(
    r"\bthe (?:(first|second|third|fourth|last) (?:one|option|of (?:them|those|these|the two|the three))\b"
    r"|(former|latter)\b|(first|second|third|fourth)(?=\s*(?:[.,!?]|$|(?:is|sounds|looks)\b)))",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:not for me|on second thoughts?|changed my mind|actually,? no|i(?:'d| would) rather not|i(?:'ll| will) (?:pass|skip)"
    r"|never ?mind|not (?:my|interested)|no,? (?:thanks|after all)|don't (?:want|think|like)|won't)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\b(?:thanks?|thank you|thx|bye|goodbye|good night|have a (?:good|great|nice)|welcome|take care|cheers)\b",
    re.IGNORECASE,
)

names = functools.lru_cache(maxsize=8192)(names_item)
"""Asked again for every item of a dialogue, and turn by turn."""


def reaction_to(turns: Sequence[RoleTurn], item: str, items: Sequence[str]) -> int | None:
    """The place of the seeker's turn that shows what they think of an item in the end: of those that name it, those that say
    something before the recommender names another, and the first after its mention, the last. None where there is no such turn yet.

    Of a movie that is named with a year, such a later turn counts only where it refuses: chats on movies go on about other things,
    and RecToM's figures are as they were.

    Args:
        items: all that are talked of.
    """
    found, talked_of, mentioned = None, False, False
    dated = any(names(movie, item) for turn in turns for movie in movies(turn.text))
    for place, turn in enumerate(turns):
        here = names(turn.text, item)
        other = any(names(turn.text, each) for each in items if each != item)
        mentioned = mentioned or here
        if here:
            talked_of = True
        elif other and turn.role == "recommender":
            talked_of = False
        if turn.role == "seeker" and mentioned and (here or found is None or (talked_of and not other and _says(turn.text, dated))):
            found = place
    return found


def _says(text: str, refusals: bool) -> bool:
    """Whether a turn has a sentence beside questions, thanks and goodbyes; with `refusals`, one that takes something back."""
    said = [part for part in parts(text) if not part.rstrip().endswith("?") and not _COURTESY.search(part)]
    return any(_REFUSAL.search(part) for part in said) if refusals else bool(said)


def ordinals_named(turns: Sequence[RoleTurn], items: Sequence[str]) -> tuple[RoleTurn, ...]:
    """The turns with the name of the item in place of "the second one" and the like in what the seeker says.

    Counted are the items of the recommender's last turn that names several.
    """
    listed: list[str] = []
    named: list[RoleTurn] = []
    for turn in turns:
        if turn.role == "recommender":
            places = sorted((found.start(), each) for each in items if (found := naming(each).search(turn.text)))
            listed = [each for _, each in places] if len(places) > 1 else listed
            named.append(turn)
        else:
            named.append(RoleTurn(turn.role, _named(turn.text, listed)))
    return tuple(named)


def _named(text: str, listed: Sequence[str]) -> str:
    def name(found: re.Match[str]) -> str:
        place = _PLACES[next(each for each in found.groups() if each).lower()]
        return listed[place] if place < len(listed) else found[0]

    return _ORDINAL.sub(name, text) if listed else text
