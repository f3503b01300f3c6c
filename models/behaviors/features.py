"""What a response is like beside what was said before it: lengths, overlaps, and how near it comes to each earlier turn.

Repeating and contradicting are about pairs of turns, so every sentence of the response is compared with every earlier turn, of the
same and of the other speaker apart ("turn pairing": Finch, Paek & Choi 2023, section 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grice.models.dialogue import Speaker
from grice.models.text.wording import Wording

Vector = NDArray[np.float32]

PAIR_FEATURES = (
    "nearest",
    "mean",
    "shared",
    "nearest_question_to_question",
    "nearest_statement_to_statement",
    "nearest_question_to_statement",
    "nearest_with_negation_flipped",
    "nearest_statement_with_negation_flipped",
    "nearest_own_statement",
    "nearest_own_statement_with_negation_flipped",
    "shared_statement_with_negation_flipped",
    "shared_question",
    "negation_flipped_to_nearest",
    "mean_nearest",
)
"""Of the response's sentences beside some earlier turns: `nearest` is the highest cosine, `shared` the highest overlap of words."""

RUNS = (3, 4, 6)


@dataclass(frozen=True)
class EncodedText:
    """A turn, or a sentence of one, by its words and its meaning. `vector` has unit length, shape (width,)."""

    speaker: Speaker
    wording: Wording
    vector: Vector


@dataclass(frozen=True)
class Nearest:
    """The earlier turn that comes nearest to a sentence of the response: its place in the history, and the cosine."""

    place: int
    cosine: float


def features(
    response: EncodedText, sentences: Sequence[EncodedText], history: Sequence[EncodedText]
) -> tuple[NDArray[np.float32], dict[Speaker, Nearest]]:
    """The features of a response, shape (k,), and by speaker the turn in `history` that comes nearest to it, if there is one.

    Args:
        sentences: those of the response.
        history: the turns before it, oldest first.
    """
    places = {speaker: [place for place, said in enumerate(history) if said.speaker == speaker] for speaker in ("user", "bot")}
    own, partner = ([history[place] for place in places[speaker]] for speaker in ("bot", "user"))
    last = history[-1] if history else None
    blocks = [
        pairs(sentences, [last] if last else []),
        pairs(sentences, own),
        pairs(sentences, partner),
        pairs(sentences, own[-1:]),
    ]
    values = [
        *_shape(response, sentences, last, len(history)),
        *_meaning(response, last, own, partner),
        *_overlap(response, last, own, partner),
        *(value for block, _ in blocks for value in block),
        *_within(sentences),
        *_news(response, history),
        *_claims(response, sentences, last, own),
    ]
    speakers: tuple[tuple[Speaker, int], ...] = (("bot", 1), ("user", 2))
    nearest = {who: Nearest(places[who][blocks[at][1]], blocks[at][0][0]) for who, at in speakers if places[who]}
    return np.array(values, np.float32), nearest


def pairs(sentences: Sequence[EncodedText], earlier: Sequence[EncodedText]) -> tuple[list[float], int]:
    """`PAIR_FEATURES` of the sentences beside the earlier turns, and which of these comes nearest (0 where there are none)."""
    if not earlier:
        return [0.0] * len(PAIR_FEATURES), 0
    cosine = np.stack([each.vector for each in sentences]) @ np.stack([each.vector for each in earlier]).T
    shared = np.array([[_shared(one, other) for other in earlier] for one in sentences])
    asks, asked = _flags(sentences, "question")[:, None], _flags(earlier, "question")[None]
    flipped = _flags(sentences, "negated")[:, None] != _flags(earlier, "negated")[None]
    own = _flags(sentences, "first_person")[:, None] & _flags(earlier, "first_person")[None]
    states = ~asks & ~asked
    row, column = np.unravel_index(int(cosine.argmax()), cosine.shape)
    values = [
        cosine.max(),
        cosine.mean(),
        shared.max(),
        _highest(cosine, asks & asked),
        _highest(cosine, states),
        _highest(cosine, asks & ~asked),
        _highest(cosine, flipped),
        _highest(cosine, states & flipped),
        _highest(cosine, states & own),
        _highest(cosine, states & own & flipped),
        _highest(shared, states & flipped),
        _highest(shared, asks & asked),
        flipped[row, column],
        cosine.max(1).mean(),
    ]
    return [float(value) for value in values], int(column)


def _flags(said: Sequence[EncodedText], name: str) -> NDArray[np.bool_]:
    return np.array([getattr(each.wording, name) for each in said], bool)


