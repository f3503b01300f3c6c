"""Training of the reader of relations, from MiniLM's weights, on written responses and on what released data say."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import overload

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from grice.models.relations.inputs import RelationTokens
from grice.models.sentence_encoder.encoder import load_sentence_encoder
from grice.models.training import vocabulary, warm_start
from grice.models.training.checkpoint import Facts, load_checkpoint, save_checkpoint, started_from, with_weights
from grice.models.training.processor import has_bf16
from grice.models.training.relations.evaluate import figures, judge
from grice.models.training.relations.loss import LossWeights, RelationStep, step_loss, step_of
from grice.models.training.relations.network import LowerStates, RelationNetwork
from grice.models.training.relations.people import people_samples, save_people
from grice.models.training.relations.released import released_samples
from grice.models.training.relations.samples import RelationSample, written_samples
from grice.models.training.responses.written import HANDS, read_contexts
from grice.models.training.sentence_trunk import SHAPES, SentenceTrunk, TrunkShape, load_trunk
from grice.models.training.trainer import Objective, Schedule, Trainer, choose_device

POOL = 5
"""Steps of a pool: so many bands by the length of responses, of each so many by that of contexts."""


@dataclass(frozen=True)
class RelationRecipe:
    """What is learned from, and how.

    Attributes:
        held_hands: hands that are not learned from. calibration_hands: others that are not, on which curves and thresholds are
            fitted. dev: the share of the other contexts that training is judged by.
        frozen: how many of MiniLM's layers stay as they are. contexts: in a step.
        sources: released data to learn from beside the written responses; the same ones in every epoch.
    """

    held_hands: tuple[str, ...] = ("RG", "RM")
    calibration_hands: tuple[str, ...] = ("RJ", "RQ")
    dev: float = 0.05
    frozen: int = 0
    contexts: int = 4
    sources: tuple[str, ...] = ("multiwoz", "sgd", "persuasion", "ci-tod", "prosecco")
    weights: LossWeights = field(default_factory=LossWeights)
    schedule: Schedule = Schedule(epochs=5, learning_rate=1.2e-4, warmup=0.02, average=0.995, checkpoint_every=50)
    seed: int = 0


@dataclass(frozen=True)
class Divided:
    """Written samples: to learn from, to judge training by, to calibrate on, and of the held hands."""

    train: tuple[RelationSample, ...]
    dev: tuple[RelationSample, ...]
    calibration: tuple[RelationSample, ...]
    held: dict[str, tuple[RelationSample, ...]]


def divide(recipe: RelationRecipe, folder: Path = HANDS) -> Divided:
    """The written samples, divided by context; a context's part depends on its own words alone."""
    train: list[RelationSample] = []
    dev: list[RelationSample] = []
    calibration: list[RelationSample] = []
    held: dict[str, tuple[RelationSample, ...]] = {}
    for hand, contexts in read_contexts(folder).items():
        samples = written_samples(contexts)
        if hand in recipe.held_hands:
            held[hand] = tuple(samples)
        elif hand in recipe.calibration_hands:
            calibration += samples
        else:
            for sample in samples:
                number = zlib.crc32(" ".join(span.text for span in sample.spans).encode())
                (dev if number % 1000 < recipe.dev * 1000 else train).append(sample)
    return Divided(tuple(train), tuple(dev), tuple(calibration), held)


