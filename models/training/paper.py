"""The DIRECT paper's rewriter (section 4.1): BART-base fine-tuned on train.csv, one model a direction.

Needs `train.csv` and a base model: `facebook/bart-base` from a hub, or a folder that holds one.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoTokenizer, BartForConditionalGeneration

from grice.models.data import direct
from grice.models.text.template import QUERY_TAG, SPEAKER_TAGS, SourceFormat, TargetForm
from grice.models.training.checkpoint import save_checkpoint
from grice.models.training.rewriter.data import Encoded, RewriteBatch, RewriteExample, SpecialIds, collate, encode
from grice.models.training.rewriter.recipe import cross_entropy
from grice.models.training.trainer import Objective, Schedule, Trainer, choose_device


@dataclass(frozen=True)
class PaperRecipe:
    """Learning rate 2e-5, batch 8, 30 epochs, 2,000 validation dialogues, the model of least validation loss; all history."""

    base: str = "facebook/bart-base"
    form: TargetForm = "direct"
    layout: SourceFormat = SourceFormat(history_turns=-1, max_tokens=512, with_form=False, start_token="<s>", end_token="</s>")
    schedule: Schedule = Schedule(epochs=30, learning_rate=2e-5, warmup=0.0, decay=False)
    batch_size: int = 8
    validation_dialogues: int = 2000
    seed: int = 0


def train_paper(data_dir: Path, out: Path, recipe: PaperRecipe | None = None, device: str = "auto") -> float:
    """Train into `out` (checkpoints, `model/`); goes on where a stopped run was. Returns the least validation loss.

    Raises:
        DataNotFound: `direct/train.csv` or MultiWOZ's training dialogues are not below `data_dir`.
    """
    recipe = recipe or PaperRecipe()
    torch.manual_seed(recipe.seed)
    place = choose_device(device)
    training, validation = _split(direct.read(data_dir, "train"), recipe)
    fast = AutoTokenizer.from_pretrained(recipe.base, use_fast=True)
    model = BartForConditionalGeneration.from_pretrained(recipe.base)
    fast.add_special_tokens({"additional_special_tokens": [QUERY_TAG, *SPEAKER_TAGS.values()]})
    model.resize_token_embeddings(len(fast))
    tokenizer: Tokenizer = fast.backend_tokenizer
    config = model.config
    special = SpecialIds(config.pad_token_id, config.decoder_start_token_id, config.eos_token_id)

    def rows(examples: Sequence[RewriteExample]) -> list[Encoded]:
        # BART's decoder writes <s> before the text
        encoded = [encode(tokenizer, example, recipe.layout) for example in examples]
        return [Encoded(row.source, [config.bos_token_id, *row.target]) for row in encoded]

    encoded, held_out = rows(training), rows(validation)

    def batches(epoch: int) -> list[RewriteBatch]:
        order = list(range(len(encoded)))
        random.Random(f"{recipe.seed}:{epoch}").shuffle(order)
        return [
            collate([encoded[i] for i in order[start : start + recipe.batch_size]], special)
            for start in range(0, len(order), recipe.batch_size)
        ]

    def loss(current: nn.Module, batch: RewriteBatch) -> Tensor:
        return cross_entropy(current, batch, 0.0, place)

    @torch.no_grad()
    def evaluate(current: nn.Module) -> tuple[float, dict[str, float]]:
        losses = [
            cross_entropy(current, collate(held_out[start : start + 32], special), 0.0, place).item()
            for start in range(0, len(held_out), 32)
        ]
        mean = sum(losses) / len(losses)
        return -mean, {"validation_loss": mean}

    best = -Trainer(model, out, recipe.schedule, Objective(batches, loss, evaluate, half=False), place).fit()
    save_checkpoint(out / "model", model, tokenizer, {"recipe": "paper", "validation_loss": best, **asdict(recipe)})
    return best


def _split(triples: Sequence[direct.Triple], recipe: PaperRecipe) -> tuple[list[RewriteExample], list[RewriteExample]]:
    dialogues = sorted({row.dialogue_id for row in triples})
    random.Random(recipe.seed).shuffle(dialogues)
    held_out = set(dialogues[: min(recipe.validation_dialogues, max(1, len(dialogues) // 5))])
    examples: tuple[list[RewriteExample], list[RewriteExample]] = ([], [])
    for row in triples:
        pair = (row.indirect, row.direct) if recipe.form == "direct" else (row.direct, row.indirect)
        examples[row.dialogue_id in held_out].append(RewriteExample(pair[0], row.history, recipe.form, pair[1]))
    return examples
