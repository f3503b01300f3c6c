"""Training the directness scorer on DIRECT, with the losses of its paper (section 4.3), and calibrating it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

from grice.models.data import direct
from grice.models.directness.scorer import directness_inputs
from grice.models.text.template import QUERY_TAG, TAGS, SourceFormat, encode_source, token_id
from grice.models.training import corpora, vocabulary, warm_start
from grice.models.training.checkpoint import Facts, load_checkpoint, save_checkpoint, started_from, with_weights
from grice.models.training.trainer import Objective, Schedule, Trainer, bucketed, choose_device

Loss = Literal["pointwise", "pairwise", "both"]
RawScores = NDArray[np.float32]
GOLD = (1.0, 0.5, 0.0)
"""Directness of the direct, the original and the indirect form (paper, section 4.3)."""


@dataclass(frozen=True)
class DirectnessRecipe:
    """The shipped scorer. `hide_history` is the share of rows that are shown without their history."""

    layout: SourceFormat = SourceFormat(history_turns=1, max_tokens=112, with_form=False)
    layers: int = 6
    loss: Loss = "both"
    schedule: Schedule = Schedule(epochs=5, learning_rate=1e-4, average=0.995, warmup=0.1)
    triples_a_batch: int = 16
    hide_history: float = 0.3
    dropout: float = 0.1
    seed: int = 0


class DirectnessNetwork(nn.Module):
    """MiniLM, the mean of the states of the turn's tokens, one linear layer: (batch,) raw scores."""

    def __init__(self, encoder: BertModel, dropout: float) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(encoder.config.hidden_size, 1)

    def forward(self, ids: Tensor, mask: Tensor, query: Tensor) -> Tensor:
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = query.unsqueeze(-1).to(states.dtype)
        pooled = (states * weights).sum(1) / weights.sum(1)
        raw: Tensor = self.head(self.dropout(pooled)).squeeze(-1)
        return raw


@dataclass(frozen=True)
class TripleBatch:
    """Inputs of shape (3 × triples, length): all direct forms, then all original, then all indirect."""

    ids: Tensor
    mask: Tensor
    query: Tensor


def train_directness(
    data_dir: Path, out: Path, recipe: DirectnessRecipe | None = None, device: str = "auto", start: Path | None = None
) -> float:
    """Train the scorer into `out` (checkpoints, `model/`); goes on where a stopped run was. Returns the dev exact match.

    Args:
        start: the folder of a checkpoint to begin with, in place of MiniLM.
    """
    recipe = recipe or DirectnessRecipe()
    torch.manual_seed(recipe.seed)
    place = choose_device(device)
    rows, dev = direct.read(data_dir, parts=["train"]), direct.read(data_dir, parts=["dev"])
    if start:
        begun = load_checkpoint(start, restore)
        tokenizer, model = begun.tokenizer, begun.model
        shape = begun.facts["recipe"]
        recipe = replace(recipe, layout=SourceFormat(**shape["layout"]), layers=shape["layers"])
    else:
        words = corpora.vocabulary_of(data_dir, rows, out / "tokenizer.json")
        tokenizer, model = words.tokenizer, small_model(words, recipe)

    def loss(current: nn.Module, batch: TripleBatch) -> Tensor:
        raw = current(batch.ids.to(place), batch.mask.to(place), batch.query.to(place)).float()
        return ranking_loss(raw.view(3, -1), recipe.loss)

    def evaluate(current: nn.Module) -> tuple[float, dict[str, float]]:
        raw = raw_scores(current, tokenizer, dev, recipe.layout)
        exact = float(((raw[0] > raw[1]) & (raw[1] > raw[2])).mean())
        tau = float(np.mean([np.sign(raw[a] - raw[b]).mean() for a, b in ((0, 1), (0, 2), (1, 2))]))
        return exact, {"dev_exact_match": exact, "dev_kendall_tau": tau}

    batches = batcher(tokenizer, rows, recipe)
    best = Trainer(model, out, recipe.schedule, Objective(batches, loss, evaluate), place).fit()
    slope, offset = calibration(raw_scores(model.eval(), tokenizer, dev, recipe.layout))
    facts = {"recipe": asdict(recipe), "dev_exact_match": best, "calibration": {"slope": slope, "offset": offset}}
    save_checkpoint(out / "model", model, tokenizer, facts | started_from(start))
    return best


def restore(folder: Path, pieces: int, facts: Facts) -> DirectnessNetwork:
    """The trained scorer in the folder of a checkpoint."""
    recipe = facts["recipe"]
    shape = replace(DirectnessRecipe(), layout=SourceFormat(**recipe["layout"]), layers=recipe["layers"])
    return with_weights(empty_model(pieces, shape), folder)


