"""The detector of frustration: how likely the user is frustrated with the bot, or with how this talk goes."""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from grice.models.dialogue import Dialogue, check_each
from grice.models.errors import InputError
from grice.models.frustration.heads import FrustrationHeads
from grice.models.frustration.inputs import read_inputs
from grice.models.manifest import Manifest, read_manifest
from grice.models.results import Share
from grice.models.runtime.heads import sigmoid
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_encoder_of


@dataclass(frozen=True)
class UserFrustration:
    """What the user's last turn tells.

    Attributes:
        probability: how likely the user is frustrated with the bot or this talk, where every second one is; None where the user has
            said nothing to a turn of the bot, so that there is nothing to be told by.
        shown: whether that reaches the threshold.
        turn: the place of the user's turn in `Dialogue.turns`; None where nothing was read.
    """

    probability: Share | None
    shown: bool = False
    turn: int | None = None


class FrustrationDetector:
    """Reads the last turn of the user in the light of the turns before it. It says nothing of the bot's response.

    Attributes:
        threshold: the probability from which on a turn shows frustration.

    Raises:
        WeightsError: the heads cannot be read, or belong to another encoder.
        ManifestError: a setting cannot be read.
    """

    def __init__(self, manifest: Manifest, encoder: SentenceEncoder) -> None:
        encoder.check_fitted(manifest)
        self.manifest = manifest
        self.encoder = encoder
        self.provider = encoder.provider
        self.slope = manifest.number("curve.slope", 0.0, 100.0)
        self.offset = manifest.number("curve.offset", -100.0, 100.0)
        self.threshold = manifest.number("threshold", 0.0, 1.01)
        self.heads = FrustrationHeads.load(manifest.path("heads.npz"), encoder.width)

    def with_threshold(self, threshold: float) -> FrustrationDetector:
        """The same detector with another threshold.

        Raises:
            InputError: it is out of range.
        """
        if not 0 <= threshold <= 1:
            raise InputError("threshold of frustration", threshold, "0 to 1")
        other = copy.copy(self)
        other.threshold = threshold
        return other

    def predict(self, dialogues: Sequence[Dialogue]) -> list[UserFrustration]:
        """What the last turn of the user tells, one a dialogue, in order; whoever speaks last. Safe to call from several threads.

        Raises:
            InputError: something else than dialogues is asked.
        """
        check_each(dialogues, Dialogue, "dialogues")
        return [self._found(each) for each in dialogues]

    def _found(self, dialogue: Dialogue) -> UserFrustration:
        place = max((at for at, turn in enumerate(dialogue.turns) if turn.speaker == "user"), default=0)
        inputs = read_inputs(self.encoder, dialogue.turns[: place + 1])
        if inputs is None:
            return UserFrustration(None)
        share = float(sigmoid(np.float32(self.slope * self.heads.score(inputs) + self.offset)))
        return UserFrustration(share, share >= self.threshold, place)


@functools.lru_cache(maxsize=16, typed=True)
def load_frustration_detector(name: str | Path = "frustration", *, runtime: Runtime = Runtime()) -> FrustrationDetector:
    """The shipped detector by name, or one from a folder, with the encoder that it names; loaded once a process.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """
    manifest = read_manifest(name, "frustration")
    return FrustrationDetector(manifest, load_encoder_of(manifest, replace(runtime, precision="int8")))
