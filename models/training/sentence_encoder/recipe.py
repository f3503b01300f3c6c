"""A small sentence encoder from all-MiniLM-L6-v2: some of its layers and a cut vocabulary, taught to give the same vectors.

The student sees texts of dialogue data, no labels, and nothing of ABC-Eval.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm
from transformers import BertModel

from grice.models.data import begin, canard, dbdc3, persuasion_for_good, prosecco
from grice.models.sentence_encoder.encoder import padded
from grice.models.text.template import token_id
from grice.models.text.wording import sentences
from grice.models.training import corpora, vocabulary, warm_start
from grice.models.training.checkpoint import Facts, load_checkpoint, save_checkpoint, started_from, with_weights
from grice.models.training.trainer import Objective, Schedule, Trainer, bucketed, choose_device

BATCH = 64
SAMPLES = 500
"""Texts, as token ids, that the export takes the ranges of int8 activations from."""
HELD_OUT = 2048
"""Texts that are not learned from; the mean cosine to the teacher on them is what `grice train` reports."""

TASK_TEXTS = 25_000
"""Of SGD's turns, which are many and alike, so many are drawn."""
SENTENCES = 6


@dataclass(frozen=True)
class SentenceRecipe:
    """The shipped encoder: which of MiniLM's six layers (from 0) it starts with, and the size of its vocabulary."""

    layers: tuple[int, ...] = (0, 2, 3, 5)
    vocabulary: int = 12_000
    max_tokens: int = 128
    schedule: Schedule = Schedule(epochs=3, learning_rate=4e-4, warmup=0.05, average=0.998)
    seed: int = 0


@dataclass(frozen=True)
class Taught:
    """A batch: `ids` and `mask` (batch, length), and the teacher's vectors (batch, width)."""

    ids: Tensor
    mask: Tensor
    vectors: Tensor


