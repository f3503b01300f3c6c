"""The behaviour monitor: what a bot's response does, scored on its dialogue."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from grice.models.behaviors.heads import BehaviorHeads
from grice.models.behaviors.inputs import HISTORY_TURNS, BehaviorInputs, read_inputs
from grice.models.dialogue import Dialogue, Speaker, check_each
from grice.models.manifest import Manifest, read_manifest
from grice.models.results import BEHAVIORS, PAIRED, Behavior, Behaviors
from grice.models.runtime.parallel import Workers
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_encoder_of

CLASHES_WITH: Mapping[Behavior, tuple[Speaker, ...]] = {"!Sel": ("bot",), "!Par": ("user",), "Red": ("bot", "user")}
"""Whose earlier turns a behaviour of `PAIRED` is about."""


class BehaviorMonitor:
    """Scores the last turn of a dialogue, the bot's, on nine behaviours in one go.

    Attributes:
        thresholds: the probability, 0 to 1, from which on a response shows a behaviour: where the expected F1 was highest.

    Raises:
        WeightsError: the heads cannot be read, or belong to another encoder.
        InputError: an argument is out of range.
    """

    def __init__(self, manifest: Manifest, encoder: SentenceEncoder, runtime: Runtime = Runtime()) -> None:
        encoder.check_fitted(manifest)
        self.manifest = manifest
        self.encoder = encoder
        self.provider = encoder.provider
        self.thresholds: dict[Behavior, float] = {label: manifest.number(f"thresholds.{label}", 0, 1) for label in BEHAVIORS}
        self.heads = BehaviorHeads.load(manifest.path("heads.npz"))
        self.workers = Workers(runtime.workers)

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Behaviors]:
        """What the last turn of each dialogue does, in order."""
        check_each(dialogues, Dialogue, "dialogues")
        return self.workers.map(lambda part: [self._scored(dialogue) for dialogue in part], dialogues, max(1, len(dialogues)))

    def _scored(self, dialogue: Dialogue) -> Behaviors:
        inputs = read_inputs(self.encoder, dialogue)
        found = self.heads.probabilities(inputs)
        read = min(len(dialogue.history), HISTORY_TURNS)
        return Behaviors(
            {label: float(value) for label, value in zip(BEHAVIORS, found, strict=True)},
            evidence(inputs),
            read,
            len(dialogue.history) - read,
            not self.encoder.fits(dialogue.last.text),
        )


def evidence(inputs: BehaviorInputs) -> dict[Behavior, int]:
    """For each of `PAIRED`, the place of the turn that comes nearest among those that the behaviour is about."""
    found: dict[Behavior, int] = {}
    for label in PAIRED:
        near = [inputs.nearest[who] for who in CLASHES_WITH[label] if who in inputs.nearest]
        if near:
            found[label] = max(near, key=lambda each: each.cosine).place
    return found


@functools.lru_cache(maxsize=16, typed=True)
def load_behavior_monitor(name: str | Path = "behaviors", *, runtime: Runtime = Runtime()) -> BehaviorMonitor:
    """A shipped monitor by name, or one from a folder, with the encoder that it names; loaded once a process.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """
    manifest = read_manifest(name, "behaviors")
    return BehaviorMonitor(manifest, load_encoder_of(manifest, runtime), runtime)
