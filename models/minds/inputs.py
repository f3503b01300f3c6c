"""What the mind model reads of a recommendation dialogue for the intentions of a turn, and for those of the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from grice.models.data.rectom import RoleTurn
from grice.models.minds.labels import Role
from grice.models.minds.wording import CUES, cues, masked, movies, parts
from grice.models.runtime.heads import Array
from grice.models.sentence_encoder.encoder import SentenceEncoder

MOST_NAMED, MOST_TURNS = 10, 20
"""Counts are told up to these."""


@dataclass(frozen=True)
class MindInputs:
    """What is read for one answer.

    Attributes:
        part_vectors, part_features: of each part of the turn that matters most, shapes (parts, width) and (parts, k).
        vectors, features: of turns around it and of the dialogue as a whole, shapes (turns, width) and (m,).
    """

    part_vectors: Array
    part_features: Array
    vectors: Array
    features: Array


def intention_inputs(encoder: SentenceEncoder, turns: Sequence[RoleTurn], place: int) -> MindInputs:
    """For the intentions of the turn at `place`; the turn after it is read, too, where there is one."""
    turn, before, after = (_text(turns, at) for at in (place, place - 1, place + 1))
    own = [masked(part) for part in parts(turns[place].text)]
    named = sum(len(movies(each.text)) for each in turns[:place])
    asked_last = parts(before)[-1] if before else ""
    facts = [place == 0, place == 1, min(place, MOST_TURNS), bool(after), min(named, MOST_NAMED)]
    return read(
        encoder, own, places(len(own), place), [turn, before, after], [turn, own[0], own[-1], before, asked_last, after], facts
    )


def next_inputs(encoder: SentenceEncoder, turns: Sequence[RoleTurn], role: Role) -> MindInputs:
    """For what `role` will do in the turn after these."""
    count = len(turns)
    last, before, third, fourth = (_text(turns, count - back) for back in (1, 2, 3, 4))
    own = [masked(part) for part in parts(turns[-1].text)]
    sums = [_sum(turn.text for turn in turns if (turn.role == role) == mine) for mine in (True, False)]
    facts = [count, *(count <= most for most in (1, 2, 3, 4, 6)), count > 10, count > 14, turns[0].role == role]
    return read(
        encoder,
        own,
        places(len(own), count),
        [last, before, third],
        [last, before, third, fourth, own[-1]],
        np.concatenate([*sums, np.array(facts)]),
    )


def read(
    encoder: SentenceEncoder,
    own: Sequence[str],
    part_facts: Array,
    around: Sequence[str],
    cued: Sequence[str],
    facts: Sequence[float] | Array,
) -> MindInputs:
    """Inputs from masked texts; a text that is empty has a vector of zeros.

    Args:
        own: the parts. part_facts: more of each than its cues, shape (parts, k).
        around: texts whose vectors are read. cued: texts whose cues are read. facts: more of the whole.
    """
    texts = [text for text in (*own, *around) if text]
    vectors = dict(zip(texts, encoder.encode(texts), strict=True))
    nothing = np.zeros(encoder.width, np.float32)
    return MindInputs(
        np.stack([vectors[part] for part in own]),
        np.concatenate([np.stack([cues(part) for part in own]), part_facts], axis=1).astype(np.float32),
        np.stack([vectors.get(text, nothing) for text in around]),
        np.concatenate([*(cues(text) for text in cued), np.asarray(facts)]).astype(np.float32),
    )


def places(count: int, place: int) -> Array:
    """Where each of `count` parts stands in its turn, and whether the turn is one of the first two: shape (count, 6)."""
    rows = [[number == 0, number == count - 1, number, count, place == 0, place == 1] for number in range(count)]
    return np.array(rows, np.float32)


def _text(turns: Sequence[RoleTurn], place: int) -> str:
    return masked(turns[place].text) if 0 <= place < len(turns) else ""


def _sum(texts: Iterable[str]) -> Array:
    found: Array = sum((cues(masked(text)) for text in texts), np.zeros(CUES, np.float32))
    return found