def train_sentence_encoder(
    data_dir: Path, out: Path, recipe: SentenceRecipe | None = None, device: str = "auto", start: Path | None = None
) -> float:
    """Train the encoder into `out` (checkpoints, `model/`); goes on where a stopped run was.

    Args:
        start: the folder of a checkpoint to begin with, in place of MiniLM.

    Returns the mean cosine to the teacher on texts that were not learned from.
    """
    recipe = recipe or SentenceRecipe()
    torch.manual_seed(recipe.seed)
    place = choose_device(device)
    texts = read_texts(data_dir)
    random.Random(recipe.seed).shuffle(texts)
    if start:
        begun = load_checkpoint(start, restore)
        tokenizer, student = begun.tokenizer, begun.model
        student.embeddings.requires_grad_(False)
        shape = begun.facts["recipe"]
        recipe = replace(recipe, layers=tuple(shape["layers"]), max_tokens=shape["max_tokens"])
    else:
        words = vocabulary.read_or_cut(out / "tokenizer.json", lambda: texts, (), at_least=2, size=recipe.vocabulary)
        tokenizer, student = words.tokenizer, small_model(words, recipe)
    goal = _teacher_vectors(texts, out / "teacher.npy", recipe, place)
    rows = _ids(tokenizer, texts, recipe.max_tokens)
    held_out = min(HELD_OUT, len(rows) // 4) // BATCH * BATCH

    def batch_of(places: Sequence[int]) -> Taught:
        ids, mask = _padded([rows[at] for at in places])
        return Taught(ids, mask, torch.from_numpy(goal[list(places)].astype(np.float32)))

    def loss(model: nn.Module, places: Sequence[int]) -> Tensor:
        batch = batch_of(places)
        vectors = vectors_of(model, batch.ids.to(place), batch.mask.to(place))
        wanted = batch.vectors.to(place)
        alike = (vectors @ vectors.T - wanted @ wanted.T).square().mean()
        return (1 - (vectors * wanted).sum(-1)).mean() + 2 * alike

    def evaluate(model: nn.Module) -> tuple[float, dict[str, float]]:
        with torch.no_grad():
            found = [_cosines(model, batch_of(range(start, start + BATCH)), place) for start in range(0, held_out, BATCH)]
        cosine = float(torch.cat(found).mean())
        return cosine, {"held_out_cosine": cosine}

    def batches(epoch: int) -> list[list[int]]:
        generator = torch.Generator().manual_seed(recipe.seed + epoch)
        lengths = [len(row) for row in rows[held_out:]]
        return [[held_out + at for at in each] for each in bucketed(lengths, BATCH, generator)]

    best = Trainer(student, out, recipe.schedule, Objective(batches, loss, evaluate), place).fit()
    data = f"{len(texts)} texts of dialogue data, without labels; teacher all-MiniLM-L6-v2"
    facts = {"recipe": asdict(recipe), "data": data, "held_out_cosine": best}
    folder = save_checkpoint(out / "model", student, tokenizer, facts | started_from(start))
    (folder / "samples.json").write_text(json.dumps(rows[:SAMPLES]) + "\n", encoding="utf-8")
    return best


def read_texts(data_dir: Path) -> list[str]:
    """The turns of dialogue data and their sentences, without labels: every text once, sorted.

    Raises:
        DataNotFound, DataCorrupt: a data set is missing or damaged.
    """
    chat = {judged.turn.text for dialogue in dbdc3.read(data_dir) for judged in dialogue.turns}
    chat |= {turn.text for dialogue in persuasion_for_good.read(data_dir) for turn in dialogue.turns}
    for record in begin.read(data_dir):
        chat |= {record.message or record.response, record.response, *sentences(record.knowledge, SENTENCES)}
    for pair in prosecco.read(data_dir):
        chat |= {pair.first, pair.second}
    for question in canard.read(data_dir / "canard"):
        chat |= {question.turn.text, *question.rewrites, *(turn.text for turn in question.history)}
    tasks = sorted({turn.text for turns in corpora.sgd_dialogues(data_dir) for turn in turns})
    drawn = random.Random(0).sample(tasks, min(TASK_TEXTS, len(tasks)))
    return sorted(chat | {sentence for text in chat for sentence in sentences(text, SENTENCES)} | set(drawn))


def _cosines(model: nn.Module, batch: Taught, place: torch.device) -> Tensor:
    return (vectors_of(model, batch.ids.to(place), batch.mask.to(place)).cpu() * batch.vectors).sum(-1)


def _ids(tokenizer: Tokenizer, texts: Sequence[str], most: int) -> list[list[int]]:
    start, end = token_id(tokenizer, "[CLS]"), token_id(tokenizer, "[SEP]")
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [[start, *each.ids[: most - 2], end] for each in encoded]


def _teacher_vectors(texts: Sequence[str], path: Path, recipe: SentenceRecipe, place: torch.device) -> NDArray[np.float16]:
    """MiniLM's vectors of the texts, shape (texts, width), computed once and kept at `path`."""
    if path.is_file():
        kept: NDArray[np.float16] = np.load(path)
        if len(kept) == len(texts):
            return kept
    tokenizer = Tokenizer.from_file(str(warm_start.folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rows = _ids(tokenizer, texts, recipe.max_tokens)
    teacher = empty_model(tokenizer.get_vocab_size(), warm_start.LAYERS, recipe.max_tokens)
    state = warm_start.bert_weights(range(tokenizer.get_vocab_size()), 0, recipe.max_tokens, warm_start.LAYERS)
    warm_start.load(teacher, state, warm_start.BERT_COMPUTED)
    teacher.to(place).eval()
    found = np.zeros((len(rows), warm_start.WIDTH), np.float16)
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    with torch.no_grad(), torch.autocast(place.type, dtype=torch.bfloat16):
        for start in tqdm(range(0, len(order), BATCH), desc="teacher", mininterval=10):
            chosen = order[start : start + BATCH]
            ids, mask = _padded([rows[at] for at in chosen])
            found[chosen] = vectors_of(teacher, ids.to(place), mask.to(place)).cpu().numpy()
    np.save(path, found)
    return found


def _padded(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    ids, mask = padded(rows)
    return torch.from_numpy(ids), torch.from_numpy(mask)


def vectors_of(model: nn.Module, ids: Tensor, mask: Tensor) -> Tensor:
    """The mean of the states at unit length, (batch, width), fp32."""
    states = model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
    weights = mask.unsqueeze(-1).float()
    return functional.normalize((states * weights).sum(1) / weights.sum(1), dim=-1)


def small_model(words: vocabulary.Vocabulary, recipe: SentenceRecipe) -> BertModel:
    """The untrained student: the chosen layers of MiniLM. Its token and position embeddings stay as they are."""
    model = empty_model(words.tokenizer.get_vocab_size(), len(recipe.layers), recipe.max_tokens)
    state = warm_start.bert_weights(words.kept_ids, 0, recipe.max_tokens, warm_start.LAYERS)
    chosen = {name: value for name, value in state.items() if not name.startswith("encoder.layer.")}
    for target, source in enumerate(recipe.layers):
        start = f"encoder.layer.{source}."
        chosen |= {
            f"encoder.layer.{target}.{name.removeprefix(start)}": value for name, value in state.items() if name.startswith(start)
        }
    warm_start.load(model, chosen, warm_start.BERT_COMPUTED)
    model.embeddings.requires_grad_(False)
    return model


def restore(folder: Path, pieces: int, facts: Facts) -> BertModel:
    """The trained encoder in the folder of a checkpoint."""
    return with_weights(empty_model(pieces, len(facts["recipe"]["layers"]), facts["recipe"]["max_tokens"]), folder)


def empty_model(vocabulary_size: int, layers: int, max_tokens: int) -> BertModel:
    """The encoder with random weights; no dropout, since it learns to copy."""
    return warm_start.empty_bert(vocabulary_size, layers, max_tokens, 0.0)
