"""Texts of dialogue data that a sentence encoder learns from: turns and their sentences, without labels."""

from __future__ import annotations

import random
from pathlib import Path

from grice.models.data import begin, canard, dbdc3, persuasion_for_good, prosecco
from grice.models.text.wording import sentences
from grice.models.training import corpora

TASK_TEXTS = 25_000
"""Of SGD's turns, which are many and alike, so many are drawn."""
SENTENCES = 6


def read(data_dir: Path) -> list[str]:
    """Every text once, sorted.

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
