"""The joint encoder beside the heads on sentences: it reads turns together, and has a head for each kind of answer.

First what it reads, turns with movies marked, as pieces of its vocabulary; then what it says of them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from grice.models.dialogue import plain_text
from grice.models.errors import WeightsError
from grice.models.minds.labels import MIND_ROLES, LabelSet, MindRole
from grice.models.minds.questions import ATTITUDE, MindQuestion, RoleTurn, intention_head
from grice.models.minds.sentence_heads import membership
from grice.models.minds.wording import dated_replaced, movies, naming, spelt_out, title
from grice.models.runtime.heads import Floats, load_arrays, softmax
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.text.template import read_tokenizer, token_id

THIS_TAG, ANOTHER_TAG = "[this]", "[another]"
NUMBERED_TAGS = ("[a]", "[b]", "[c]", "[d]", "[e]")
ROLE_TAGS: dict[MindRole, str] = {"recommender": "[recommender]", "seeker": "[seeker]"}
TAGS = (THIS_TAG, ANOTHER_TAG, *NUMBERED_TAGS, *ROLE_TAGS.values())
"""Stand for the movie in question, any other, the first others that a dialogue names with a year, and who speaks."""
SEGMENTS = ("recommender", "seeker", "asked", "after")
"""Who says a turn; the turn that is asked about, and those after it, have segments of their own."""
MOST_TURNS, MOST_BEFORE = 8, 2
"""Turns that are read: for an attitude the last and where the movie is named first, for intentions the turn and those before it."""
MOST_ASKED, MOST_AROUND, MOST_TOKENS = 120, 90, 230
"""Pieces of the turn asked about, of any other turn, and of all."""
POSITIONS = MOST_TOKENS + 2
FACTS = 2

_TAG = re.compile("|".join(map(re.escape, TAGS)), re.IGNORECASE)
_THIS, _ANOTHER, _FIRST = "\ue000", "\ue001", 0xE002
"""Stand for movies until all are found, so that no name can match in a tag: characters of private use."""
_STAND_INS = re.compile("[\ue000-\uf8ff]")
FILE = "reader.int8.onnx.gz"
"""The one precision that there is."""
JOINT_HEADS = (*map(intention_head, MIND_ROLES), ATTITUDE)
"""What it answers; what comes next is left to the heads on sentences."""
HALVED = ("token_weights", "whole_weights")
"""Arrays that are kept in half precision."""
REMEMBERED = 4096
"""Readings whose probabilities are remembered: when a dialogue goes on by a turn, most stay as they are."""
LEAST = 1e-6
"""Probabilities are kept this far from 0 where their logarithm is taken."""


@dataclass(frozen=True)
class Reading:
    """Turns to be read for one answer.

    Attributes:
        turns: who speaks, the text with its tags, and the place of its segment in `SEGMENTS`.
        facts: 0 or 1; of an attitude whether the seeker, and whether the recommender, named the movie first; of intentions
            whether the turn is one of the first two, and 0.
        of_item: the movie in question is what the answer is about.
    """

    turns: tuple[tuple[MindRole, str, int], ...]
    facts: tuple[float, float]
    of_item: bool


@dataclass(frozen=True)
class JointInputs:
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
    others, word = _others(turns, item), _key_word(item)
    possible = (place for place, turn in enumerate(turns) if word in _plain_quotes(turn.text).lower())
    named = next((place for place in possible if _THIS in _found(turns[place].text, item, others)), None)
    first = max(0, len(turns) - 2) if named is None else named
    start = max(0, min(first, len(turns) - 2), len(turns) - MOST_TURNS)
    chosen = [*([first] if first < start else []), *range(start, len(turns))]
    asked = max((place for place, turn in enumerate(turns) if turn.role == "seeker"), default=len(turns) - 1)
    texts = {place: _found(turns[place].text, item, others) for place in chosen}
    read = dict.fromkeys(found for text in texts.values() for found in _STAND_INS.findall(text) if ord(found) >= _FIRST)
    tags = dict(zip(read, NUMBERED_TAGS, strict=False))
    by = turns[named].role if named is not None else None
    marked = tuple((turns[place].role, _tagged(text, tags), _segment(turns, place, asked)) for place, text in texts.items())
    return Reading(marked, (float(by == "seeker"), float(by == "recommender")), of_item=True)


def intention_reading(turns: Sequence[RoleTurn], place: int) -> Reading:
    """For what the turn at `place` intends: it and those right before it, so that it is read once, not again with the reply."""
    chosen = range(max(0, place - MOST_BEFORE), place + 1)
    marked = tuple((turns[at].role, _tagged(_found(turns[at].text, None, ()), {}), _segment(turns, at, place)) for at in chosen)
    return Reading(marked, (float(place <= 1), 0.0), of_item=False)


def reading_of(question: MindQuestion) -> Reading | None:
    """What is read for a question on intentions or attitudes; None for others."""
    if question.place is not None:
        return intention_reading(question.turns, question.place)
    return attitude_reading(question.turns, question.about) if question.kind in ("belief", "desire") else None


def _others(turns: Sequence[RoleTurn], item: str) -> list[str]:
    """The movies that turns name with a year, but for `item`, in the order of their first mention.

    A name may have too much at its front, as in "Alan Lee Grey Dust (2001)".
    """
    named = {_key(movie): movie for turn in reversed(turns) for movie in reversed(movies(_plain_quotes(turn.text)))}
    return [movie for key, movie in reversed(named.items()) if not key.endswith(_key(item)) and not title(key).endswith(_key(item))]


def _found(text: str, item: str | None, others: Sequence[str]) -> str:
    """`text` with a stand-in for `item`, each of `others` and any other movie that it names with a year.

    Names with a year come first, longer ones before shorter ones: a sequel is not the movie that its name begins with.
    """
    text = _STAND_INS.sub(" ", _TAG.sub(" ", _plain_quotes(text)))
    known = {_key(other): chr(_FIRST + number) for number, other in enumerate(others)} | ({_key(item): _THIS} if item else {})
    if item and title(item) != item:
        text = spelt_out(item).sub(_THIS, text)
    text = dated_replaced(text, lambda name: _of_dated(name, known))
    lower = text.lower()
    possible = (name for name in [*others, *([item] if item else [])] if _key_word(name) in lower)
    longest_first = sorted(possible, key=len, reverse=True)
    for name in longest_first:
        if len(title(name).split()) > 1:
            text = spelt_out(title(name)).sub(known[_key(name)], text)
    for name in longest_first:
        text = naming(name).sub(known[_key(name)], text)
    return text


@functools.lru_cache(maxsize=2048)
def _key_word(name: str) -> str:
    """A word that a text has, in lower case, wherever it names a movie, see `grice.models.minds.wording.naming`."""
    return max((title(name) or name).partition(":")[0].lower().split(), key=len, default="")


def _of_dated(name: str, known: Mapping[str, str]) -> str:
    """The stand-in for a movie named with its year, after what was taken for the beginning of its name."""
    key = _key(name)
    found = max((each for each in known if key.endswith(each) or title(key).endswith(each)), key=len, default=None)
    if found is None:
        return _ANOTHER
    own = found if key.endswith(found) else f"{found} (year)"
    words = name.split()
    return " ".join([*words[: len(words) - len(own.split())], known[found]])


def _tagged(text: str, tags: Mapping[str, str]) -> str:
    """`text` with tags for stand-ins."""
    named = {_THIS: THIS_TAG, **tags}
    return plain_text(_STAND_INS.sub(lambda found: f" {named.get(found[0], ANOTHER_TAG)} ", text)).lower()


def _key(name: str) -> str:
    return " ".join(name.split()).lower()


def _plain_quotes(text: str) -> str:
    return text.replace("&quot;", '"').replace("’", "'")


def _segment(turns: Sequence[RoleTurn], place: int, asked: int) -> int:
    if place >= asked:
        return SEGMENTS.index("asked" if place == asked else "after")
    return SEGMENTS.index(turns[place].role)


class JointTokens:
    """Turns readings into the ids of `tokenizer`.

    Raises:
        WeightsError: the tokenizer is another model's.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._start, self._end, self._this = (token_id(tokenizer, name) for name in ("[CLS]", "[SEP]", THIS_TAG))
        self._roles = {role: token_id(tokenizer, tag) for role, tag in ROLE_TAGS.items()}

    def inputs(self, reading: Reading) -> JointInputs:
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
        return JointInputs(
            row, kinds, marked.astype(np.float32), (kinds == asked).astype(np.float32), np.array(reading.facts, np.float32)
        )

    def _pieces(self, text: str) -> list[int]:
        found: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return found


