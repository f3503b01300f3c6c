"""Training the rewriter: `BartForConditionalGeneration` on DIRECT, both directions in one model, or the paper's set-up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import BartConfig, BartForConditionalGeneration

from grice.models.data import direct
from grice.models.text.template import TAGS, SourceFormat
from grice.models.text.written_form import written_form
from grice.models.training import corpora, vocabulary, warm_start
from grice.models.training.checkpoint import Facts, load_checkpoint, save_checkpoint, started_from
from grice.models.training.rewriter.data import (
    IGNORED,
    RewriteBatch,
    RewriteExample,
    batcher,
    collate,
    encode,
    from_direct,
    to_direct,
    unlabelled_turns,
)
from grice.models.training.trainer import Objective, Schedule, Trainer, choose_device
from grice.models.training.vocabulary import CLS, PAD, SEP


@dataclass(frozen=True)
class SmallRecipe:
    """The shipped model: MiniLM start, denoising of unlabelled turns, DIRECT in both directions, indirect to direct alone.

    The third stage is run `runs` times from the same start with other batches. The last, without label smoothing, starts once from
    the mean of their weights and once from the best of them, and the model is the mean of the two ("model soups", Wortsman et al.
    2022), which costs nothing at run time. It takes less than a point of BLEU from the other direction and gives this one more.
    """

    layout: SourceFormat = SourceFormat(history_turns=2, max_tokens=112)
    decoder_layers: tuple[int, ...] = (2, 4, 6)
    pretraining_turns: int = 60_000
    pretraining: Schedule = Schedule(epochs=1, learning_rate=5e-4)
    finetuning: Schedule = Schedule(epochs=7, learning_rate=3e-4, average=0.998)
    specialising: Schedule = Schedule(epochs=3, learning_rate=1.5e-4, average=0.99)
    runs: int = 2
    batch_size: int = 32
    label_smoothing: float = 0.1
    dropout: float = 0.1
    seed: int = 0


class SmallTraining:
    """Training of the small rewriter into `out` (checkpoints, `model/`); goes on where a stopped one was.

    Reads DIRECT (train part), MultiWOZ (val and extra utterances) and SGD (train) below `data_dir`.

    Args:
        start: the folder of a checkpoint to begin with, in place of MiniLM and the denoising.
    """

    def __init__(
        self,
        data_dir: Path,
        out: Path,
        recipe: SmallRecipe | None = None,
        device: str = "auto",
        start: Path | None = None,
    ) -> None:
        self.data_dir, self.out, self.start = data_dir, out, start
        self.recipe = recipe or SmallRecipe()
        torch.manual_seed(self.recipe.seed)
        self.device = choose_device(device)
        self.rows = direct.read(data_dir, parts=["train"])
        self.dev = to_direct(direct.read(data_dir, parts=["dev"]))
        self.model: nn.Module
        if start:
            begun = load_checkpoint(start, restore)
            self.tokenizer, self.model = begun.tokenizer, begun.model
            self.recipe = replace(self.recipe, layout=SourceFormat(**begun.facts["layout"]))
        else:
            words = corpora.vocabulary_of(data_dir, self.rows, out / "tokenizer.json")
            self.tokenizer, self.model = words.tokenizer, small_model(words, self.recipe)

    def run_once(self, number: int) -> float:
        """The third stage's run of that number alone, for one process a core. Returns its dev BLEU."""
        return self._runs([number])[0][0]

    def run(self) -> float:
        """All stages; runs of the third that are complete are read. Returns the dev BLEU."""
        runs = self._runs(range(self.recipe.runs))
        best_run = max(runs, key=lambda scored: scored[0])[1]
        specialised = []
        for number, weights in enumerate([_mean([weights for _, weights in runs]), best_run]):
            self.model.load_state_dict(weights)
            examples = to_direct(self.rows)
            self._stage(f"specialising-{number}", self.recipe.specialising, examples, self.recipe.seed + 100, 0.0)
            specialised.append(_weights(self.model))
        self.model.load_state_dict(_mean(specialised))
        score = self._evaluate(self.model.eval())[0]
        facts = {"recipe": "small", "dev_bleu": score, **asdict(self.recipe), **started_from(self.start)}
        save_checkpoint(self.out / "model", self.model, self.tokenizer, facts)
        return score

    def _runs(self, numbers: Iterable[int]) -> list[tuple[float, dict[str, Tensor]]]:
        """Dev BLEU and weights of these runs, from the same start."""
        recipe = self.recipe
        if not self.start:
            unlabelled = unlabelled_turns(self.data_dir, recipe.pretraining_turns)
            self._stage("pretraining", recipe.pretraining, unlabelled, recipe.seed, recipe.label_smoothing)
        pretrained = _weights(self.model)
        runs = []
        for number in numbers:
            self.model.load_state_dict(pretrained)
            examples, seed = from_direct(self.rows), recipe.seed + 1 + number
            score = self._stage(f"finetuning-{number}", recipe.finetuning, examples, seed, recipe.label_smoothing)
            runs.append((score, _weights(self.model)))
        return runs

    def _stage(self, folder: str, schedule: Schedule, examples: Sequence[RewriteExample], seed: int, smoothing: float) -> float:
        def loss(current: nn.Module, batch: RewriteBatch) -> Tensor:
            return cross_entropy(current, batch, smoothing, self.device)

        batches = batcher(self.tokenizer, examples, self.recipe.layout, self.recipe.batch_size, seed)
        objective = Objective(batches, loss, self._evaluate)
        return Trainer(self.model, self.out / folder, schedule, objective, self.device).fit()

    def _evaluate(self, current: nn.Module) -> tuple[float, dict[str, float]]:
        return evaluate_rewriter(current, self.tokenizer, self.dev, self.recipe.layout)


