"""The mind model: what recommender and seeker intend, what the seeker thinks of each item, and what comes next."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grice.models.dialogue import Dialogue, Speaker, Turn, check_each
from grice.models.manifest import Manifest, read_manifest
from grice.models.minds.joint_encoder import JointEncoder, Reading, attitude_reading, intention_reading, mixed, reading_of
from grice.models.minds.labels import (
    ATTITUDES,
    BELIEFS,
    COARSE,
    FINE,
    MIND_ROLES,
    LabelSet,
    MindRole,
    SetProbabilities,
    best,
    best_fine,
    probability_of,
)
from grice.models.minds.questions import ATTITUDE, MindQuestion, RoleTurn, answer, head_of, intention_head, next_head
from grice.models.minds.reactions import ordinals_named, reaction_to
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.minds.results import ItemAttitude, MindReading, NextStrategies, TurnIntentions
from grice.models.minds.sentence_heads import (
    MindHeads,
    MindInputs,
    attitude_inputs,
    inputs_of,
    intention_inputs,
    next_inputs,
)
from grice.models.runtime.parallel import Workers
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_encoder_of

HISTORY_TURNS = 40
REMEMBERED = 4096
"""Turns and items that were read: those of earlier turns do not change when a dialogue goes on, but for the last."""


@dataclass(frozen=True)
class MindMembers:
    """What the heads on sentences and the joint encoder say together of one answer: probabilities of sets of labels.

    Attributes:
        joint: None: the heads answer alone.
    """

    encoder: SentenceEncoder
    heads: MindHeads
    joint: JointEncoder | None

    def of_turn(self, turns: Sequence[RoleTurn], place: int) -> SetProbabilities:
        """For the fine intentions of the turn at `place`."""
        inputs = intention_inputs(self.encoder, turns, place)
        return self.probabilities(intention_head(turns[place].role), inputs, intention_reading(turns, place))

    def of_item(self, turns: Sequence[RoleTurn], item: str) -> SetProbabilities:
        """For how the seeker stands to `item` after these turns."""
        return self.probabilities(ATTITUDE, attitude_inputs(self.encoder, turns, item), attitude_reading(turns, item))

    def of_next(self, turns: Sequence[RoleTurn], role: MindRole) -> SetProbabilities:
        """For the coarse intentions of the next turn, by `role`."""
        return self.probabilities(next_head(role), next_inputs(self.encoder, turns, role), None)

    def of_question(self, question: MindQuestion) -> SetProbabilities:
        """For what a question asks about."""
        return self.probabilities(head_of(question), inputs_of(self.encoder, question), reading_of(question))

    def probabilities(self, head: str, inputs: MindInputs, reading: Reading | None) -> SetProbabilities:
        """Of a head, from what both members read; where there is no reading, the heads answer alone."""
        found = self.heads.probabilities(head, inputs)
        if self.joint is None or reading is None:
            return found
        return mixed(found, dict(zip(self.heads.heads[head].sets, map(float, self.joint.shares(head, reading)), strict=True)))


class MindModel:
    """Reads recommendation dialogues, and answers RecToM's questions on them.

    Raises:
        WeightsError: the heads cannot be read, or belong to another encoder.
        InputError: an argument is out of range.
    """

    def __init__(self, manifest: Manifest, encoder: SentenceEncoder, runtime: Runtime = Runtime()) -> None:
        encoder.check_fitted(manifest)
        self.manifest = manifest
        self.provider = encoder.provider
        heads = MindHeads.load(manifest.path("heads.npz"), sets_in(manifest))
        sets = {name: head.sets for name, head in heads.heads.items()}
        has_joint = "reader" in manifest.settings and manifest.setting("reader", bool, "true or false")
        joint = JointEncoder(manifest.path, sets, replace(runtime, provider=encoder.provider)) if has_joint else None
        self.members = MindMembers(encoder, heads, joint)
        self.workers = Workers(runtime.workers)
        self._intentions = functools.lru_cache(REMEMBERED)(self._read_intentions)
        self._attitude = functools.lru_cache(REMEMBERED)(self._read_attitude)

    def predict(self, dialogues: Sequence[RecommendationDialogue]) -> list[MindReading]:
        """What is in the minds of both after the last turn of each dialogue, in order."""
        check_each(dialogues, RecommendationDialogue, "dialogues")
        return self.workers.map(lambda part: [self._reading(dialogue) for dialogue in part], dialogues, max(1, len(dialogues)))

    def answer(self, questions: Sequence[MindQuestion]) -> list[frozenset[str]]:
        """The letters of the options chosen, in order; each question is read alone."""
        check_each(questions, MindQuestion, "questions")
        return [answer(each, self.members.of_question(each)) for each in questions]

    def _reading(self, asked: RecommendationDialogue) -> MindReading:
        kept = asked.dialogue.turns[-HISTORY_TURNS - 1 :]
        cut = len(asked.dialogue.turns) - len(kept)
        asked = replace(asked, dialogue=Dialogue(kept))
        start, turns = zip(*asked.turns(), strict=True)
        names = asked.found_items()
        clear = ordinals_named(turns, names)
        reactions = ((item, reaction_to(clear, item, names)) for item in names)
        items = (self._attitude(clear[: place + 1], item) for item, place in reactions if place is not None)
        return MindReading(
            tuple(replace(self._intentions(turns[: place + 2], place), place=cut + start[place]) for place in range(len(turns))),
            tuple(replace(each, place=cut + start[each.place]) for each in items),
            self._next(turns, "recommender" if turns[-1].role == "seeker" else "seeker"),
            len(kept) - 1,
            cut,
        )

    def _read_intentions(self, turns: tuple[RoleTurn, ...], place: int) -> TurnIntentions:
        role = turns[place].role
        found = self.members.of_turn(turns, place)
        chosen = best_fine(role, found)
        return TurnIntentions(place, role, tuple(label for label in FINE[role] if label in chosen), _shares(FINE[role], found))

    def _read_attitude(self, turns: tuple[RoleTurn, ...], item: str) -> ItemAttitude:
        """From turns that end with the seeker's reaction."""
        found = self.members.of_item(turns, item)
        labels = best(found)
        attitude = next(each for each in ATTITUDES if each.label in labels)
        return ItemAttitude(item, len(turns) - 1, attitude, {each.label: probability_of(each.label, found) for each in ATTITUDES})

    def _next(self, turns: Sequence[RoleTurn], role: MindRole) -> NextStrategies:
        found = self.members.of_next(turns, role)
        chosen = best(found)
        return NextStrategies(role, tuple(label for label in COARSE[role] if label in chosen), _shares(COARSE[role], found))


