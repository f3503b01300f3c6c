"""Training the slot-value resolver: MiniLM, fine-tuned to weigh every value of a slot against a turn."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from grice.models.slots.inputs import SlotTexts, SlotTokens
from grice.models.training import vocabulary
from grice.models.training.checkpoint import load_checkpoint, save_checkpoint, started_from
from grice.models.training.slots import examples as slot_examples
from grice.models.training.slots.examples import SlotExample
from grice.models.training.slots.items import AskedSlot, AskedSlots, SlotBatch, collate
from grice.models.training.slots.model import SlotModel, restore, small_model
from grice.models.training.trainer import Objective, Schedule, Trainer, bucketed, choose_device


@dataclass(frozen=True)
class SlotRecipe:
    """The shipped resolver.

    Attributes:
        layers: of MiniLM's, the first.
        pieces: of MiniLM's vocabulary, the most frequent in the texts that it learns from.
        questions: drawn for an epoch of those about data sets, those with more weight more often.
        mentioned: the share of them whose turn says something of the slot.
        written: how often an epoch shows each request that we wrote.
        low_bits: epochs at the end in which the weights are rounded to four bits.
        dev: this share of what we wrote, by slot, is not trained on. With indirect turns of SGD's dev split, of services that
            are not in its training split, it decides on the temperature and the margin.
    """

    layers: int = 5
    pieces: int = 10_000
    questions: int = 40_000
    mentioned: float = 0.75
    written: int = 2
    low_bits: int = 1
    batch: int = 64
    dev: float = 0.06
    schedule: Schedule = Schedule(epochs=3, learning_rate=4e-4, warmup=0.06, average=0.997)
    seed: int = 0


def log_shares(model: SlotModel, batch: SlotBatch) -> Tensor:
    """The log of what each hypothesis has of the answer: (questions, most values + 1), -inf where there is none."""
    raw = model(batch.ids, batch.positions, batch.segments, batch.mask).float()
    owned = functional.one_hot(batch.owners, batch.shares.size(1) + 1)[..., 1:].to(raw.dtype)
    means = (raw[..., None] * owned).sum(1) / owned.sum(1).clamp(min=1)
    logs: Tensor = means.masked_fill(batch.shares < 0, -torch.inf).log_softmax(-1)
    return logs


def loss(model: SlotModel, batch: SlotBatch) -> Tensor:
    """Cross-entropy, the mean over the questions."""
    missing = batch.shares < 0
    said = log_shares(model, batch).masked_fill(missing, 0.0)
    mean: Tensor = -(batch.shares.masked_fill(missing, 0.0) * said).sum(-1).mean()
    return mean


def train_slot_values(
    data_dir: Path, out: Path, recipe: SlotRecipe | None = None, device: str = "auto", start: Path | None = None
) -> dict[str, float]:
    """Train the resolver into `out` (checkpoints, `model/`); goes on where a stopped run was.

    Args:
        start: the folder of a checkpoint to begin with, in place of MiniLM.

    Returns the accuracy on held-out questions by kind; see `held_out`.

    Raises:
        DataNotFound, DataCorrupt: a data set is missing or damaged.
    """
    recipe = recipe or SlotRecipe()
    torch.manual_seed(recipe.seed)
    examples = slot_examples.read(data_dir, recipe.seed)
    groups = sorted({example.group for example in examples if example.decided})
    kept = set(random.Random(recipe.seed).sample(groups, round(recipe.dev * len(groups))))
    train = [each for each in examples if each.group not in kept]
    judged = [each for each in examples if each.group in kept] + slot_examples.unseen(data_dir / "sgd", recipe.seed)
    if start:
        begun = load_checkpoint(start, restore)
        tokenizer, model = begun.tokenizer, begun.model
        recipe = replace(recipe, layers=begun.facts["recipe"]["layers"])
    else:
        known = vocabulary.read_or_cut(out / "tokenizer.json", lambda: _texts(train), (), 1, recipe.pieces)
        tokenizer, model = known.tokenizer, small_model(known, recipe.layers)
    items = AskedSlots(SlotTokens(tokenizer))
    held = [items.plain(each) for each in judged]

    @functools.lru_cache(maxsize=1)
    def batches(epoch: int) -> list[list[AskedSlot]]:
        chance = random.Random(f"{recipe.seed} {epoch}")
        drawn = [items.varied(each, chance) for each in _drawn(train, recipe, chance)]
        order = bucketed([len(each.inputs.ids) for each in drawn], recipe.batch, torch.Generator().manual_seed(epoch))
        return [[drawn[place] for place in chosen] for chosen in order]

    def learned(_: nn.Module, batch: list[AskedSlot]) -> Tensor:
        model.low_bits = trainer.step >= (recipe.schedule.epochs - recipe.low_bits) * trainer.steps_per_epoch
        return loss(model, collate(batch))

    def evaluate(_: nn.Module) -> tuple[float, dict[str, float]]:
        figures = held_out(judged, predictions(model, held, recipe.batch))
        return float(trainer.step), figures  # the last epoch is kept: only then are the weights rounded

    trainer = Trainer(model, out, recipe.schedule, Objective(batches, learned, evaluate), choose_device(device))
    trainer.fit()
    model.low_bits = recipe.low_bits > 0
    said = predictions(model.eval(), held, recipe.batch)
    temperature, margin = calibration(judged, said)
    figures = {name: round(value, 4) for name, value in held_out(judged, said).items()}
    facts = {
        "recipe": asdict(recipe),
        "questions": len(train),
        "held_out": len(judged),
        "held_out_accuracy": figures,
        "temperature": temperature,
        "margin": margin,
    }
    save_checkpoint(out / "model", model, tokenizer, facts | started_from(start))
    return figures


def _texts(examples: Sequence[SlotExample]) -> Iterator[str]:
    """The texts that the vocabulary is cut to; what we wrote counts for more, its words are everybody's."""
    seen: set[str] = set()
    for example in examples:
        texts = SlotTexts.of(example.question)
        for text in {texts.turn, texts.before, texts.slot, *texts.values} - seen:
            seen.add(text)
            yield from [text] * (20 if example.decided else 1)