@dataclass(frozen=True)
class JointHead:
    """Values of labels from states of pieces; a set of labels has the sum of its labels' values and one of its own.

    Attributes:
        token_weights: of each piece of the turn asked about, of which the highest value counts; shape (width, labels).
        whole_weights, whole_bias: of the mean state of the marked pieces, that of the turn, and the facts; shapes (2 × width + 2,
            labels) and (labels,).
        set_bias: shape (sets,).
    """

    token_weights: Floats
    whole_weights: Floats
    whole_bias: Floats
    set_bias: Floats

    def predict(self, states: Floats, inputs: JointInputs, members: Floats) -> Floats:
        """Probabilities of the sets, shape (sets,); `states` have the shape (length, width), `members` (sets, labels)."""
        means = [weights @ states / weights.sum() for weights in (inputs.marked, inputs.asked)]
        highest = (states[inputs.asked > 0] @ self.token_weights).max(0)
        values = highest + np.concatenate([*means, inputs.facts]) @ self.whole_weights + self.whole_bias
        return softmax(values @ members.T + self.set_bias)


class JointEncoder:
    """Says how likely each set of labels is, for intentions and attitudes, on onnxruntime.

    Args:
        files: from the name of a file to where it is.
        sets: of each of `JOINT_HEADS`, in the order of their probabilities.

    Raises:
        WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """

    def __init__(self, files: Callable[[str], Path], sets: Mapping[str, Sequence[LabelSet]], runtime: Runtime = Runtime()) -> None:
        self.tokens = JointTokens(read_tokenizer(files("tokenizer.json")))
        self.heads = load_heads(files("reader.npz"), sets)
        self.members = {name: membership(name, sets[name]) for name in JOINT_HEADS}
        self.session = Session(files(FILE), runtime)
        self.shares = functools.lru_cache(REMEMBERED)(self._shares)
        """Of a head's sets, shape (sets,): the arguments are the head and the reading."""

    def _shares(self, head: str, reading: Reading) -> Floats:
        inputs = self.tokens.inputs(reading)
        states = self.session.run(["states"], {"ids": inputs.ids[None], "segments": inputs.segments[None]})[0][0]
        return self.heads[head].predict(states, inputs, self.members[head])


def load_heads(path: Path, sets: Mapping[str, Sequence[LabelSet]]) -> dict[str, JointHead]:
    """The heads in `path`, by name.

    Raises:
        WeightsError: the file is not such a file, or has other sets.
    """
    heads: dict[str, JointHead] = load_arrays(path, dict.fromkeys(JOINT_HEADS, JointHead))
    for name in JOINT_HEADS:
        if len(heads[name].set_bias) != len(sets[name]):
            raise WeightsError(f"{path}: {name} has {len(heads[name].set_bias)} sets, expected {len(sets[name])}; train it again")
    return heads


def mixed(one: Mapping[LabelSet, float], other: Mapping[LabelSet, float]) -> dict[LabelSet, float]:
    """The geometric mean of two distributions over the same sets, as a distribution."""
    shares = {labels: float(np.sqrt(max(value, LEAST) * max(other[labels], LEAST))) for labels, value in one.items()}
    whole = sum(shares.values())
    return {labels: value / whole for labels, value in shares.items()}
