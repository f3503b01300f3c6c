"""Trains the benchmark's state tracker on SGD's training split; a few minutes on one core."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from grice.benchmarks.indirect_requests import slot_tracker
from grice.benchmarks.indirect_requests.slot_features import features, width
from grice.benchmarks.indirect_requests.slot_tracker import SlotTracker
from grice.benchmarks.indirect_requests.slot_turns import FOLDER, inform_turns, silent_questions
from grice.models.manifest import FILE, sha256
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.slots.questions import SlotQuestion


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
class Example:
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
    kept = slot_tracker.read_facts(folder)
    if kept is not None and facts.items() <= kept.items():
        return slot_tracker.read(folder, encoder)
    found = examples(data_dir / FOLDER, recipe)
    tracker = SlotTracker(train(found, encoder, recipe), encoder, {**facts, "examples": len(found)})
    slot_tracker.save(tracker, folder)
    return tracker


def examples(folder: Path, recipe: TrackerRecipe) -> list[Example]:
    """Every value that a turn gives, and for some turns one slot that they say nothing of."""
    given = [Example(turn.question, 1 + turn.question.values.index(turn.target)) for turn in inform_turns(folder, "train")]
    return given + [Example(question, 0) for _, question in silent_questions(folder, "train", recipe.silent, recipe.seed)]


def train(found: list[Example], encoder: SentenceEncoder, recipe: TrackerRecipe) -> nn.Module:
    """A network that gives the right option of every example the highest score."""
    torch.manual_seed(recipe.seed)
    read = [
        features(each.question, encoder).astype(np.float16) for each in tqdm(found, desc="state tracker: reading", disable=None)
    ]
    scorer = slot_tracker.network(width(encoder), recipe.hidden, recipe.dropout)
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
