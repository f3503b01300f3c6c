"""A directness scorer without weights of its own: the reader of meaning, and the curve that makes a score of what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tqdm import tqdm

from grice.models.data import direct
from grice.models.dialogue import Dialogue
from grice.models.directness.by_meaning import ANY_BOT
from grice.models.manifest import write_manifest
from grice.models.meaning.reader import MeaningReader
from grice.models.meaning.results import MeaningQuestion
from grice.models.training.directness import RawScores, calibration, ranking_figures

FORMS = ("direct", "original", "indirect")


def write_scorer(reader: MeaningReader, name: str, data_dir: Path, out: Path, version: str = "1") -> dict[str, float]:
    """Write `manifest.json` into `out`: the reader's name, and a curve that is fitted to DIRECT's dev part.

    Returns figures on that part, see `ranking_figures`.

    Raises:
        DataNotFound, DataCorrupt: the data set is missing or damaged.
    """
    rows = direct.read(data_dir, parts=["dev"])
    raw = _raw_scores(reader, rows)
    slope, offset = calibration(raw)
    figures = ranking_figures(raw)
    out.mkdir(parents=True, exist_ok=True)
    write_manifest(
        out,
        {
            "name": "directness",
            "version": version,
            "task": "directness",
            "settings": {"reader": name, "calibration": {"slope": slope, "offset": offset}},
            "training": {"data": "that of the reader; calibrated on DIRECT, our dev part", **figures},
        },
    )
    return figures


def _raw_scores(reader: MeaningReader, rows: list[direct.Triple]) -> RawScores:
    """Of shape (3, rows): direct, original, indirect."""
    found = np.zeros((len(FORMS), len(rows)), np.float32)
    for place, row in enumerate(tqdm(rows, desc="directness", disable=None)):
        turns = [Dialogue.of(getattr(row, form), row.history) for form in FORMS]
        scores = reader.score([MeaningQuestion(turn, ANY_BOT) for turn in turns])
        found[:, place] = [each.directness for each in scores]
    return found
