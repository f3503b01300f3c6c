"""DBDC3: fine, possible breakdown or breakdown, as most of thirty annotators say."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.responses.cases import ResponseCase
from grice.benchmarks.stats import metrics
from grice.models.data import dbdc3
from grice.models.data.dbdc3 import DbdcPart, Votes
from grice.models.dialogue import Dialogue
from grice.models.relations.results import RelationQuestion

DEV_DIALOGUES = 60
"""Of the dev part, so many are read to fit the limits."""
JUDGEMENTS = ("fine", "possible", "breakdown")
STEPS = 40


def breakdown_cases(data_dir: Path, part: DbdcPart) -> tuple[list[ResponseCase], list[int]]:
    """The bot's turns of a part, and of each what most annotators say, a place in `JUDGEMENTS`.

    Raises:
        DataNotFound, DataCorrupt: the archive is not there, or damaged.
    """
    cases, gold = [], []
    dialogues = [each for each in dbdc3.read(data_dir) if each.part == part]
    for dialogue in dialogues if part == "eval" else dialogues[:: max(1, len(dialogues) // DEV_DIALOGUES)]:
        turns = [each.turn for each in dialogue.turns]
        for place, judged in enumerate(dialogue.turns):
            if judged.votes is not None and not judged.silent and place:
                name = f"{dialogue.dialogue_id}/{place}"
                question = RelationQuestion(Dialogue(tuple(turns[: place + 1])), setting="chat")
                cases.append(ResponseCase(name, dialogue.dialogue_id, name, "", question, None))
                gold.append(most(judged.votes))
    return cases, gold


def most(votes: Votes) -> int:
    """What most say; of those with as many the mildest."""
    counts = (votes.fine, votes.possible, votes.breakdown)
    return counts.index(max(counts))


def fit_limits(scores: Sequence[float], gold: Sequence[int]) -> tuple[float, float]:
    """The scores from which on a turn is a possible breakdown, and a breakdown: those with which most are right."""
    values, wanted = np.asarray(scores), np.asarray(gold)
    tried = np.unique(np.quantile(values, np.linspace(0, 1, STEPS)))
    limits = [(low, high) for low, high in itertools.combinations_with_replacement([*tried, 2.0], 2)]
    right = [int((judge(values, pair) == wanted).sum()) for pair in limits]
    low, high = limits[int(np.argmax(right))]
    return float(low), float(high)


def judge(scores: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Places in `JUDGEMENTS`."""
    return (scores >= limits[0]).astype(int) + (scores >= limits[1])


def add_breakdowns(
    sheet: Sheet,
    name: str,
    cases: Sequence[ResponseCase],
    found: tuple[Sequence[float], Sequence[int]],
    limits: tuple[float, float],
) -> None:
    """Add the accuracy; `found` are scores and gold of the cases."""
    right = judge(np.asarray(found[0]), limits) == np.asarray(found[1])
    sheet.add("dbdc3", name, "accuracy", metrics.mean(right, 100), ScoredRows([case.group for case in cases]))
