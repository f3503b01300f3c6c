"""Does a smaller file still do its work? The development metric of each precision, beside fp32's."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from tqdm import tqdm

from grice.models.data import direct as direct_corpus
from grice.models.dialogue import Dialogue
from grice.models.directness.scorer import DirectnessModel
from grice.models.errors import WeightsError
from grice.models.manifest import FILE, read_manifest
from grice.models.rewriter.rewriter import Rewriter
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.slots.resolver import SlotResolver
from grice.models.training.slots.examples import SlotExample, from_direct

Row = TypeVar("Row")

METRICS = {
    "rewriting": "bleu",
    "directness": "exact_match",
    "sentence-embedding": "cosine_to_fp32",
    "slot-values": "accuracy",
}
"""What is measured of a model, by its task."""
TOLERANCE = {"bleu": 0.5, "exact_match": 0.01, "cosine_to_fp32": 0.02, "accuracy": 0.01}
"""How much a metric may fall behind fp32's: BLEU points, and fractions."""


def measure(folder: Path, reference: Path, data_dir: Path) -> dict[str, Any]:
    """Measure every precision in `folder` on DIRECT's dev part and write the figures into its manifest.

    Args:
        reference: a folder with the same model in fp32.

    Raises:
        WeightsError: a precision falls behind fp32 by more than the tolerance; no figures are written then.
    """
    manifest = read_manifest(folder)
    metric = METRICS[manifest.task]
    if manifest.task == "slot-values":
        return _measured(folder, reference, metric, _indirect_slots(data_dir), _accuracy)
    rows = direct_corpus.read(data_dir, parts=["dev"])
    figure = functools.partial(_cosine, reference) if manifest.task == "sentence-embedding" else _figure
    return _measured(folder, reference, metric, rows, figure)


def _measured(
    folder: Path, reference: Path, metric: str, rows: list[Row], figure: Callable[[Path, str, str, list[Row]], float]
) -> dict[str, Any]:
    manifest = read_manifest(folder)
    bar = tqdm(manifest.precisions, desc="measuring", unit="precision", disable=None)
    figures = {precision: figure(folder, precision, manifest.task, rows) for precision in bar}
    figures["fp32"] = figure(reference, "fp32", manifest.task, rows)
    found = {"metric": metric, "split": "DIRECT, our dev part", "n": len(rows), "tolerance": TOLERANCE[metric], **figures}
    for precision, value in figures.items():
        if value < figures["fp32"] - TOLERANCE[metric]:
            raise WeightsError(
                f"{folder}: {precision} has {metric} {value:.3f}, fp32 {figures['fp32']:.3f}: more than {TOLERANCE[metric]} less"
            )
    content = json.loads((folder / FILE).read_text(encoding="utf-8"))
    content["metrics"] = found
    (folder / FILE).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return found


def _figure(folder: Path, precision: str, task: str, rows: list[direct_corpus.Triple]) -> float:
    manifest = read_manifest(folder)
    if task == "rewriting":
        import sacrebleu

        rewrites = Rewriter(manifest, runtime=Runtime(precision=precision)).predict(
            [Dialogue.of(row.indirect, row.history) for row in rows]
        )
        texts = [rewrite.text for rewrite in rewrites]
        bleu: float = sacrebleu.corpus_bleu(texts, [[row.direct for row in rows]], lowercase=True).score
        return round(bleu, 3)
    scorer = DirectnessModel(manifest, runtime=Runtime(precision=precision))
    scores = [
        [result.score for result in scorer.predict([Dialogue.of(getattr(row, form), row.history) for row in rows])]
        for form in ("direct", "original", "indirect")
    ]
    ordered: int = sum(direct > original > indirect for direct, original, indirect in zip(*scores, strict=True))
    return ordered / len(rows)


def _indirect_slots(data_dir: Path) -> list[SlotExample]:
    """Questions of DIRECT's dev part whose turn means a value that it does not say."""
    examples = from_direct(data_dir, "dev", random.Random(0))
    return [example for example in examples if example.mentioned and not example.verbatim]


def _accuracy(folder: Path, precision: str, task: str, examples: list[SlotExample]) -> float:
    resolver = SlotResolver(read_manifest(folder, task), runtime=Runtime(precision=precision))
    found = resolver.predict([example.question for example in examples])
    right = [each.shares[int(np.argmax(said.probabilities))] == 1 for each, said in zip(examples, found, strict=True)]
    return round(float(np.mean(right)), 4)


def _cosine(reference: Path, folder: Path, precision: str, task: str, rows: list[direct_corpus.Triple]) -> float:
    texts = [row.original for row in rows]
    exact = SentenceEncoder(read_manifest(reference, task), runtime=Runtime(precision="fp32")).encode(texts)
    found = SentenceEncoder(read_manifest(folder, task), runtime=Runtime(precision=precision)).encode(texts)
    return round(float((exact * found).sum(1).mean()), 4)
