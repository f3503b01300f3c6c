"""What the mind model reads of a recommendation dialogue: of a turn, of what comes next, of how the seeker stands to a movie."""

from __future__ import annotations

import itertools
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.models.heads import Array, Slots
from grice.models.mind_labels import Role
from grice.models.mind_wording import ANOTHER, CUES, THIS, cues, masked, movies, names, parts, terms
from grice.models.sentence_encoder import SentenceEncoder

_CLAUSE_END = re.compile(r"(?:,\s+|\s+)(?=but\b|though\b|although\b)|,\s+(?=i\b|I\b|it\b|and i\b|and I\b|haven)")
SLOTS = 1 << 12
"""Hashed words."""


@dataclass(frozen=True)
class RoleTurn:
    """One turn of a recommendation dialogue."""

    role: Role
    text: str


@dataclass(frozen=True)
class MindInputs:
    """What is read for one answer.

    Attributes:
        part_vectors, part_features: of each part of the turn that matters most, shapes (parts, width) and (parts, k).
        vectors, features: of turns around it and of the dialogue as a whole, shapes (turns, width) and (m,).
        words: how often each of `SLOTS` hashed words is taken.
    """

    part_vectors: Array
    part_features: Array
    vectors: Array
    features: Array
    words: Slots


def intention_inputs(encoder: SentenceEncoder, turns: Sequence[RoleTurn], place: int) -> MindInputs:
    """For the intentions of the turn at `place`; the turn after it is read, too, where there is one."""
    turn = masked(turns[place].text)
    before, after = _text(turns, place - 1), _text(turns, place + 1)
    own = [masked(part) for part in parts(turns[place].text)]
    named = sum(len(movies(each.text)) for each in turns[:place])
    features = [
        *_cues(turn, own[0], own[-1], before, parts(before)[-1] if before else "", after),
        np.array([place == 0, place == 1, min(place, 20), bool(after), min(named, 10)]),
    ]
    words = _slots({"t": _grams(own), "p": terms(before), "n": terms(after), "f": terms(own[0]), "l": terms(own[-1])})
    return _read(encoder, own, _places(len(own), place), [turn, before, after], features, words)


def next_inputs(encoder: SentenceEncoder, turns: Sequence[RoleTurn], role: Role) -> MindInputs:
    """For what `role` will do in the turn after these."""
    last, before, third, fourth = (_text(turns, len(turns) - back) for back in (1, 2, 3, 4))
    own = [masked(part) for part in parts(turns[-1].text)]
    sums = [
        np.sum([cues(masked(t.text)) for t in turns if (t.role == role) == mine] or [np.zeros(CUES)], 0) for mine in (True, False)
    ]
    count = len(turns)
    features = [
        *_cues(last, before, third, fourth, own[-1]),
        *sums,
        np.array([count, *(count <= most for most in (1, 2, 3, 4, 6)), count > 10, count > 14, turns[0].role == role]),
    ]
    words = _slots({"t": _grams(own), "p": terms(before), "q": terms(third), "l": terms(own[-1])})
    return _read(encoder, own, _places(len(own), count), [last, before, third], features, words)


def attitude_inputs(encoder: SentenceEncoder, turns: Sequence[RoleTurn], item: str) -> MindInputs:
    """For how the seeker stands to `item` after these turns."""
    naming = [place for place, turn in enumerate(turns) if names(turn.text, item)]
    first = naming[0] if naming else max(0, len(turns) - 2)
    reacting = max((place for place, turn in enumerate(turns) if turn.role == "seeker"), default=len(turns) - 1)
    mention, reaction = masked(turns[first].text, item), masked(turns[reacting].text, item)
    mentions = [masked(part, item) for part in parts(turns[first].text)]
    mentioning = next((part for part in mentions if THIS in part), mentions[-1])
    asking = mentions[-1]
    own = [masked(part, item) for part in clauses(turns[reacting].text)]
    about = [THIS in part for part in own]
    named = next((part for part, this in zip(own, about, strict=True) if this), own[0])
    between = next((masked(turn.text, item) for turn in turns[first + 1 :] if turn.role == "seeker"), reaction)
    offered = movies(turns[first].text)
    rank = next((number for number, movie in enumerate(offered) if names(movie, item)), 0)
    speakers = [turns[place].role for place in naming]
    flags = [
        turns[first].role == "seeker", reacting - first, reacting - first > 1, reacting == first,
        min(len(offered), 5), min(rank, 5), any(about), ANOTHER in reaction, min(len(naming), 5), len(turns),
        speakers.count("seeker"), speakers.count("recommender"), turns[first].role == "seeker" and first == reacting,
    ]  # fmt: skip
    kinds = np.array(
        [
            [this, ANOTHER in part, any(about[:number]) and not this, not any(about), rank == number]
            for number, (part, this) in enumerate(zip(own, about, strict=True))
        ]
    )
    features = [*_cues(mention, mentioning, reaction, named, own[-1], between, asking), np.array(flags)]
    who = "S" if reacting == first else turns[first].role[0]
    words = _slots(
        {"r": _grams(own), "n": _grams([named]), "m": terms(mentioning), "w": [who] * 3, "b": terms(between), "f": _grams(own[:1])}
    )
    part_features = np.concatenate([_places(len(own), len(turns)), kinds], axis=1)
    return _read(encoder, own, part_features, [mention, mentioning, reaction, named, between], features, words)


def clauses(text: str) -> list[str]:
    """Its parts, with those cut at "but" and at commas."""
    return [clause for part in parts(text) for clause in _CLAUSE_END.split(part) if clause.strip(" .,!?")][:8] or [text]


def _text(turns: Sequence[RoleTurn], place: int) -> str:
    return masked(turns[place].text) if 0 <= place < len(turns) else ""


def _cues(*texts: str) -> list[Array]:
    return [cues(text) for text in texts]


def _places(count: int, place: int) -> NDArray[Any]:
    return np.array([[number == 0, number == count - 1, number, count, place == 0, place == 1] for number in range(count)])


def _grams(texts: Iterable[str]) -> list[str]:
    """Words, pairs and triples of words, which know where a text begins and ends."""
    found: list[str] = []
    for text in texts:
        words = ["<", *terms(text), ">"]
        pairs = [f"{one} {other}" for one, other in itertools.pairwise(words)]
        found += [*words[1:-1], *pairs, *(f"{one} {pair}" for one, pair in zip(words, pairs[1:]))]
    return found


def _slots(found: dict[str, list[str]]) -> Slots:
    return Counter(zlib.crc32(f"{kind}:{term}".encode()) % SLOTS for kind, each in found.items() for term in each)


def _read(
    encoder: SentenceEncoder,
    own: list[str],
    places: NDArray[Any],
    around: list[str],
    features: Iterable[NDArray[Any]],
    words: Slots,
) -> MindInputs:
    texts = [text for text in (*own, *around) if text]
    vectors = dict(zip(texts, encoder.encode(texts), strict=True))
    nothing = np.zeros(encoder.width, np.float32)
    return MindInputs(
        np.stack([vectors[part] for part in own]),
        np.concatenate([np.stack(_cues(*own)), places], axis=1).astype(np.float32),
        np.stack([vectors.get(text, nothing) for text in around]),
        np.concatenate(list(features)).astype(np.float32),
        words,
    )
