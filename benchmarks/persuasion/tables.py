"""Face acts and multiple-choice questions in detail: by face act, and by where the chosen options stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from grice.benchmarks.core.paper import read_paper
from grice.benchmarks.core.report import NOTHING, interval
from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.persuasion.metrics import macro_f1
from grice.benchmarks.persuasion.questions import LETTERS, IntentionQuestion
from grice.benchmarks.stats.bootstrap import estimate
from grice.models.results import FACE_ACTS, PERSUASION_ROLES, FaceAct

FaceActLabels = Sequence[FaceAct]
Places = Sequence[int | None]
"""The options that a system chooses, question by question; None where it has no answer."""
PAPER = Path(__file__).parent / "paper.json"


def f1_by_face_act(gold: FaceActLabels, predicted: Mapping[str, FaceActLabels], groups: Sequence[str], seed: int) -> Table:
    """F1 of each label with its interval, and how many utterances have it."""
    counts = Counter(gold)
    rows: list[tuple[Cell, ...]] = [
        (
            label,
            counts[label],
            *(interval(estimate(macro_f1(gold, labels, [label]), groups, seed), 1, NOTHING) for labels in predicted.values()),
        )
        for label in FACE_ACTS
    ]
    return Table("face-acts: F1 by face act", ("face act", "n", *predicted), tuple(rows))


def accuracy_by_face_act(task: str, questions: Sequence[IntentionQuestion], answers: Mapping[str, Places]) -> Table:
    """Accuracy in % of the persuader's / the persuadee's / all questions with an answer, in the layout of the paper's Table 4."""
    labels = [label for label in FACE_ACTS if label != "other"]
    rows: list[tuple[Cell, ...]] = []
    for system, places in answers.items():
        rows.append(
            (system, *(_by_role([pair for pair in zip(questions, places, strict=True) if _is(pair[0], label)]) for label in labels))
        )
    counts = Counter((each.utterance.role, each.utterance.face_act) for each in questions)
    each_role = [[counts[role, label] for role in PERSUASION_ROLES] for label in labels]
    rows.append(("questions", *("/".join(map(str, (*found, sum(found)))) for found in each_role)))
    if task == "multiple-choice":
        for system, cells in read_paper(PAPER).more["by_face_act"].items():
            rows.append((f"published: {system}", *("/".join(map(_percent, cells[label])) for label in labels)))
    return Table(f"{task}: accuracy by face act, persuader/persuadee/both", ("system", *labels), tuple(rows))


def _is(question: IntentionQuestion, label: FaceAct) -> bool:
    return question.utterance.face_act == label


def _by_role(pairs: Sequence[tuple[IntentionQuestion, int | None]]) -> str:
    cells = []
    for roles in (*((role,) for role in PERSUASION_ROLES), PERSUASION_ROLES):
        right = [place == question.gold for question, place in pairs if place is not None and question.utterance.role in roles]
        cells.append(_percent(100 * float(np.mean(right)) if right else None))
    return "/".join(cells)


def _percent(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.0f}"


def option_positions(task: str, questions: Sequence[IntentionQuestion], answers: Mapping[str, Places]) -> Table:
    """How often each option is right, and how often each system chooses it, in % (the paper, section 4.1.2)."""
    gold: list[int | None] = [each.gold for each in questions]
    rows: list[tuple[Cell, ...]] = []
    for name, places in {"right": gold, **answers}.items():
        counts = Counter(place for place in places if place is not None)
        shares = [f"{100 * counts[place] / counts.total():.1f}" if counts else NOTHING for place in range(len(LETTERS))]
        rows.append((name, *shares, counts.total()))
    return Table(f"{task}: which option is chosen, in %", ("system", *LETTERS, "n"), tuple(rows))
