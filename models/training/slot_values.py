"""Training the slot-value resolver: two layers of their own over the states of the shared encoder, which stays as it is."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertLayer

from grice.models.sentence_encoder import SentenceEncoder, load_sentence_encoder
from grice.models.slot_inputs import CLUES, SEGMENTS, Pair, SlotTexts, clues, joined, padded
from grice.models.training import slot_examples, warm_start
from grice.models.training.slot_examples import SlotExample
from grice.models.training.trainer import Schedule, Trainer, choose_device

States = dict[str, NDArray[np.float16]]
SAMPLES = 100


@dataclass(frozen=True)
class SlotRecipe:
    """The shipped resolver.

    Attributes:
        layers: which of MiniLM's layers (from 0) its own layers start from.
        questions: drawn for an epoch, those with more weight more often.
        mentioned: the share of them whose turn says something of the slot.
        dev: this share of what we wrote, by slot, is not trained on. With indirect turns of SGD's dev split, of services that
            are not in its training split, it decides on the best epoch, the temperature and the margin.
    """

    layers: tuple[int, ...] = (4, 5)
    questions: int = 9_000
    mentioned: float = 0.7
    batch: int = 24
    dev: float = 0.2
    schedule: Schedule = Schedule(epochs=3, learning_rate=2e-4, warmup=0.1, average=0.995)
    seed: int = 0


class SlotModel(nn.Module):
    """States of a turn and a hypothesis, side by side, to how well the hypothesis holds: (batch, length, width) to (batch,).

    The mean of the hypothesis' states after the layers, one linear layer, and a weight for each of the `clues`.
    """

    def __init__(self, layers: int) -> None:
        super().__init__()
        config = BertConfig(
            hidden_size=warm_start.WIDTH,
            num_attention_heads=warm_start.HEADS,
            intermediate_size=warm_start.FEED_FORWARD,
            hidden_dropout_prob=0.1,
            attention_probs_dropout_prob=0.1,
            attn_implementation="eager",
        )
        self.segments = nn.Embedding(len(SEGMENTS), warm_start.WIDTH)
        nn.init.normal_(self.segments.weight, std=0.02)
        self.layers = nn.ModuleList(BertLayer(config) for _ in range(layers))
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(warm_start.WIDTH, 1)
        self.told = nn.Linear(CLUES, 1, bias=False)
        nn.init.constant_(self.told.weight, 1.0)

    def forward(self, states: Tensor, segments: Tensor, mask: Tensor, clues: Tensor) -> Tensor:
        state = states + self.segments(segments)
        bias = (1.0 - mask[:, None, None].to(state.dtype)) * torch.finfo(state.dtype).min
        for layer in self.layers:
            out = layer(state, attention_mask=bias)
            state = out[0] if isinstance(out, tuple) else out
        own = ((segments == SEGMENTS.index("hypothesis")) & mask.bool()).to(state.dtype)[:, :, None]
        pooled = (state * own).sum(1) / own.sum(1)
        raw: Tensor = (self.head(self.drop(pooled)) + self.told(clues))[:, 0]
        return raw


def small_model(recipe: SlotRecipe) -> SlotModel:
    """The untrained model: MiniLM's layers, the rest new."""
    model = SlotModel(len(recipe.layers))
    weights = warm_start.weights()
    for layer, source in zip(model.layers, recipe.layers, strict=True):
        start = f"encoder.layer.{source}."
        layer.load_state_dict({name.removeprefix(start): value for name, value in weights.items() if name.startswith(start)})
    return model


@dataclass(frozen=True)
class Asked:
    """A batch of pairs of a turn and a hypothesis, and how they belong to questions.

    Attributes:
        states, segments, mask, clues: what `SlotModel` reads, one row a pair.
        rows: for each question its pairs, padded with -1: (questions, most hypotheses).
        shares: what each hypothesis has of the answer: (questions, most hypotheses).
    """

    states: Tensor
    segments: Tensor
    mask: Tensor
    clues: Tensor
    rows: Tensor
    shares: Tensor


def states_of(encoder: SentenceEncoder, texts: Iterable[str]) -> States:
    """The encoder's states of every text, in half precision."""
    found: States = {}
    todo = sorted(set(texts), key=len)
    for start in tqdm(range(0, len(todo), 512), desc="encoding", mininterval=5):
        chosen = todo[start : start + 512]
        found.update((text, each.astype(np.float16)) for text, each in zip(chosen, encoder.states(chosen), strict=True))
    return found


def asked(examples: Sequence[SlotExample], states: States) -> Asked:
    """The batch of these examples."""
    rows: list[range] = []
    shares: list[list[float]] = []
    pairs: list[Pair] = []
    near = []
    for example in examples:
        texts = SlotTexts.of(example.question)
        rows.append(range(len(pairs), len(pairs) + len(texts.hypotheses)))
        shares.append([*example.shares, float(not example.mentioned)])
        pairs += [joined(texts, states, hypothesis) for hypothesis in texts.hypotheses]
        near.append(clues(texts, states))
    most = max(map(len, rows))
    places = np.full((len(rows), most), -1, np.int64)
    wanted = np.zeros((len(rows), most), np.float32)
    for number, (row, share) in enumerate(zip(rows, shares, strict=True)):
        places[number, : len(row)] = row
        wanted[number, : len(share)] = share
    parts = *padded(pairs), np.concatenate(near), places, wanted
    return Asked(*(torch.from_numpy(part) for part in parts))


