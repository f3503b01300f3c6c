"""The detector of face acts: what the turns of a persuasion do to the face of speaker and hearer."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

from grice.models.dialogue import Dialogue, Turn, check_each
from grice.models.errors import InputError
from grice.models.face_acts.goals import KnownGoals, PersuasionQuestion
from grice.models.face_acts.heads import FaceHeads
from grice.models.face_acts.inputs import read_inputs
from grice.models.manifest import Manifest, read_manifest
from grice.models.results import FACE_ACTS, PERSUASION_ROLES, FaceAct, Intentions, PersuasionRole
from grice.models.runtime.parallel import Workers
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_encoder_of

HISTORY_TURNS = 100
OTHER, GOALS = "other_goals.npz", "goals.npz"
"""Files of the heads for other goals than a gift to a charity, and of the goals that these learned from."""


FALL = 0.9
"""What is left of agreement, at most, after a flat refusal."""
_REFUSES = re.compile(
    r"\b(?:i refuse|not interested|count me out|leave me alone|no,? thank(?:s| you)|thank(?:s| you),? but no|the answer is no|"
    r"(?:i|i['’]ve|already) said no|out of the question|not a chance)\b|\b(?:absolutely|certainly|definitely) not\s*(?:[.,;!]|$)",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"^(?:no|nope|nah|never)\b|\b(?:i (?:won['’]?t|will not|do not want to|don['’]?t want to)|i(?:['’]m| am) not going to|no way|"
    r"forget it)\b",
    re.IGNORECASE,
)
"""Words of a refusal where the turn saves the persuadee's own face (`sneg+`); elsewhere they may answer a question, or be glad."""


class FaceActDetector:
    """Finds the face acts of a dialogue in which one side wants to persuade the other.

    Args:
        user_role: whether the user is the one to be persuaded (of a bot that asks or sells) or the one who persuades.

    Raises:
        WeightsError: the heads cannot be read, or belong to another encoder.
        InputError: an argument is out of range.
    """

    def __init__(
        self,
        manifest: Manifest,
        encoder: SentenceEncoder,
        user_role: PersuasionRole = "persuadee",
        runtime: Runtime = Runtime(),
    ) -> None:
        if user_role not in PERSUASION_ROLES:
            raise InputError("user_role", user_role, ", ".join(PERSUASION_ROLES))
        encoder.check_fitted(manifest)
        self.manifest = manifest
        self.encoder = encoder
        self.provider = encoder.provider
        self.user_role = user_role
        self.heads = FaceHeads.load(manifest.path("heads.npz"))
        others = OTHER in manifest.files
        self.other_heads = FaceHeads.load(manifest.path(OTHER)) if others else None
        self.goals = KnownGoals.load(manifest.path(GOALS)) if others else None
        self.workers = Workers(runtime.workers)

    def predict(self, asked: Sequence[Dialogue | PersuasionQuestion]) -> list[Intentions]:
        """What the last turn of each dialogue does, and the turns before it, in order. Either side may speak last.

        A dialogue alone is read as one about a gift to a charity.
        """
        check_each(_dialogues_of(asked), Dialogue, "dialogues")
        questions = [PersuasionQuestion(each) if isinstance(each, Dialogue) else each for each in asked]
        return self.workers.map(lambda part: [self._found(each) for each in part], questions, max(1, len(questions)))

    def _found(self, asked: PersuasionQuestion) -> Intentions:
        dialogue = asked.dialogue
        heads = self.other_heads if asked.kind == "other" and self.other_heads else self.heads
        turns = dialogue.turns[-HISTORY_TURNS - 1 :]
        cut = len(dialogue.turns) - len(turns)
        inputs = read_inputs(self.encoder, [(self._role(turn), turn.text) for turn in turns], cut)
        probabilities = heads.probabilities(inputs)
        labels = tuple(FACE_ACTS[place] for place in heads.labels(probabilities))
        said = list(zip(inputs.roles, (turn.text for turn in turns), labels, strict=True))
        return Intentions(
            {label: float(value) for label, value in zip(FACE_ACTS, probabilities[-1], strict=True)},
            labels,
            inputs.roles,
            tuple(after_refusals(heads.agrees(inputs, probabilities).tolist(), said)),
            len(turns) - 1,
            cut,
            not self.encoder.fits(dialogue.last.text),
            "charity" if heads is self.heads else "other",
            self._is_far(asked),
        )

    def _is_far(self, asked: PersuasionQuestion) -> bool:
        """Whether the goal is unlike all that were learned from; so are all but a gift to a charity without heads for others."""
        if asked.kind == "charity":
            return False
        return self.goals is None or self.goals.is_far(self.encoder.encode([asked.goal])[0])

    def _role(self, turn: Turn) -> PersuasionRole:
        first, second = PERSUASION_ROLES
        other = second if self.user_role == first else first
        return self.user_role if turn.speaker == "user" else other


def after_refusals(agreement: Sequence[float], said: Sequence[tuple[PersuasionRole, str, FaceAct]]) -> list[float]:
    """Agreement after each turn, which falls where the persuadee flatly refuses, whatever was estimated.

    Args:
        said: of each turn who says it, its text and its face act.
    """
    found = list(agreement)
    for place in range(1, len(found)):
        role, text, label = said[place]
        if role == "persuadee" and (_REFUSES.search(text) or (label == "sneg+" and _DECLINES.search(text))):
            found[place] = min(found[place], FALL * found[place - 1])
    return found


def _dialogues_of(asked: object) -> object:
    """The dialogues of what is asked, where that is a list."""
    if not isinstance(asked, (list, tuple)):
        return asked
    return [each.dialogue if isinstance(each, PersuasionQuestion) else each for each in asked]


@functools.lru_cache(maxsize=16, typed=True)
def load_intention_detector(
    name: str | Path = "intentions",
    *,
    user_role: PersuasionRole = "persuadee",
    runtime: Runtime = Runtime(),
) -> FaceActDetector:
    """A shipped detector by name, or one from a folder, with the encoder that it names; loaded once a process.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """
    manifest = read_manifest(name, "intentions")
    return FaceActDetector(manifest, load_encoder_of(manifest, runtime), user_role, runtime)
