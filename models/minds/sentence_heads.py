"""The heads on sentences: what they read of a recommendation dialogue, and the probabilities of sets of labels that they give.

Five heads of the same kind, in numpy: for the intentions of a turn of each role, for those of the next, for attitudes to a movie.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grice.models.errors import WeightsError
from grice.models.minds.labels import MIND_ROLES, LabelSet, MindRole, coarse_of
from grice.models.minds.questions import ATTITUDE, MindQuestion, RoleTurn, head_of, intention_head, next_head
from grice.models.minds.wording import ANOTHER, CUES, THIS, cues, masked, movies, names, parts
from grice.models.runtime.heads import Floats, load_arrays, save_arrays
from grice.models.runtime.set_networks import HALVED, SetNetworks
from grice.models.sentence_encoder.encoder import SentenceEncoder

MOST_NAMED, MOST_TURNS = 10, 20
"""Counts are told up to these."""
MOST_CLAUSES = 8
MOST_COUNTED = 5
"""Counts of movies and of turns that name one are told up to this."""

_CLAUSE_END = re.compile(r",?\s+(?=(?:but|though|although)\b)|,\s+(?=(?:and )?(?:i|it|haven't)\b)", re.IGNORECASE)


@dataclass(frozen=True)
class MindInputs:
    """What is read for one answer.

    Attributes:
        part_vectors, part_features: of each part of the turn that matters most, shapes (parts, width) and (parts, k).
        vectors, features: of turns around it and of the dialogue as a whole, shapes (turns, width) and (m,).
    """

    part_vectors: Floats
    part_features: Floats
    vectors: Floats
    features: Floats


def inputs_of(encoder: SentenceEncoder, question: MindQuestion) -> MindInputs:
    """What is read for it; the same for all questions of a head at a place about the same thing."""
    if question.place is not None:
        return intention_inputs(encoder, question.turns, question.place)
    if head_of(question) == ATTITUDE:
        return attitude_inputs(encoder, question.turns, question.about)
    return next_inputs(encoder, question.turns, question.role)


def intention_inputs(encoder: SentenceEncoder, turns: Sequence[RoleTurn], place: int) -> MindInputs:
    """For the intentions of the turn at `place`; the turn after it is read, too, where there is one."""
    turn, before, after = (_text(turns, at) for at in (place, place - 1, place + 1))
    own = [masked(part) for part in parts(turns[place].text)]
    named = sum(len(movies(each.text)) for each in turns[:place])
    asked_last = parts(before)[-1] if before else ""
    facts = [place == 0, place == 1, min(place, MOST_TURNS), bool(after), min(named, MOST_NAMED)]
    cued = [turn, own[0], own[-1], before, asked_last, after]
    return read(encoder, MindTexts(own, places(len(own), place), [turn, before, after], cued, facts))


def next_inputs(encoder: SentenceEncoder, turns: Sequence[RoleTurn], role: MindRole) -> MindInputs:
    """For what `role` will do in the turn after these."""
    count = len(turns)
    last, before, third, fourth = (_text(turns, count - back) for back in (1, 2, 3, 4))
    own = [masked(part) for part in parts(turns[-1].text)]
    sums = [_sum(turn.text for turn in turns if (turn.role == role) == mine) for mine in (True, False)]
    facts = [count, *(count <= most for most in (1, 2, 3, 4, 6)), count > 10, count > 14, turns[0].role == role]
    texts = MindTexts(
        own,
        places(len(own), count),
        [last, before, third],
        [last, before, third, fourth, own[-1]],
        np.concatenate([*sums, np.array(facts)]),
    )
    return read(encoder, texts)


def attitude_inputs(encoder: SentenceEncoder, turns: Sequence[RoleTurn], item: str) -> MindInputs:
    """For how the seeker stands to `item`, from where it is named first and from the seeker's last turn, the reaction."""
    naming = [place for place, turn in enumerate(turns) if names(turn.text, item)]
    first = naming[0] if naming else max(0, len(turns) - 2)
    last = max((place for place, turn in enumerate(turns) if turn.role == "seeker"), default=len(turns) - 1)
    mention, reaction = masked(turns[first].text, item), masked(turns[last].text, item)
    mentions = [masked(part, item) for part in parts(turns[first].text)]
    mentioning = next((part for part in mentions if THIS in part), mentions[-1])
    own = [masked(clause, item) for clause in clauses(turns[last].text)]
    about = next((clause for clause in own if THIS in clause), own[0])
    between = next((masked(turn.text, item) for turn in turns[first + 1 :] if turn.role == "seeker"), reaction)
    offered = movies(turns[first].text)
    rank = next((number for number, movie in enumerate(offered) if names(movie, item)), 0)
    speakers = [turns[place].role for place in naming]
    by_seeker = turns[first].role == "seeker"
    facts = [
        *(by_seeker, last - first, last - first > 1, last == first, by_seeker and first == last),
        *(min(len(offered), MOST_COUNTED), min(rank, MOST_COUNTED), min(len(naming), MOST_COUNTED), len(turns)),
        *(any(THIS in clause for clause in own), ANOTHER in reaction, speakers.count("seeker"), speakers.count("recommender")),
    ]
    texts = MindTexts(
        own,
        np.concatenate([places(len(own), len(turns)), _aboutness(own, rank)], axis=1),
        [mention, mentioning, reaction, about, between],
        [mention, mentioning, reaction, about, own[-1], between, mentions[-1]],
        facts,
    )
    return read(encoder, texts)


