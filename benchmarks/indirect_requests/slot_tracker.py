"""A small state tracker: which value of a categorical slot a turn gives, if any. It stands for the bots that Grice is added to.

A network over the frozen sentence encoder's vectors and words in common (`slot_features`), trained on SGD's training split
(`slot_tracker_training`), is to this benchmark what the fine-tuned T5 is to the paper (section 7). It is not the resolver.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from grice.benchmarks.indirect_requests.slot_features import features, width
from grice.benchmarks.indirect_requests.state_tracking import Tracked
from grice.models.errors import DataCorrupt, shorten
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.slots.questions import SlotQuestion

WEIGHTS = "tracker.pt"
FACTS = "tracker.json"


def network(inputs: int, hidden: int, dropout: float) -> nn.Sequential:
    """Scores one option from its features."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, 1))


class SlotTracker:
    """Scores "no value" and every value of a slot; the best is the answer.

    Args:
        scorer: takes features (options, `width`) to scores (options, 1).
        facts: how it was trained.
    """

    def __init__(self, scorer: nn.Module, encoder: SentenceEncoder, facts: Mapping[str, Any]) -> None:
        self.scorer = scorer.eval()
        self.encoder = encoder
        self.facts: Mapping[str, Any] = facts

    def predict(self, questions: Sequence[SlotQuestion]) -> list[Tracked]:
        """One answer a question, in order."""
        return [self._tracked(question) for question in questions]

    def _tracked(self, question: SlotQuestion) -> Tracked:
        with torch.no_grad():
            scores: Tensor = self.scorer(torch.from_numpy(features(question, self.encoder)))[:, 0]
        probabilities = scores.softmax(0)
        best = int(probabilities.argmax())
        return Tracked(question.values[best - 1] if best else None, float(probabilities[best]))


def save(tracker: SlotTracker, folder: Path) -> None:
    """Write the tracker's weights and facts."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(tracker.scorer.state_dict(), folder / WEIGHTS)
    (folder / FACTS).write_text(json.dumps(dict(tracker.facts), indent=2) + "\n", encoding="utf-8")


def read_facts(folder: Path) -> dict[str, Any] | None:
    """How the tracker in `folder` was trained; None where there is none."""
    path = folder / FACTS
    if not path.is_file():
        return None
    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataCorrupt(f"{path}: {error}; delete it, the benchmark trains the tracker anew") from error
    return facts


def read(folder: Path, encoder: SentenceEncoder) -> SlotTracker:
    """The tracker in `folder`.

    Raises:
        DataCorrupt: its files are damaged, or of another shape.
    """
    facts = read_facts(folder)
    try:
        recipe = (facts or {})["recipe"]
        scorer = network(width(encoder), recipe["hidden"], recipe["dropout"])
        scorer.load_state_dict(torch.load(folder / WEIGHTS, weights_only=True))
    except (OSError, KeyError, TypeError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
        raise DataCorrupt(
            f"{folder}: not a slot tracker ({shorten(str(error))}); delete it, the benchmark trains it anew"
        ) from error
    return SlotTracker(scorer, encoder, facts or {})
