"""What models find: frozen, and saying how much of the dialogue they read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, get_args

from grice.models.errors import InputError

Behavior = Literal["Emp", "!Emp", "!Com", "!Fac", "!Sel", "!Par", "Red", "Ign", "!Rel"]
"""What a bot's response can do, as ABC-Eval labels it: empathic, lack of empathy, commonsense contradiction, incorrect fact, self
contradiction, partner contradiction, redundant, ignoring, irrelevant."""

BEHAVIORS: tuple[Behavior, ...] = get_args(Behavior)

PAIRED: tuple[Behavior, ...] = ("!Sel", "!Par", "Red")
"""Behaviours that are about an earlier turn: of the bot itself, of its partner, or of either."""

FaceAct = Literal["spos+", "spos-", "hpos+", "hpos-", "sneg+", "hneg+", "hneg-", "other"]
"""What an utterance does to the speaker's (s) or the hearer's (h) wish to be liked (pos) or to be free (neg): it saves (+) or
threatens (-) it (Brown and Levinson 1987; Dutt, Joshi and Rosé 2020). "other" does neither."""

FACE_ACTS: tuple[FaceAct, ...] = get_args(FaceAct)

PersuasionRole = Literal["persuader", "persuadee"]

PERSUASION_ROLES: tuple[PersuasionRole, ...] = get_args(PersuasionRole)

SIGNS: Mapping[str, int] = {"+": 1, "-": -1}
"""What the end of a face act's name says: it saves, or it threatens."""


@dataclass(frozen=True)
class Range:
    """In the type of a number: what it may be."""

    low: float
    high: float


Share = Annotated[float, Range(0.0, 1.0)]
"""A probability, or another number from 0 to 1."""


@dataclass(frozen=True)
class Directness:
    """How plainly a turn says what is wanted.

    Attributes:
        score: 0 (indirect) to 1 (direct), calibrated: the share of turns of this score that people judge direct.
        history_read: turns of history that the model read.
        history_cut: older turns that did not fit and were left out.
        text_cut: the end of the turn itself did not fit and was left out.
    """

    score: Share
    history_read: int = 0
    history_cut: int = 0
    text_cut: bool = False


@dataclass(frozen=True)
class Rewrite:
    """A turn in another form.

    Attributes:
        text: the rewritten turn, cased and spaced like written English.
        confidence: the mean probability of its tokens, 0 to 1 (the exponential of the mean log-probability).
        tokens: how many tokens were generated, the end token included.
        finished: the model ended the turn by itself, not by the length limit.
        history_read, history_cut, text_cut: as in `Directness`.
    """

    text: str
    confidence: Share
    tokens: int
    finished: bool = True
    history_read: int = 0
    history_cut: int = 0
    text_cut: bool = False


@dataclass(frozen=True)
class SlotValues:
    """Which value of a slot a turn means.

    Attributes:
        probabilities: for each possible value, in the order of the question, how likely it is meant, 0 to 1.
        not_mentioned: how likely the turn says nothing of the slot, 0 to 1.
        value: the value that is meant; None where it is ambiguous or not mentioned.
        ambiguous: the best values are too close to tell them apart.
    """

    probabilities: tuple[Share, ...]
    not_mentioned: Share
    value: str | None
    ambiguous: bool


@dataclass(frozen=True)
class Behaviors:
    """What a bot's response does, behaviour by behaviour.

    Attributes:
        probabilities: for each of `BEHAVIORS`, how likely the response shows it, 0 to 1; None where it was not scored. Labels that
            are not given are not scored.
        evidence: for a behaviour that is about an earlier turn (`PAIRED`), the place in `Dialogue.turns`, 0 the oldest, of the turn
            that the response most likely repeats or contradicts; nothing where there is no such turn.
        history_read, history_cut, text_cut: as in `Directness`.

    Raises:
        InputError: a label is unknown, a probability is not a number from 0 to 1, or a place is negative.
    """

    probabilities: Mapping[Behavior, Share | None] = field(default_factory=dict)
    evidence: Mapping[Behavior, int] = field(default_factory=dict)
    history_read: int = 0
    history_cut: int = 0
    text_cut: bool = False

    def __post_init__(self) -> None:
        for label, probability in self.probabilities.items():
            if label not in BEHAVIORS:
                raise InputError("behavior", label, ", ".join(BEHAVIORS))
            if probability is not None and not 0 <= probability <= 1:
                raise InputError(f"probability of {label}", probability, "0 to 1, or None")
        for label, place in self.evidence.items():
            if label not in PAIRED:
                raise InputError("behavior with an earlier turn as evidence", label, ", ".join(PAIRED))
            if place < 0:
                raise InputError(f"evidence of {label}", place, "the place of a turn, 0 or more")
        object.__setattr__(self, "probabilities", {label: self.probabilities.get(label) for label in BEHAVIORS})

    def shown(self, thresholds: Mapping[Behavior, float]) -> tuple[Behavior, ...]:
        """The behaviours whose probability is at least their threshold; one without a threshold is not shown."""
        found = self.probabilities.items()
        return tuple(label for label, value in found if value is not None and value >= thresholds.get(label, 2.0))


@dataclass(frozen=True)
class Intentions:
    """What the turns of a persuasion do to face, the last one in detail.

    Attributes:
        probabilities: for each of `FACE_ACTS`, how likely the last turn does it, 0 to 1; they sum to 1.
        labels: the face act of each turn that was read, oldest first; the last is that of the last turn.
        roles: who said each of them.
        agreement: after each of them, how likely the persuadee agrees in the end, 0 to 1.
        history_read, history_cut, text_cut: as in `Directness`.
        read_as: which heads read it: those of gifts to a charity, or those of other goals.
        far: whether the goal is unlike all that were learned from.

    Raises:
        InputError: a label or a probability is missing or unknown, or the turns have not one label, role and agreement each.
    """

    probabilities: Mapping[FaceAct, Share]
    labels: tuple[FaceAct, ...]
    roles: tuple[PersuasionRole, ...]
    agreement: tuple[Share, ...]
    history_read: int = 0
    history_cut: int = 0
    text_cut: bool = False
    read_as: Literal["charity", "other"] = "charity"
    far: bool = False

    def __post_init__(self) -> None:
        if set(self.probabilities) != set(FACE_ACTS):
            raise InputError("face acts with a probability", sorted(self.probabilities), ", ".join(FACE_ACTS))
        if not all(0 <= value <= 1 for value in (*self.probabilities.values(), *self.agreement)):
            raise InputError("probabilities", [*self.probabilities.values(), *self.agreement], "numbers from 0 to 1")
        if not self.labels or not len(self.labels) == len(self.roles) == len(self.agreement):
            got = f"{len(self.labels)} labels, {len(self.roles)} roles, {len(self.agreement)} agreements"
            raise InputError("turns", got, "as many of each, at least 1")
        if unknown := [label for label in self.labels if label not in FACE_ACTS]:
            raise InputError("face act", unknown[0], ", ".join(FACE_ACTS))

    @property
    def label(self) -> FaceAct:
        """What the last turn does."""
        return self.labels[-1]

    def counts(self, role: PersuasionRole) -> dict[FaceAct, int]:
        """How many of the turns of `role` do what."""
        said = Counter(label for label, who in zip(self.labels, self.roles, strict=True) if who == role)
        return {label: said[label] for label in FACE_ACTS}

    def balance(self, role: PersuasionRole) -> int:
        """Saves minus threats among the turns of `role`."""
        return sum(number * SIGNS[label[-1]] for label, number in self.counts(role).items() if label[-1] in SIGNS)
