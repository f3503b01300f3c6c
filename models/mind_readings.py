"""What the reader of minds reads: turns of a recommendation dialogue with movies marked, as pieces of its vocabulary."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from grice.models.data.rectom import MindQuestion, RoleTurn
from grice.models.dialogue import plain_text
from grice.models.mind_labels import Role
from grice.models.mind_wording import dated_removed, movies, names, naming
from grice.models.template import token_id

Pieces = Callable[[str], Sequence[int]]
"""From a text to the ids of its pieces."""

THIS_TAG, ANOTHER_TAG = "[this]", "[another]"
NUMBERED_TAGS = ("[a]", "[b]", "[c]", "[d]", "[e]")
ROLE_TAGS: dict[Role, str] = {"recommender": "[recommender]", "seeker": "[seeker]"}
TAGS = (THIS_TAG, ANOTHER_TAG, *NUMBERED_TAGS, *ROLE_TAGS.values())
"""Stand for the movie in question, any other, the first others that a dialogue names with a year, and who speaks."""
SEGMENTS = ("recommender", "seeker", "asked", "after")
"""Who says a turn; the turn that is asked about, and those after it, have segments of their own."""
MOST_TURNS, MOST_BEFORE, MOST_AFTER = 8, 3, 1
"""Turns that are read: for an attitude the last and where the movie is named first, for intentions those around the turn."""
MOST_ASKED, MOST_AROUND, MOST_TOKENS = 120, 90, 230
"""Pieces of the turn asked about, of any other turn, and of all."""
POSITIONS = MOST_TOKENS + 2
FACTS = 2

_TAG = re.compile("|".join(map(re.escape, TAGS)), re.IGNORECASE)
_STAND_IN = {chr(0xE000 + number): f" {tag} " for number, tag in enumerate(TAGS)}
"""A character of private use for each tag, until all names are found: no name can match in a tag."""
_OF_TAG = {tag.strip(): character for character, tag in _STAND_IN.items()}


@dataclass(frozen=True)
class Reading:
    """Turns to be read for one answer.

    Attributes:
        turns: who speaks, the text with its tags, and the place of its segment in `SEGMENTS`.
        facts: two more things, 0 or 1.
        of_item: the movie in question is what the answer is about.
    """

    turns: tuple[tuple[Role, str, int], ...]
    facts: tuple[float, float]
    of_item: bool


@dataclass(frozen=True)
class ReaderInputs:
    """A reading as the model takes it, each of shape (length,).

    Attributes:
        ids: of the pieces.
        segments: the place of each in `SEGMENTS`.
        marked: 1 for the movie in question, or else for the first piece.
        asked: 1 for the pieces of the turn that is asked about.
        facts: shape (`FACTS`,).
    """

    ids: NDArray[np.int64]
    segments: NDArray[np.int64]
    marked: NDArray[np.float32]
    asked: NDArray[np.float32]
    facts: NDArray[np.float32]


def attitude_reading(turns: Sequence[RoleTurn], item: str) -> Reading:
    """For how the seeker stands to `item` after their last turn: the turns since it was named first."""
    naming_it = [place for place, turn in enumerate(turns) if names(turn.text, item)]
    first = naming_it[0] if naming_it else max(0, len(turns) - 2)
    start = max(0, min(first - 1, len(turns) - 2), len(turns) - MOST_TURNS)
    chosen = [*([first] if first < start else []), *range(start, len(turns))]
    asked = max((place for place, turn in enumerate(turns) if turn.role == "seeker"), default=len(turns) - 1)
    read = [turns[place].text for place in chosen]
    others = [other for other in _others(turns, item) if any(names(text, other) for text in read)]
    by = turns[naming_it[0]].role if naming_it else None
    marked = tuple((turns[place].role, _marked(turns[place].text, item, others), _segment(turns, place, asked)) for place in chosen)
    return Reading(marked, (float(by == "seeker"), float(by == "recommender")), of_item=True)


def intention_reading(turns: Sequence[RoleTurn], place: int) -> Reading:
    """For what the turn at `place` intends: it, those right before it, and the next if there is one."""
    chosen = range(max(0, place - MOST_BEFORE), min(len(turns), place + MOST_AFTER + 1))
    marked = tuple((turns[at].role, _marked(turns[at].text, None, ()), _segment(turns, at, place)) for at in chosen)
    return Reading(marked, (float(place <= 1), float(place + 1 < len(turns))), of_item=False)


def reading_of(question: MindQuestion) -> Reading | None:
    """What is read for a question on intentions or attitudes; None for others."""
    if question.place is not None:
        return intention_reading(question.turns, question.place)
    return attitude_reading(question.turns, question.about) if question.kind in ("belief", "desire") else None


def _others(turns: Sequence[RoleTurn], item: str) -> list[str]:
    """The movies that turns name with a year, but for `item`, in the order of their first mention."""
    named = dict.fromkeys(movie for turn in turns for movie in movies(_plain_quotes(turn.text)))
    return [movie for movie in named if not names(movie, item)]


def _marked(text: str, item: str | None, others: Sequence[str]) -> str:
    """`text` with tags for `item`, for `others`, which may be named without their year, and for other movies with a year."""
    text = _TAG.sub(" ", _plain_quotes(text).translate(dict.fromkeys(map(ord, _STAND_IN), " ")))
    if item is not None:
        text = naming(item).sub(_OF_TAG[THIS_TAG], text)
    for number in sorted(range(len(others)), key=lambda number: -len(others[number])):
        tag = NUMBERED_TAGS[number] if number < len(NUMBERED_TAGS) else ANOTHER_TAG
        text = naming(others[number]).sub(_OF_TAG[tag], text)
    text = dated_removed(text, _OF_TAG[ANOTHER_TAG])
    return plain_text("".join(_STAND_IN.get(character, character) for character in text)).lower()


def _plain_quotes(text: str) -> str:
    return text.replace("&quot;", '"').replace("’", "'")


def _segment(turns: Sequence[RoleTurn], place: int, asked: int) -> int:
    if place >= asked:
        return SEGMENTS.index("asked" if place == asked else "after")
    return SEGMENTS.index(turns[place].role)


class ReadingTokens:
    """Turns readings into the ids of `tokenizer`.

    Raises:
        WeightsError: the tokenizer is another model's.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._start, self._end, self._this = (token_id(tokenizer, name) for name in ("[CLS]", "[SEP]", THIS_TAG))
        self._roles = {role: token_id(tokenizer, tag) for role, tag in ROLE_TAGS.items()}

    def inputs(self, reading: Reading) -> ReaderInputs:
        """What the model takes; of too long a reading the first turns are left out."""
        asked = SEGMENTS.index("asked")
        parts = [
            ([self._roles[role], *self._pieces(text)][: MOST_ASKED if segment == asked else MOST_AROUND], segment)
            for role, text, segment in reading.turns
        ]
        while sum(len(part) + 1 for part, _ in parts) > MOST_TOKENS:
            parts = parts[1:]
        ids, segments = [self._start], [0]
        for part, segment in parts:
            ids += [*part, self._end]
            segments += [segment] * (len(part) + 1)
        row, kinds = np.array(ids, np.int64), np.array(segments, np.int64)
        marked = (row == self._this) if reading.of_item else np.zeros(len(row), bool)
        marked[0] = not marked.any()
        return ReaderInputs(
            row, kinds, marked.astype(np.float32), (kinds == asked).astype(np.float32), np.array(reading.facts, np.float32)
        )

    def _pieces(self, text: str) -> list[int]:
        found: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return found