def _mean(weights: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    return {name: torch.stack([each[name] for each in weights]).mean(0) for name in weights[0]}


def _weights(model: nn.Module) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


def small_model(words: vocabulary.Vocabulary, recipe: SmallRecipe) -> BartForConditionalGeneration:
    """The untrained small model, its weights from MiniLM."""
    positions = recipe.layout.max_tokens + 16
    config = BartConfig(
        vocab_size=words.tokenizer.get_vocab_size(),
        d_model=warm_start.WIDTH,
        encoder_layers=warm_start.LAYERS,
        decoder_layers=len(recipe.decoder_layers),
        encoder_attention_heads=warm_start.HEADS,
        decoder_attention_heads=warm_start.HEADS,
        encoder_ffn_dim=warm_start.FEED_FORWARD,
        decoder_ffn_dim=warm_start.FEED_FORWARD,
        max_position_embeddings=positions,
        dropout=recipe.dropout,
        attention_dropout=recipe.dropout,
        pad_token_id=PAD,
        bos_token_id=CLS,
        eos_token_id=SEP,
        decoder_start_token_id=CLS,
        forced_eos_token_id=None,
        attn_implementation="eager",  # faster than sdpa on CPU for turns of this length
    )
    model = BartForConditionalGeneration(config)
    state = warm_start.bart_weights(words.kept_ids, len(TAGS), positions, recipe.decoder_layers)
    warm_start.load(model, state, ("lm_head.weight", "final_logits_bias"))
    model.tie_weights()
    return model


def cross_entropy(model: nn.Module, batch: RewriteBatch, smoothing: float, device: torch.device) -> Tensor:
    """Mean token cross-entropy of one batch, a scalar."""
    logits = model(
        input_ids=batch.source.to(device),
        attention_mask=batch.mask.to(device),
        decoder_input_ids=batch.decoder_input.to(device),
        use_cache=False,
    ).logits
    labels = batch.labels.to(device).flatten()
    return functional.cross_entropy(logits.float().flatten(0, 1), labels, ignore_index=IGNORED, label_smoothing=smoothing)


@torch.no_grad()
def evaluate_rewriter(
    model: nn.Module, tokenizer: Tokenizer, examples: Sequence[RewriteExample], layout: SourceFormat, batch_size: int = 64
) -> tuple[float, dict[str, float]]:
    """Lower-cased BLEU of greedy rewrites, and the loss."""
    import sacrebleu

    device = next(model.parameters()).device
    order = sorted(examples, key=lambda example: len(example.text))
    hypotheses, references, losses = [], [], []
    for start in range(0, len(order), batch_size):
        chunk = order[start : start + batch_size]
        batch = collate([encode(tokenizer, example, layout) for example in chunk])
        losses.append(cross_entropy(model, batch, 0.0, device).item() * len(chunk))
        tokens: Any = model.generate(  # type: ignore[operator]
            input_ids=batch.source.to(device), attention_mask=batch.mask.to(device), max_new_tokens=64, num_beams=1, do_sample=False
        )
        texts = [tokenizer.decode(row) for row in tokens.tolist()]
        hypotheses += [written_form(text, [example.text]) for text, example in zip(texts, chunk, strict=True)]
        references += [example.target for example in chunk]
    bleu = sacrebleu.corpus_bleu(hypotheses, [references], lowercase=True).score
    return bleu, {"dev_bleu": bleu, "dev_loss": sum(losses) / len(order)}


def restore(folder: Path, pieces: int, facts: Facts) -> BartForConditionalGeneration:
    """The trained rewriter in the folder of a checkpoint."""
    return BartForConditionalGeneration.from_pretrained(folder, local_files_only=True).float()
