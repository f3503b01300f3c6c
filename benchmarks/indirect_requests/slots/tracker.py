"""A small state tracker: which value of a categorical slot a turn gives, if any. It stands for the bots that Grice is added to.

A network over the frozen sentence encoder's vectors and words in common (`features`), trained on SGD's training split in a few
minutes on one core, is to this benchmark what the fine-tuned T5 is to the paper (section 7). It is not the resolver.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from grice.benchmarks.indirect_requests.slots.features import features, width
from grice.benchmarks.indirect_requests.slots.state import Tracked
from grice.benchmarks.indirect_requests.slots.turns import FOLDER, inform_turns, silent_questions
from grice.models.errors import DataCorrupt, shorten
from grice.models.manifest import FILE, sha256
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


@dataclass(frozen=True)
class TrackerRecipe:
    """How the tracker is trained.

    Attributes:
        silent: of this share of the turns, a slot that they say nothing of is an example too.
        hidden: width of the network's hidden layer.
    """

    silent: float = 0.2
    hidden: int = 256
    dropout: float = 0.3
    epochs: int = 8
    batch: int = 128
    learning_rate: float = 1e-3
    weight_decay: float = 0.01
    seed: int = 0


@dataclass(frozen=True)
class TrackerExample:
    """A question and its answer: 0 for no value, or the place of the value from 1."""

    question: SlotQuestion
    answer: int


def tracker_at(folder: Path, data_dir: Path, encoder: SentenceEncoder, recipe: TrackerRecipe | None = None) -> SlotTracker:
    """The tracker in `folder`; trained and written there if it is not there, or if it is of another recipe or encoder.

    Raises:
        DataNotFound, DataCorrupt: SGD's training split, or what is in the folder, cannot be read.
    """
    recipe = recipe or TrackerRecipe()
    facts = {"recipe": asdict(recipe), "encoder": sha256(encoder.manifest.folder / FILE)}
    kept = read_facts(folder)
    if kept is not None and facts.items() <= kept.items():
        return read(folder, encoder)
    found = examples(data_dir / FOLDER, recipe)
    tracker = SlotTracker(train(found, encoder, recipe), encoder, {**facts, "examples": len(found)})
    save(tracker, folder)
    return tracker


def examples(folder: Path, recipe: TrackerRecipe) -> list[TrackerExample]:
    """Every value that a turn gives, and for some turns one slot that they say nothing of."""
    given = [TrackerExample(turn.question, 1 + turn.question.values.index(turn.target)) for turn in inform_turns(folder, "train")]
    return given + [TrackerExample(question, 0) for _, question in silent_questions(folder, "train", recipe.silent, recipe.seed)]


def train(found: list[TrackerExample], encoder: SentenceEncoder, recipe: TrackerRecipe) -> nn.Module:
    """A network that gives the right option of every example the highest score."""
    torch.manual_seed(recipe.seed)
    read = [
        features(each.question, encoder).astype(np.float16) for each in tqdm(found, desc="state tracker: reading", disable=None)
    ]
    scorer = network(width(encoder), recipe.hidden, recipe.dropout)
    optimizer = torch.optim.AdamW(scorer.parameters(), recipe.learning_rate, weight_decay=recipe.weight_decay)
    steps = recipe.epochs * -(-len(found) // recipe.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.learning_rate, total_steps=steps)
    generator = np.random.default_rng(recipe.seed)
    with tqdm(total=steps, desc="state tracker: training", disable=None) as bar:
        for _ in range(recipe.epochs):
            order = generator.permutation(len(found))
            for start in range(0, len(order), recipe.batch):
                places = order[start : start + recipe.batch]
                loss = _loss(scorer, [read[at] for at in places], [found[at].answer for at in places])
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                schedule.step()
                bar.update()
    return scorer


def _loss(scorer: nn.Module, read: list[NDArray[np.float16]], answers: list[int]) -> Tensor:
    """Cross-entropy over the options of each question."""
    sizes = [len(each) for each in read]
    flat: Tensor = scorer(torch.from_numpy(np.concatenate(read).astype(np.float32)))[:, 0]
    split: tuple[Tensor, ...] = flat.split(sizes)  # type: ignore[no-untyped-call]
    scores = nn.utils.rnn.pad_sequence(list(split), batch_first=True, padding_value=-1e9)
    return functional.cross_entropy(scores, torch.tensor(answers))