def small_model(words: vocabulary.Vocabulary, recipe: DirectnessRecipe) -> DirectnessNetwork:
    """The untrained scorer, its encoder from MiniLM."""
    model = empty_model(words.tokenizer.get_vocab_size(), recipe)
    state = warm_start.bert_weights(words.kept_ids, len(TAGS), recipe.layout.max_tokens, recipe.layers)
    warm_start.load(model.encoder, state, warm_start.BERT_COMPUTED)
    return model


def empty_model(vocabulary_size: int, recipe: DirectnessRecipe) -> DirectnessNetwork:
    """The scorer with random weights."""
    encoder = warm_start.empty_bert(vocabulary_size, recipe.layers, recipe.layout.max_tokens, recipe.dropout)
    return DirectnessNetwork(encoder, recipe.dropout)


def ranking_loss(raw: Tensor, kind: Loss) -> Tensor:
    """The paper's losses on raw scores of shape (3, triples), direct first: pointwise is the squared error of sigmoid(raw)
    against 1, 0.5 and 0, pairwise the mean of -log sigmoid(s_A - s_B) over the three pairs of a triple."""
    gold = torch.tensor(GOLD, device=raw.device)[:, None]
    pointwise = functional.mse_loss(torch.sigmoid(raw), gold.expand_as(raw))
    differences = torch.stack([raw[0] - raw[1], raw[0] - raw[2], raw[1] - raw[2]])
    pairwise = -functional.logsigmoid(differences).mean()
    return {"pointwise": pointwise, "pairwise": pairwise, "both": pointwise + pairwise}[kind]


def forms(row: direct.Triple) -> tuple[str, str, str]:
    """The direct, original and indirect form, as `GOLD` orders them."""
    return row.direct, row.original, row.indirect


def collate(tokenizer: Tokenizer, rows: Sequence[direct.Triple], layout: SourceFormat, hidden: Sequence[bool]) -> TripleBatch:
    """One batch; `hidden` says for which rows the history is left out."""
    query = token_id(tokenizer, QUERY_TAG)
    sources = [
        encode_source(tokenizer, forms(row)[form], () if hide else row.history, None, layout).ids
        for form in range(3)
        for row, hide in zip(rows, hidden, strict=True)
    ]
    return TripleBatch(*(torch.from_numpy(array) for array in directness_inputs(sources, query)))


def batcher(
    tokenizer: Tokenizer, rows: Sequence[direct.Triple], recipe: DirectnessRecipe
) -> Callable[[int], Sequence[TripleBatch]]:
    """The batches of an epoch, bucketed by length."""
    lengths = [max(map(len, forms(row))) for row in rows]

    def batches(epoch: int) -> Sequence[TripleBatch]:
        chance = random.Random(f"{recipe.seed}:{epoch}")
        generator = torch.Generator().manual_seed(recipe.seed * 1000 + epoch)
        return [
            collate(
                tokenizer, [rows[place] for place in batch], recipe.layout, [chance.random() < recipe.hide_history for _ in batch]
            )
            for batch in bucketed(lengths, recipe.triples_a_batch, generator)
        ]

    return batches


@torch.no_grad()
def raw_scores(model: nn.Module, tokenizer: Tokenizer, rows: Sequence[direct.Triple], layout: SourceFormat) -> RawScores:
    """Raw scores of shape (3, rows): direct, original, indirect."""
    device = next(model.parameters()).device
    parts = []
    for start in range(0, len(rows), 64):
        chunk = rows[start : start + 64]
        batch = collate(tokenizer, chunk, layout, [False] * len(chunk))
        raw = model(batch.ids.to(device), batch.mask.to(device), batch.query.to(device))
        parts.append(raw.float().cpu().numpy().reshape(3, -1))
    return np.concatenate(parts, axis=1)


def calibration(raw: RawScores) -> tuple[float, float]:
    """Slope and offset of the logistic curve that fits raw scores of shape (3, rows) best to `GOLD`: Platt scaling with soft
    targets, least cross-entropy by Newton's method on standardised scores."""
    x, y = raw.ravel().astype(float), np.repeat(GOLD, raw.shape[1])
    center, spread = x.mean(), x.std()
    design = np.stack([(x - center) / spread, np.ones_like(x)], axis=1)
    weights = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ weights))
        hessian = (design * (p * (1 - p))[:, None]).T @ design
        move = np.linalg.solve(hessian, design.T @ (y - p))
        weights += move
        if np.abs(move).max() < 1e-8:
            break
    slope = weights[0] / spread
    return float(slope), float(weights[1] - slope * center)