def _highest(values: NDArray[np.float32], where: NDArray[np.bool_]) -> float:
    return float((values * where).max())


def _shared(one: EncodedText, other: EncodedText) -> float:
    """Content words in both, as a share of the smaller set."""
    few = min(len(one.wording.content), len(other.wording.content))
    return len(one.wording.content & other.wording.content) / max(1, few)


def _shape(response: EncodedText, sentences: Sequence[EncodedText], last: EncodedText | None, turns: int) -> list[float]:
    said, before = response.wording, last.wording if last else Wording.of("-")
    return [
        len(said.words),
        len(before.words),
        len(sentences),
        said.questions,
        before.questions,
        before.question,
        said.question,
        said.exclamations,
        before.exclamations,
        turns / 2,
        turns <= 1,
        turns == 3,
        said.negated,
        before.negated,
        said.first_person,
        said.second_person,
        float(np.mean([each.wording.first_person for each in sentences])),
        float(np.mean([each.wording.second_person for each in sentences])),
        said.text[:1].islower(),
        any(mark in said.text for mark in ("..", " ,", ".,")),
    ]


def _meaning(
    response: EncodedText, last: EncodedText | None, own: Sequence[EncodedText], partner: Sequence[EncodedText]
) -> list[float]:
    def nearness(earlier: Sequence[EncodedText]) -> list[float]:
        return [float(response.vector @ said.vector) for said in earlier]

    to_last, to_own, to_partner = nearness([last] if last else []), nearness(own), nearness(partner)
    last_to_own = float(last.vector @ own[-1].vector) if last and own else 0.0
    return [
        *(to_last or [0.0]),
        to_own[-1] if to_own else 0.0,
        max(to_own, default=0.0),
        to_partner[-2] if len(to_partner) > 1 else 0.0,
        max(to_partner[:-1], default=0.0),
        last_to_own,
    ]


def _overlap(
    response: EncodedText, last: EncodedText | None, own: Sequence[EncodedText], partner: Sequence[EncodedText]
) -> list[float]:
    said = response.wording
    before = last.wording.content if last else frozenset()
    everything = frozenset[str]().union(*(each.wording.content for each in (*own, *partner)))
    both = len(said.content & before)
    values = [
        both,
        both / max(1, len(said.content)),
        both / max(1, len(before)),
        len(said.content - everything) / max(1, len(said.content)),
    ]
    for length in RUNS:
        runs = said.runs(length)
        for earlier in (own, partner):
            known = frozenset[tuple[str, ...]]().union(*(each.wording.runs(length) for each in earlier))
            values.append(len(runs & known) / max(1, len(runs)))
    return [*values, 1 - len(said.runs(3)) / max(1, len(said.words) - 2)]


def _within(sentences: Sequence[EncodedText]) -> list[float]:
    """A response can repeat or contradict itself."""
    vectors = np.stack([each.vector for each in sentences])
    cosine = vectors @ vectors.T
    np.fill_diagonal(cosine, 0.0)
    negated = {each.wording.negated for each in sentences}
    return [float(cosine.max()), float(len(negated) > 1)]


def _news(response: EncodedText, history: Sequence[EncodedText]) -> list[float]:
    """Names and numbers that nobody has mentioned: where facts can be wrong."""
    words = frozenset[str]().union(*(each.wording.words for each in history))
    names, numbers = response.wording.names, response.wording.numbers
    return [
        len(names),
        sum(name.lower() not in words for name in names),
        len(numbers),
        sum(number not in words for number in numbers),
    ]


def _claims(
    response: EncodedText, sentences: Sequence[EncodedText], last: EncodedText | None, own: Sequence[EncodedText]
) -> list[float]:
    """What the bot says of itself, and what it said before of what it is asked now."""
    said, asked = response.wording, last.wording if last else Wording.of("-")
    about_itself = [each.wording.negated for each in sentences if each.wording.first_person and not each.wording.question]
    claims = [sum(about_itself), len(about_itself) - sum(about_itself), len(set(about_itself)) > 1]
    values: list[float] = [said.affirms, said.denies, asked.asks, *claims]
    if last is None or not own:
        return [float(value) for value in (*values, *[0.0] * 6)]
    nearness = [float(last.vector @ each.vector) for each in own]
    place = int(np.argmax(nearness))
    told = own[place]
    known = frozenset[str]().union(*(each.wording.numbers for each in own))
    values += [
        nearness[place],
        float(response.vector @ told.vector),
        told.wording.negated != said.negated,
        told.wording.first_person,
        len(own) - place,
        bool(known) and bool(set(said.numbers) - known),
    ]
    return [float(value) for value in values]