def sets_in(manifest: Manifest) -> dict[str, list[LabelSet]]:
    """The sets of labels by head that a manifest lists.

    Raises:
        ManifestError: a head is missing, or has a label that is none of its own, an empty set or the same one twice.
    """
    known: dict[str, Sequence[str]] = {ATTITUDE: BELIEFS}
    for role in MIND_ROLES:
        known |= {intention_head(role): FINE[role], next_head(role): COARSE[role]}
    found: dict[str, list[LabelSet]] = {}
    for head, labels in known.items():
        allowed = f"different lists of {', '.join(labels)}"
        listed = manifest.setting(f"sets.{head}", list, allowed)
        found[head] = [frozenset(each) for each in listed if isinstance(each, list) and all(label in labels for label in each)]
        if len(set(found[head])) < len(listed) or frozenset() in found[head]:
            raise manifest.refuse(f"sets.{head}", listed, allowed)
    return found


def _shares(labels: Sequence[str], found: SetProbabilities) -> dict[str, float]:
    return {label: probability_of(label, found) for label in labels}


class MindTracker:
    """Follows one dialogue turn by turn; vectors of earlier turns are remembered by the encoder.

    Args:
        items, seeker: see `RecommendationDialogue`.
    """

    def __init__(self, model: MindModel, items: tuple[str, ...] | None = None, seeker: Speaker = "user") -> None:
        self.model = model
        self.items = items
        self.seeker = seeker
        self.turns: tuple[Turn, ...] = ()

    def add(self, turn: Turn) -> MindReading:
        """What is in the minds of both after `turn`.

        Raises:
            InputError: the items or the seeker cannot be used; the turn is not kept then.
        """
        turns = (*self.turns, turn)
        reading = self.model.predict([RecommendationDialogue(Dialogue(turns), self.items, self.seeker)])[0]
        self.turns = turns
        return reading


@functools.lru_cache(maxsize=16, typed=True)
def load_mind_model(name: str | Path = "mind", *, runtime: Runtime = Runtime()) -> MindModel:
    """A shipped model by name, or one from a folder, with the encoder that it names; loaded once a process.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """
    manifest = read_manifest(name, "mind")
    return MindModel(manifest, load_encoder_of(manifest, runtime), runtime)
