"""`grice bench rectom`: what recommender and seeker have in mind, in ten kinds of questions, beside language models and people.

The questions are RecToM's (Li, Shi and Deng 2026); an answer is right where it names exactly the right options. All questions
of the files are scored: with `--weights folds`, the default, by the stored answers of the cross-validation by dialogue, with
`--weights shipped` by the shipped model, for dialogues that it was not trained on. `--limit N` takes the first N questions of
each task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from grice.benchmarks.core.benchmark import LLM_OPTIONS, Benchmark, Options, Sheet, opened
from grice.benchmarks.core.results import Table
from grice.benchmarks.rectom import floors as rectom_floors
from grice.benchmarks.rectom import llm as rectom_llm
from grice.benchmarks.rectom import metrics as rectom_metrics
from grice.benchmarks.rectom.folds import FOLDS, read_folds
from grice.benchmarks.rectom.metrics import Answers, Questions, Scored
from grice.benchmarks.rectom.paper import paper
from grice.benchmarks.rectom.prompts import Prompting
from grice.benchmarks.rectom.tables import at_a_glance
from grice.models.data import rectom
from grice.models.data.rectom import FILES
from grice.models.minds.questions import MindQuestion, Task

OURS = "grice"
RANDOM = "random"
FLOORS = {"majority": rectom_floors.most_frequent_set, "majority-option": rectom_floors.most_frequent_option}
PROMPTINGS: Mapping[str, Prompting] = {"openai": "zero-shot", "openai-cot": "chain-of-thought"}
"""The families of systems that are language models."""

SIGNATURE = (
    "in %, over the questions that have an answer in the format asked for; accuracy: exact set match; random: its expected value; "
    "majority: the set of options that is right most often in these files; majority-option: the one option that is"
)
PARTS = {"folds": "every question, cross-validated by dialogue", "shipped": "every question, by the shipped weights"}


class MindModel(Protocol):
    """A model that answers the questions."""

    def answer(self, questions: Sequence[MindQuestion]) -> Sequence[frozenset[str]]:
        """The letters of the options that it finds right, question by question; never none."""
        ...


@dataclass(frozen=True)
class Found:
    """How a system fares on each task, and what else is known of it."""

    scored: Mapping[Task, Scored]
    settings: Mapping[str, Any] = field(default_factory=dict)
    usage: Sequence[Table] = ()


def load_model(options: Options) -> MindModel:
    """The shipped model, or the exported one that the options name."""
    from grice.models.minds.model import load_mind_model

    return load_mind_model(options.mind, threads=options.threads)


def evaluate(options: Options, models: Callable[[Options], MindModel] = load_model, folds: Path = FOLDS) -> Sheet:
    """Score all ten tasks.

    Raises:
        DataError: the data cannot be read. ModelError, DataError: a system that was asked for by name cannot be loaded.
        JudgeError: the server of a language model does not answer.
    """
    everything = rectom.read(options.data_dir)
    questions = {task: each[: options.limit] for task, each in everything.items()}
    groups = [question.dialogue_id for each in questions.values() for question in each]
    sheet = Sheet("rectom", groups, options.seed, part=PARTS[options.weights])
    sheet.published, sheet.notes, sheet.signatures = paper().published(), [paper().note], {"all": SIGNATURE}

    def ours() -> Found:
        if options.weights == "folds":
            stored = read_folds(folds)
            return Found(_scored(questions, stored.answers(questions)), {"weights": "folds", **stored.about})
        model = models(options)
        sheet.add_model(model)
        sheet.notes.append(_note_on_shipped(folds, groups))
        return Found(_scored(questions, {task: model.answer(each) for task, each in questions.items()}), {"weights": "shipped"})

    def load(name: str) -> Found:
        family, _, model = name.partition(":")
        if family in PROMPTINGS:
            asked = rectom_llm.asked(model, PROMPTINGS[family], questions, options)
            return Found(_scored(questions, asked.answers), asked.settings, asked.usage(name))
        if name == OURS:
            return ours()
        if name == RANDOM:
            return Found({task: rectom_metrics.chance(each) for task, each in questions.items()})
        return Found(_scored(questions, FLOORS[name](everything, questions)))

    found, reasons = opened(options.systems or BENCHMARK.default_systems, options, load)
    for task, each in questions.items():
        for name, reason in reasons.items():
            sheet.add_unscored(task, name, rectom_metrics.metrics_of(task), reason, len(each))
        for name, system in found.items():
            scored = system.scored[task]
            sheet.add_defined(task, name, scored.measures, scored.groups, scored.unscored)
    sheet.tables.append(at_a_glance(sheet.results, [*reasons, *found]))
    for name, system in found.items():
        sheet.tables += system.usage
        if system.settings:
            sheet.settings[name] = dict(system.settings)
    return sheet


def _scored(questions: Questions, answers: Answers) -> dict[Task, Scored]:
    return {task: rectom_metrics.scored(task, each, answers[task]) for task, each in questions.items()}


def _note_on_shipped(folds: Path, dialogues: Sequence[str]) -> str:
    known = read_folds(folds).folds if folds.exists() else {}
    asked = set(dialogues)
    return f"{OURS}: the shipped weights were trained on {len(asked & set(known))} of these {len(asked)} dialogues"


BENCHMARK = Benchmark(
    name="rectom",
    about="RecToM: beliefs, desires, intentions and strategies in recommendation dialogues, beside language models and people",
    systems=(OURS, *FLOORS, RANDOM, *(f"{family}:MODEL" for family in PROMPTINGS)),
    default_systems=(OURS, *FLOORS, RANDOM),
    files=tuple((rectom.FOLDER, name) for name in FILES.values()),
    options=("mind", "threads", "weights", *LLM_OPTIONS),
    evaluate=evaluate,
)