def clauses(text: str) -> list[str]:
    """The parts of a turn, cut at commas and before "but" where a clause of its own begins; at most `MOST_CLAUSES`."""
    found = [clause for part in parts(text) for clause in _CLAUSE_END.split(part) if clause.strip(" .,!?")]
    return found[:MOST_CLAUSES] or [text]


def _aboutness(own: Sequence[str], rank: int) -> Floats:
    """Whether each clause names the movie, names others, comes after one that names it, may be about any, or has its rank."""
    about = [THIS in clause for clause in own]
    rows = [
        [this, ANOTHER in clause, any(about[:number]) and not this, not any(about), rank == number]
        for number, (clause, this) in enumerate(zip(own, about, strict=True))
    ]
    return np.array(rows, np.float32)


@dataclass(frozen=True)
class MindTexts:
    """Masked texts that inputs are read from.

    Attributes:
        own: the parts. part_facts: more of each than its cues, shape (parts, k).
        around: texts whose vectors are read. cued: texts whose cues are read. facts: more of the whole.
    """

    own: Sequence[str]
    part_facts: Floats
    around: Sequence[str]
    cued: Sequence[str]
    facts: Sequence[float] | Floats


def read(encoder: SentenceEncoder, texts: MindTexts) -> MindInputs:
    """Inputs from masked texts; a text that is empty has a vector of zeros."""
    encoded = [text for text in (*texts.own, *texts.around) if text]
    vectors = dict(zip(encoded, encoder.encode(encoded), strict=True))
    nothing = np.zeros(encoder.width, np.float32)
    return MindInputs(
        np.stack([vectors[part] for part in texts.own]),
        np.concatenate([np.stack([cues(part) for part in texts.own]), texts.part_facts], axis=1).astype(np.float32),
        np.stack([vectors.get(text, nothing) for text in texts.around]),
        np.concatenate([*(cues(text) for text in texts.cued), np.asarray(texts.facts)]).astype(np.float32),
    )


def places(count: int, place: int) -> Floats:
    """Where each of `count` parts stands in its turn, and whether the turn is one of the first two: shape (count, 6)."""
    rows = [[number == 0, number == count - 1, number, count, place == 0, place == 1] for number in range(count)]
    return np.array(rows, np.float32)