def log_shares(model: nn.Module, batch: Asked) -> Tensor:
    """The log of what each hypothesis has of the answer: (questions, most hypotheses), -inf where there is none."""
    raw = model(batch.states, batch.segments, batch.mask, batch.clues).float()
    return torch.where(batch.rows < 0, -torch.inf, raw[batch.rows.clamp(min=0)]).log_softmax(-1)


def loss(model: nn.Module, batch: Asked) -> Tensor:
    """Cross-entropy, the mean over the questions."""
    said = log_shares(model, batch).masked_fill(batch.rows < 0, 0.0)
    return -(batch.shares * said).sum(-1).mean()


def train_slot_values(
    data_dir: Path, out: Path, recipe: SlotRecipe | None = None, encoder: SentenceEncoder | None = None, device: str = "auto"
) -> float:
    """Train the resolver into `out` (checkpoints, `model/`); goes on where a stopped run was.

    Returns the accuracy on held-out questions whose value is not said verbatim.

    Raises:
        DataNotFound, DataCorrupt: a data set is missing or damaged.
    """
    recipe, encoder = recipe or SlotRecipe(), encoder or load_sentence_encoder()
    torch.manual_seed(recipe.seed)
    examples = slot_examples.read(data_dir, recipe.seed)
    written = sorted({example.group for example in examples if example.decided})
    kept = set(random.Random(recipe.seed).sample(written, round(recipe.dev * len(written))))
    train = [each for each in examples if each.group not in kept]
    judged = [each for each in examples if each.group in kept] + slot_examples.unseen(data_dir / "sgd", recipe.seed)
    epochs = [_drawn(train, recipe, epoch) for epoch in range(recipe.schedule.epochs)]
    needed = {example.question: example for chosen in (*epochs, judged) for example in chosen}
    states = states_of(encoder, (text for question in needed for text in SlotTexts.of(question).all))

    def batches(epoch: int) -> list[list[SlotExample]]:
        chosen = epochs[epoch]
        return [chosen[start : start + recipe.batch] for start in range(0, len(chosen), recipe.batch)]

    def evaluate(model: nn.Module) -> tuple[float, dict[str, float]]:
        return held_out(model, judged, states, recipe.batch)

    model = small_model(recipe)
    place = choose_device(device)
    trainer = Trainer(model, out, recipe.schedule, batches, lambda net, chosen: loss(net, asked(chosen, states)), evaluate, place)
    score = trainer.fit()
    folder = out / "model"
    folder.mkdir(exist_ok=True)
    torch.save(model.state_dict(), folder / "model.pt")
    _save_samples(folder / "samples.npz", epochs[0][:SAMPLES], states)
    temperature, margin = calibration(model, judged, states, recipe.batch)
    facts = {
        "recipe": asdict(recipe),
        "encoder": encoder.identity,
        "questions": len(examples),
        "held_out": len(judged),
        "held_out_accuracy": score,
        "temperature": temperature,
        "margin": margin,
    }
    (folder / "training.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return score


def _save_samples(path: Path, examples: Sequence[SlotExample], states: States) -> None:
    """Batches that the export takes the ranges of int8 activations from, one a question."""
    batches = [asked([example], states) for example in examples]
    names = ("states", "segments", "mask", "clues")
    arrays: dict[str, Any] = {f"{name}{n}": getattr(each, name).numpy() for n, each in enumerate(batches) for name in names}
    np.savez_compressed(path, **arrays)


def _drawn(examples: Sequence[SlotExample], recipe: SlotRecipe, epoch: int) -> list[SlotExample]:
    """The questions of an epoch, in a random order."""
    chance = random.Random(f"{recipe.seed} {epoch}")
    drawn: list[SlotExample] = []
    for mentioned in (True, False):
        chosen = [each for each in examples if each.mentioned is mentioned]
        share = recipe.mentioned if mentioned else 1 - recipe.mentioned
        drawn += chance.choices(chosen, [each.weight for each in chosen], k=round(share * recipe.questions))
    chance.shuffle(drawn)
    return drawn


def predictions(model: nn.Module, examples: Sequence[SlotExample], states: States, batch: int) -> list[NDArray[np.float32]]:
    """For each question the log of what each hypothesis has of the answer, before calibration."""
    found: list[NDArray[np.float32]] = []
    with torch.no_grad():
        for start in range(0, len(examples), batch):
            chosen = examples[start : start + batch]
            said = log_shares(model, asked(chosen, states)).numpy()
            found += [row[: len(each.shares) + 1] for row, each in zip(said, chosen, strict=True)]
    return found


def held_out(model: nn.Module, examples: Sequence[SlotExample], states: States, batch: int) -> tuple[float, dict[str, float]]:
    """The accuracy over the values where one is meant without being said, and other figures for the log."""
    right: dict[str, list[bool]] = {"indirect": [], "verbatim": [], "mentioned": []}
    for example, said in zip(examples, predictions(model, examples, states, batch), strict=True):
        right["mentioned"].append((int(said.argmax()) < len(said) - 1) == example.mentioned)
        if max(example.shares) == 1:
            best = int(said[:-1].argmax()) == example.shares.index(1)
            right["verbatim" if example.verbatim else "indirect"].append(best)
    figures = {name: float(np.mean(values)) for name, values in right.items() if values}
    return figures["indirect"], figures


TEMPERATURES = np.geomspace(0.5, 4, 25)
MARGINS = np.linspace(0.0, 0.9, 46)


def calibration(model: nn.Module, examples: Sequence[SlotExample], states: States, batch: int) -> tuple[float, float]:
    """The temperature that fits the held-out answers best, and the margin below which a request counts as ambiguous.

    The margin is the one that decides best between ambiguous and not on requests of which that is known.
    """
    said = predictions(model, examples, states, batch)
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