def _drawn(examples: Sequence[SlotExample], recipe: SlotRecipe, chance: random.Random) -> list[SlotExample]:
    """The questions of an epoch; in those of data sets no is the answer as often as yes, though people inform of what they want."""
    drawn = [each for each in examples if each.decided] * recipe.written
    for mentioned in (True, False):
        chosen = [each for each in examples if each.mentioned is mentioned and not each.decided]
        share = recipe.mentioned if mentioned else 1 - recipe.mentioned
        counts = Counter(each.answer for each in chosen if each.boolean)
        weights = [each.weight * (counts["True"] / counts["False"] if each.answer == "False" else 1) for each in chosen]
        drawn += chance.choices(chosen, weights, k=round(share * recipe.questions))
    return drawn


def predictions(model: SlotModel, items: Sequence[AskedSlot], batch: int) -> list[NDArray[np.float32]]:
    """For each question the log of what each hypothesis has of the answer, before calibration."""
    found: dict[int, NDArray[np.float32]] = {}
    order = sorted(range(len(items)), key=lambda place: len(items[place].inputs.ids))
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            said = log_shares(model, collate([items[place] for place in chosen])).numpy()
            found.update((place, row[: len(items[place].shares)]) for place, row in zip(chosen, said, strict=True))
    return [found[place] for place in range(len(items))]


def held_out(examples: Sequence[SlotExample], said: Sequence[NDArray[np.float32]]) -> dict[str, float]:
    """The share of right answers among turns that mean one value, without "not mentioned": those of SGD, and what we wrote.

    `mentioned` is how often it is seen whether a turn says something of the slot.
    """
    right: dict[str, list[bool]] = {"sgd": [], "written": [], "mentioned": []}
    for example, row in zip(examples, said, strict=True):
        right["mentioned"].append((int(row.argmax()) < len(row) - 1) == example.mentioned)
        if max(example.shares) == 1:
            kind = "written" if example.decided else "sgd"
            right[kind].append(int(row[:-1].argmax()) == example.shares.index(1))
    return {name: float(np.mean(values)) for name, values in right.items() if values}


TEMPERATURES = np.geomspace(0.5, 4, 25)
MARGINS = np.linspace(0.0, 0.9, 46)


def calibration(examples: Sequence[SlotExample], said: Sequence[NDArray[np.float32]]) -> tuple[float, float]:
    """The temperature that fits the held-out answers best, and the margin below which a request counts as ambiguous.

    The margin is the one that decides best between ambiguous and not on requests of which that is known.
    """
    losses = [np.mean([_cost(each, found / degree) for each, found in zip(examples, said, strict=True)]) for degree in TEMPERATURES]
    temperature = float(TEMPERATURES[int(np.argmin(losses))])
    known = [
        (each, found[:-1] / temperature) for each, found in zip(examples, said, strict=True) if each.decided and each.mentioned
    ]
    scores = [np.mean([_right(each, found, margin) for each, found in known]) for margin in MARGINS]
    return round(temperature, 4), round(float(MARGINS[int(np.argmax(scores))]), 4)


def _cost(example: SlotExample, raw: NDArray[np.float32]) -> float:
    logs = raw - np.logaddexp.reduce(raw)
    return -float(sum(share * value for share, value in zip((*example.shares, float(not example.mentioned)), logs, strict=True)))


def _right(example: SlotExample, raw: NDArray[np.float32], margin: float) -> bool:
    shares = np.exp(raw - np.logaddexp.reduce(raw))
    *_, second, first = np.sort(shares)
    if first - second < margin:
        return max(example.shares) < 1
    return max(example.shares) == 1 and int(shares.argmax()) == example.shares.index(1)