def _text(turns: Sequence[RoleTurn], place: int) -> str:
    return masked(turns[place].text) if 0 <= place < len(turns) else ""


def _sum(texts: Iterable[str]) -> Floats:
    found: Floats = sum((cues(masked(text)) for text in texts), np.zeros(CUES, np.float32))
    return found


HEADS = (*map(intention_head, MIND_ROLES), *map(next_head, MIND_ROLES), ATTITUDE)


def labels_of_set(head: str, labels: LabelSet) -> LabelSet:
    """The labels that a set gets its value from: its own, and what they have in common with those of other sets."""
    if head == ATTITUDE:
        return labels.union(*(label.split("-") for label in labels))
    for role in MIND_ROLES:
        if head == intention_head(role):
            return labels | {f"coarse {label}" for label in coarse_of(role, labels)}
    return labels


def membership(head: str, sets: Sequence[LabelSet]) -> Floats:
    """Which labels (see `labels_of_set`) a set has: shape (sets, labels)."""
    named = [labels_of_set(head, each) for each in sets]
    labels = sorted(frozenset[str]().union(*named))
    return np.array([[label in each for label in labels] for each in named], np.float32)


@dataclass(frozen=True)
class SetHead:
    """Chooses among the sets of labels that its training data has.

    Attributes:
        sets: in the order of the probabilities.
        members: see `membership`.
    """

    sets: tuple[LabelSet, ...]
    members: Floats
    networks: SetNetworks

    def probabilities(self, inputs: MindInputs, axes: Floats) -> Floats:
        """Of the sets, shape (sets,)."""
        return self.networks.predict(*network_inputs(inputs, axes), self.members)


def network_inputs(inputs: MindInputs, axes: Floats) -> tuple[Floats, Floats]:
    """Projected vectors and features of the parts, shape (parts, part inputs), and of the whole, shape (whole inputs,)."""
    parts = np.concatenate([inputs.part_vectors @ axes, inputs.part_features], axis=1)
    return parts, np.concatenate([(inputs.vectors @ axes).ravel(), inputs.features])


@dataclass(frozen=True)
class MindHeads:
    """The five heads, by name (`HEADS`), and the axes on which all see the vectors, shape (width, axes)."""

    axes: Floats
    heads: Mapping[str, SetHead]

    def probabilities(self, head: str, inputs: MindInputs) -> dict[LabelSet, float]:
        """How likely each set of labels is; they add up to 1."""
        chosen = self.heads[head]
        found = chosen.probabilities(inputs, self.axes)
        return {labels: float(value) for labels, value in zip(chosen.sets, found, strict=True)}

    def save(self, path: Path) -> None:
        """Write all arrays into one compressed `.npz` file, the large ones in half precision."""
        save_arrays(path, {"axes": self.axes, **{name: head.networks for name, head in self.heads.items()}}, HALVED)

    @property
    def sets(self) -> dict[str, list[list[str]]]:
        """The sets by head, for the manifest."""
        return {name: [sorted(labels) for labels in head.sets] for name, head in self.heads.items()}

    @classmethod
    def load(cls, path: Path, sets: Mapping[str, Sequence[Iterable[str]]]) -> MindHeads:
        """The heads that `save` wrote, with the `sets` of the manifest.

        Raises:
            WeightsError: the file is not such a file, or has other heads or sets.
        """
        arrays = load_arrays(path, dict.fromkeys(HEADS, SetNetworks))
        heads = {}
        for name in HEADS:
            own, networks = tuple(map(frozenset, sets.get(name, ()))), arrays[name]
            if len(own) != networks.set_bias.shape[-1]:
                raise WeightsError(
                    f"{path}: {name} has {networks.set_bias.shape[-1]} sets, the manifest {len(own)}; train it again"
                )
            heads[name] = SetHead(own, membership(name, own), networks)
        if "axes" not in arrays:
            raise WeightsError(f"{path}: no axes; train it again")
        return cls(arrays["axes"], heads)
