"""Training the joint encoder: MiniLM, fine-tuned on RecToM's questions on intentions and attitudes and on chats of our own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from grice.models.export.encoders import export_joint_encoder
from grice.models.minds.joint_encoder import (
    FACTS,
    JOINT_HEADS,
    POSITIONS,
    SEGMENTS,
    TAGS,
    JointHead,
    JointInputs,
    JointTokens,
    reading_of,
)
from grice.models.minds.questions import MindQuestion, head_of
from grice.models.runtime.heads import halved
from grice.models.training import vocabulary, warm_start
from grice.models.training.checkpoint import Facts, load_checkpoint, save_checkpoint, started_from, with_weights
from grice.models.training.low_bit_encoder import LowBitEncoder
from grice.models.training.minds import chats as movie_chats
from grice.models.training.minds.sets import among, sets_of, wanted
from grice.models.training.set_networks import Sets
from grice.models.training.trainer import Objective, Schedule, Trainer, bucketed
from grice.models.training.vocabulary import Vocabulary

TAG_WORDS = ("movie", "film", "film", "film", "film", "film", "film", "recommend", "ask")
"""A word whose embedding each of `TAGS` begins near."""
FASTER = 5.0
"""What the heads give is multiplied by it: they begin at nothing, and so learn faster than the layers below them."""
NOTHING = -1e4


@dataclass(frozen=True)
class JointRecipe:
    """The shipped joint encoder.

    Attributes:
        layers: of MiniLM's, the first.
        pieces: of MiniLM's vocabulary, the most frequent in the texts that it learns from.
        coarse: weight of the likelihood of the coarser sets, 0 to 1.
        low_bits: epochs at the end in which the weights are rounded to four bits.
        written: the share of our own chats that an epoch shows.
        finishing: a last stage, on RecToM alone and with rounded weights.
    """

    layers: int = 5
    pieces: int = 8000
    coarse: float = 0.5
    low_bits: int = 1
    written: float = 0.5
    batch: int = 24
    schedule: Schedule = Schedule(epochs=4, learning_rate=1.5e-4, warmup=0.1, average=0.997)
    finishing: Schedule = Schedule(epochs=1, learning_rate=5e-5, warmup=0.1)
    seed: int = 0


@dataclass(frozen=True)
class JointItem:
    """What is read for a question of `head`, the number of the right set, and whether we wrote it."""

    head: str
    inputs: JointInputs
    gold: int
    ours: bool


class JointNetwork(LowBitEncoder):
    """Readings of one head to values of its sets, see `grice.models.minds.joint_encoder.JointHead`."""

    def __init__(self, pieces: int, layers: int, sets: dict[str, Sets]) -> None:
        super().__init__(pieces, POSITIONS, len(SEGMENTS), layers)
        width, self.sets = warm_start.WIDTH, sets
        labels = {name: each.members.shape[1] for name, each in sets.items()}
        self.of_tokens = nn.ModuleDict({name: nn.Linear(width, count, bias=False) for name, count in labels.items()})
        self.of_whole = nn.ModuleDict({name: nn.Linear(2 * width + FACTS, count) for name, count in labels.items()})
        self.set_bias = nn.ParameterDict({name: nn.Parameter(each.bias() / FASTER) for name, each in sets.items()})
        for part in (*self.of_tokens.values(), *self.of_whole.values()):
            for parameter in part.parameters():
                nn.init.zeros_(parameter)

    def forward(self, items: Sequence[JointItem]) -> Tensor:
        """Of items of one head: (items, sets)."""
        name = items[0].head
        ids, segments, marked, asked, facts, mask = _padded([each.inputs for each in items])
        places = torch.arange(ids.size(1)).expand_as(ids)
        state = self.states(ids, places, segments, mask).float()
        means = [(weights[..., None] * state).sum(1) / weights.sum(1, keepdim=True) for weights in (marked, asked)]
        of_tokens = self.of_tokens[name](self.drop(state)).masked_fill(asked[..., None] == 0, NOTHING)
        whole = torch.cat([*(self.drop(mean) for mean in means), facts], dim=1)
        labels = of_tokens.amax(1) + self.of_whole[name](whole)
        values: Tensor = FASTER * (labels @ self.sets[name].members.T + self.set_bias[name])
        return values

    def head(self, name: str) -> JointHead:
        """What was learned for one head, for inference."""
        tokens: Any = self.of_tokens[name]
        whole: Any = self.of_whole[name]
        found: tuple[Tensor, ...] = (tokens.weight.T, whole.weight.T, whole.bias, self.set_bias[name])
        token_weights, whole_weights, bias, set_bias = ((FASTER * each).detach().numpy().copy() for each in found)
        return JointHead(halved(token_weights), halved(whole_weights), bias, set_bias)


def restore(folder: Path, pieces: int, facts: Facts) -> JointNetwork:
    """The trained joint encoder in the folder of a checkpoint."""
    sets = {name: among(name, [frozenset(each) for each in facts["sets"][name]], [0]) for name in JOINT_HEADS}
    return with_weights(JointNetwork(pieces, facts["recipe"]["layers"], sets), folder)


def train_joint_encoder(questions: Sequence[MindQuestion], out: Path, recipe: JointRecipe, start: Path | None = None) -> Path:
    """Train a joint encoder on these questions into `out` (`checkpoint/`, `model/`); goes on where a stopped run was.

    Args:
        start: the folder of a checkpoint to begin with, in place of MiniLM; heads whose sets the questions do not have begin anew.

    Returns the folder with `reader.int8.onnx.gz`, `reader.npz` and `tokenizer.json`.
    """
    torch.manual_seed(recipe.seed)
    begun = None if start is None else load_checkpoint(start, restore)
    recipe = replace(recipe, layers=begun.facts["recipe"]["layers"]) if begun else recipe
    known = Vocabulary(begun.tokenizer, ()) if begun else _vocabulary(out, questions, recipe)
    tokens = JointTokens(known.tokenizer)

    def questions_of(head: str) -> list[MindQuestion]:
        return [question for question in questions if head_of(question) == head]

    sets: dict[str, Sets] = {}
    items: list[JointItem] = []
    for name in JOINT_HEADS:
        chosen = [(question, reading_of(question)) for question in questions_of(name)]
        sets[name] = wanted(name, [question for question, _ in chosen])
        golds = sets[name].gold.tolist()
        for (question, reading), gold in zip(chosen, golds, strict=True):
            items += [JointItem(name, tokens.inputs(reading), gold, movie_chats.is_ours(question))] if reading else []
    model = JointNetwork(known.tokenizer.get_vocab_size(), recipe.layers, sets)
    if begun:
        _take(model, begun.model)
    else:
        model.start(known, len(TAGS))
        _name_tags(model, known)

    _train(model, _Stage(out, recipe.schedule, recipe.low_bits), items, recipe)
    finishing = _Stage(out / "finishing", recipe.finishing, recipe.finishing.epochs)
    _train(model, finishing, [each for each in items if not each.ours], recipe)
    heads = {name: model.head(name) for name in JOINT_HEADS}
    listed = {name: [sorted(labels) for labels in sets_of(questions_of(name))] for name in JOINT_HEADS}
    save_checkpoint(out / "checkpoint", model, known.tokenizer, {"recipe": asdict(recipe), "sets": listed} | started_from(start))
    return export_joint_encoder(model, heads, known.tokenizer, out / "model")


def _take(model: JointNetwork, begun: JointNetwork) -> None:
    """Give `model` the weights of `begun`, and of its heads those that choose among the same sets."""
    state, other = model.state_dict(), begun.state_dict()
    kept = {name for name in JOINT_HEADS if torch.equal(model.sets[name].members, begun.sets[name].members)}
    for name in state:
        part, *head = name.split(".")
        if part not in ("of_tokens", "of_whole", "set_bias") or head[0] in kept:
            state[name] = other[name]
    model.load_state_dict(state)


@dataclass(frozen=True)
class _Stage:
    """A stage of training, kept in `out`; in its last `low_bits` epochs the weights are rounded."""

    out: Path
    schedule: Schedule
    low_bits: int


def _train(model: JointNetwork, stage: _Stage, items: Sequence[JointItem], recipe: JointRecipe) -> None:
    """Train on these items; of those that we wrote, each epoch shows a share."""
    written = [each for each in items if each.ours]
    released = [each for each in items if not each.ours]

    def batches(epoch: int) -> list[list[JointItem]]:
        generator, chance = torch.Generator().manual_seed(recipe.seed * 1000 + epoch), random.Random(f"{recipe.seed} {epoch}")
        shown = released + chance.sample(written, round(recipe.written * len(written)))
        found = []
        for name in JOINT_HEADS:
            own = [each for each in shown if each.head == name]
            order = bucketed([len(each.inputs.ids) for each in own], recipe.batch, generator)
            found += [[own[place] for place in batch] for batch in order]
        chance.shuffle(found)
        return found

    def loss(_: nn.Module, batch: list[JointItem]) -> Tensor:
        model.low_bits = trainer.step >= (stage.schedule.epochs - stage.low_bits) * trainer.steps_per_epoch
        values = model(batch).float()
        return model.sets[batch[0].head].loss(values, torch.tensor([each.gold for each in batch]), recipe.coarse)

    def evaluate(_: nn.Module) -> tuple[float, dict[str, float]]:
        return float(trainer.step), {}  # the last epoch is kept: only then are the weights rounded

    trainer = Trainer(model, stage.out, stage.schedule, Objective(batches, loss, evaluate), torch.device("cpu"))
    trainer.fit()


def _vocabulary(out: Path, questions: Sequence[MindQuestion], recipe: JointRecipe) -> Vocabulary:
    readings = (reading_of(question) for question in questions)
    texts = (text for each in readings if each for _, text, _ in each.turns)
    return vocabulary.read_or_cut(out / "tokenizer.json", lambda: texts, TAGS, 1, recipe.pieces)


def _name_tags(model: JointNetwork, known: Vocabulary) -> None:
    """Move the embedding of each tag from the middle of all to a word's."""
    ids = known.tokenizer.get_vocab()
    fresh = [ids[tag] for tag in TAGS]
    others = [number for piece, number in ids.items() if piece not in TAGS]
    middle = model.table[others].mean(0)
    for place, word in zip(fresh, TAG_WORDS, strict=True):
        pieces = known.tokenizer.encode(word, add_special_tokens=False).ids
        model.table[place] += model.table[pieces].mean(0) - middle


def _padded(inputs: Sequence[JointInputs]) -> tuple[Tensor, ...]:
    """Ids, segments, marked, asked (n, length), facts (n, `FACTS`) and the mask (n, length)."""
    length = max(len(each.ids) for each in inputs)
    whole = np.zeros((2, len(inputs), length), np.int64)
    weights = np.zeros((3, len(inputs), length), np.float32)
    for row, each in enumerate(inputs):
        size = len(each.ids)
        whole[0, row, :size], whole[1, row, :size] = each.ids, each.segments
        weights[0, row, :size], weights[1, row, :size], weights[2, row, :size] = each.marked, each.asked, 1
    ids, segments = torch.from_numpy(whole)
    marked, asked, mask = torch.from_numpy(weights)
    return ids, segments, marked, asked, torch.from_numpy(np.stack([each.facts for each in inputs])), mask