def train_relations(
    data_dir: Path, out: Path, recipe: RelationRecipe | None = None, device: str = "auto", start: Path | None = None
) -> dict[str, float]:
    """Train into `out` (checkpoints, `model/`); goes on where a stopped run was.

    Args:
        start: the folder of a checkpoint to begin with, in place of MiniLM.

    Returns figures on responses that were not learned from: of the dev part, of the hands of calibration, of each held hand.
    """
    recipe = recipe or RelationRecipe()
    torch.manual_seed(recipe.seed)
    material = divide(recipe)
    beside = released_samples(data_dir, recipe.sources)
    network, tokenizer = _begin(recipe, start)
    tokens = RelationTokens(tokenizer)

    samples = [*material.train, *(sample for source in beside for sample in source.draw(random.Random(recipe.seed)))]
    kept = LowerStates(network)

    def batches(epoch: int) -> _RelationSteps:
        return _RelationSteps(samples, tokens, recipe.contexts, random.Random(f"{recipe.seed} {epoch}"))

    def loss(_: nn.Module, step: RelationStep) -> Tensor:
        return step_loss(network, step, recipe.weights, kept)

    def evaluate(_: nn.Module) -> tuple[float, dict[str, float]]:
        found = figures(judge(network, material.dev, tokens))
        return found["auc"], found

    objective = Objective(batches, loss, evaluate, half=has_bf16(), faster=dict.fromkeys(HEADS, 5.0))
    Trainer(network, out, recipe.schedule, objective, choose_device(device)).fit()
    network.eval()
    found = {
        f"{part}/{name}": round(value, 3)
        for part, samples in {"dev": material.dev, "calibration": material.calibration, **material.held}.items()
        for name, value in figures(judge(network, samples, tokens)).items()
    }
    facts: Facts = {
        "recipe": asdict(recipe),
        "contexts": len(material.train),
        "responses": sum(len(sample.responses) for sample in material.train),
        "held_out": found,
    }
    folder = save_checkpoint(out / "model", network, tokenizer, facts | started_from(start))
    save_people(folder, people_samples(data_dir))
    return found


HEADS = ("whole", "bad", "labels", "setting", "asks", "answers", "own", "kinds", "ages")
"""Parts that begin from nothing, and learn faster."""


def _begin(recipe: RelationRecipe, start: Path | None) -> tuple[RelationNetwork, Tokenizer]:
    if start:
        begun = load_checkpoint(start, restore)
        return begun.model, begun.tokenizer
    words = vocabulary.read(load_sentence_encoder().manifest.tokenizer_path)  # whose table the exported graph shares
    trunk = SentenceTrunk(shape_of(len(words.kept_ids)))
    full = load_trunk("small", warm_start.folder()).state_dict()
    full["words.weight"] = full["words.weight"][list(words.kept_ids)]
    trunk.load_state_dict(full)
    return RelationNetwork(trunk, recipe.frozen), words.tokenizer


def recipe_of(facts: Facts) -> RelationRecipe:
    """The recipe in the facts of a checkpoint."""
    given = facts["recipe"]
    texts = {name: tuple(given[name]) for name in ("held_hands", "calibration_hands", "sources")}
    return RelationRecipe(
        **{**given, **texts, "weights": LossWeights(**given["weights"]), "schedule": Schedule(**given["schedule"])}
    )


def shape_of(pieces: int) -> TrunkShape:
    """MiniLM's measures, with a vocabulary of so many pieces."""
    return replace(SHAPES["small"], vocabulary=pieces)


def restore(folder: Path, pieces: int, facts: Facts) -> RelationNetwork:
    """The network of a checkpoint."""
    return with_weights(RelationNetwork(SentenceTrunk(shape_of(pieces)), facts["recipe"]["frozen"]), folder)


class _RelationSteps(Sequence[RelationStep]):
    """Steps of samples whose contexts, and whose responses, are of like length; made when they are asked for."""

    def __init__(self, samples: Sequence[RelationSample], tokens: RelationTokens, together: int, chance: random.Random) -> None:
        order = list(samples)
        chance.shuffle(order)
        self.groups: list[list[RelationSample]] = []
        for begin in range(0, len(order), together * POOL**2):
            pool = sorted(order[begin : begin + together * POOL**2], key=_longest_response)
            for band in range(0, len(pool), together * POOL):
                alike = sorted(pool[band : band + together * POOL], key=_context_length)
                self.groups += [alike[place : place + together] for place in range(0, len(alike), together)]
        chance.shuffle(self.groups)
        self.tokens = tokens

    def __len__(self) -> int:
        return len(self.groups)

    @overload
    def __getitem__(self, place: int) -> RelationStep: ...

    @overload
    def __getitem__(self, place: slice) -> _RelationSteps: ...

    def __getitem__(self, place: int | slice) -> RelationStep | _RelationSteps:
        if isinstance(place, slice):
            rest = object.__new__(_RelationSteps)
            rest.groups, rest.tokens = self.groups[place], self.tokens
            return rest
        return step_of(self.groups[place], self.tokens)


def _context_length(sample: RelationSample) -> int:
    return sum(len(span.text) for span in sample.spans)


def _longest_response(sample: RelationSample) -> int:
    return max(len(response.text) for response in sample.responses)
