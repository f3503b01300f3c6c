"""`grice bench rectom`: what recommender and seeker have in mind, in ten kinds of questions, beside language models and people.

The questions are RecToM's (Li, Shi and Deng 2026); an answer is right where it names exactly the right options. All questions
of the files are scored: with `--weights folds`, the default, by the stored answers of the cross-validation by dialogue, with
`--weights shipped` by the shipped model, for dialogues that it was not trained on. `--limit N` takes the first N questions of
each task. `--items FILE.jsonl` scores the shipped model on recommendation dialogues of one's own, whatever is recommended in
them, in all and by domain; `--limit N` takes the first N dialogues then.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.folds import note_training, read_folds
from grice.benchmarks.core.options import FoldOptions, model_option, option
from grice.benchmarks.core.paper import PaperRow, read_paper
from grice.benchmarks.core.report import NOTHING
from grice.benchmarks.core.results import Result, Table
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems, llm
from grice.benchmarks.llm import LlmOptions
from grice.benchmarks.rectom import own_items
from grice.benchmarks.rectom.folds import FOLDS, TRAINS, stored_answers
from grice.benchmarks.rectom.llm import PromptingName, answers_in, ask_all
from grice.benchmarks.rectom.metrics import ACCURACY, Answers, QuestionsByTask, Scored, chance, metrics_of, score
from grice.models.data import rectom
from grice.models.data.rectom import FILES
from grice.models.errors import InputError
from grice.models.minds.model import MindModel, load_mind_model
from grice.models.minds.questions import TASKS, MindQuestion, Task
from grice.models.runtime.runtime import Runtime

PAPER = Path(__file__).parent / "paper.json"
SIGNATURE = (
    "in %, over the questions that have an answer in the format asked for; accuracy: exact set match; random: its expected value; "
    "majority: the set of options that is right most often in these files; majority-option: the one option that is"
)
PARTS = {"folds": "every question, cross-validated by dialogue", "shipped": "every question, by the shipped weights"}


@dataclass(frozen=True)
class RectomOptions(FoldOptions, LlmOptions):
    """What `grice bench rectom` takes."""

    mind: str = model_option("model of minds", "mind")
    items: Path | None = option(None, "recommendation dialogues of your own, as JSON lines, in place of the data set", "FILE.jsonl")
    samples: Path | None = option(None, "with --items: write what is found in every dialogue", "OUT.jsonl")

    @classmethod
    def folder_of(cls, args: argparse.Namespace) -> Path:
        """Where the data set is; items need none."""
        return Path() if args.items is not None else super().folder_of(args)


class QuestionAnswerer(Protocol):
    """A model that answers the questions."""

    def answer(self, questions: Sequence[MindQuestion]) -> Sequence[frozenset[str]]:
        """The letters of the options that it finds right, question by question; never none."""
        ...


def load_model(options: RectomOptions) -> MindModel:
    """The shipped model, or the exported one that the options name."""
    return load_mind_model(options.mind, runtime=Runtime(threads=options.threads))


@dataclass(frozen=True)
class RectomSetup:
    """What a system is built from.

    Attributes:
        everything: all questions of the files; `questions` are those that are scored.
    """

    options: RectomOptions
    everything: QuestionsByTask
    questions: QuestionsByTask
    sheet: Sheet
    models: Callable[[RectomOptions], QuestionAnswerer]
    folds: Path

    def score(self, answers: Answers) -> dict[Task, Scored]:
        """The metrics of all tasks."""
        return {task: score(task, each, answers[task]) for task, each in self.questions.items()}


Scores = Mapping[Task, Scored]


def _ours(asked: RectomSetup, name: str) -> Scores:
    if asked.options.weights == "folds":
        stored = read_folds(asked.folds, TRAINS)
        answers = stored_answers(stored, asked.questions)
        stored.note_weights(asked.sheet, asked.options.mind)
        asked.sheet.settings[name] = {"weights": "folds", **stored.about}
        return asked.score(answers)
    model = asked.models(asked.options)
    asked.sheet.add_model(model)
    asked.sheet.settings[name] = {"weights": "shipped"}
    asked.sheet.notes.append(note_training(asked.folds, TRAINS, asked.sheet.groups))
    return asked.score({task: model.answer(each) for task, each in asked.questions.items()})


def _constant(asked: RectomSetup, votes: Callable[[MindQuestion], Sequence[frozenset[str]]]) -> Scores:
    """Always what most votes are for, chosen on the very data it answers: rather too high a floor than too low."""
    answers = {}
    for task, questions in asked.everything.items():
        counts = Counter(vote for question in questions for vote in votes(question))
        labels = max(counts, key=lambda labels: (counts[labels], sorted(labels)))
        answers[task] = [question.letters_of(labels) for question in asked.questions[task]]
    return asked.score(answers)


def _most_frequent_set(asked: RectomSetup, name: str) -> Scores:
    return _constant(asked, lambda question: [question.labels_of(question.gold)])


def _most_frequent_option(asked: RectomSetup, name: str) -> Scores:
    return _constant(asked, lambda question: [frozenset({label}) for label in question.labels_of(question.gold)])


def _random(asked: RectomSetup, name: str) -> Scores:
    return {task: chance(each) for task, each in asked.questions.items()}


def _language_model(family: str, prompting: PromptingName, about: str) -> System[RectomSetup, Scores]:
    def build(asked: RectomSetup, model: str) -> Scores:
        runs = ask_all(model, prompting, asked.questions, asked.options)
        asked.sheet.settings[f"{family}:{model}"] = {task: run.settings for task, run in runs.items()}
        asked.sheet.tables += [run.usage(f"{family}:{model}") for run in runs.values()]
        return asked.score(answers_in(runs))

    return llm(family, about, build)


SYSTEMS = Systems[RectomSetup, Scores](
    "rectom",
    System("grice", "our model of minds, by stored folds or shipped weights", "ours", _ours),
    System("majority", "the set of options that is right most often", "floor", _most_frequent_set),
    System("majority-option", "the one option that is right most often", "floor", _most_frequent_option),
    System("random", "guessing, by its expected value", "floor", _random),
    _language_model("openai", "zero-shot", "a language model, asked for the answer alone"),
    _language_model("openai-cot", "chain-of-thought", "a language model that thinks step by step first"),
)


def evaluate(
    options: RectomOptions, models: Callable[[RectomOptions], QuestionAnswerer] = load_model, folds: Path = FOLDS
) -> Sheet:
    """Score all ten tasks, or with `items` those of one's own dialogues.

    Raises:
        InputError: an item is not in the format, or samples without items.
        DataError: the data cannot be read. ModelError, DataError: a system that was asked for by name cannot be loaded.
        JudgeError: the server of a language model does not answer.
    """
    if options.items is not None:
        sheet = Sheet("rectom", [], options.seed)
        own_items.add_items(sheet, options.items, load_model(options), options.limit, options.samples)
        return sheet
    if options.samples is not None:
        raise InputError("--samples", str(options.samples), "with --items, whose samples they are")
    everything = rectom.read(options.data_dir)
    questions = {task: each[: options.limit] for task, each in everything.items()}
    groups = [question.dialogue_id for each in questions.values() for question in each]
    paper = read_paper(PAPER)
    sheet = Sheet("rectom", groups, options.seed, part=PARTS[options.weights], published=paper.published(), notes=[paper.note])
    sheet.signatures = {"all": SIGNATURE}
    found, reasons = SYSTEMS.build(options, RectomSetup(options, everything, questions, sheet, models, folds))
    for task, each in questions.items():
        for name, reason in reasons.items():
            sheet.add_unscored(task, name, metrics_of(task), reason, len(each))
        for name, scores in found.items():
            scored = scores[task]
            sheet.add_defined(task, name, scored.measures, scored.groups, scored.unscored)
    sheet.tables.insert(0, at_a_glance(sheet.results, [*reasons, *found]))
    return sheet


def at_a_glance(results: Sequence[Result], systems: Sequence[str]) -> Table:
    """The accuracy of every system on every task in percent, beside the paper's best language model and people."""
    values = {(result.task, result.system): result.value for result in results if result.metric == ACCURACY}
    people = read_paper(PAPER).more["people"]
    rows = []
    for task in TASKS:
        best = best_model(task)
        theirs = (f"{best.metrics[ACCURACY]:.2f} {best.system}", f"{read_paper(PAPER).value(task, people, ACCURACY):.2f}")
        rows.append((task, *(_cell(values[task, name]) for name in systems), *theirs))
    return Table("Table 4 of the paper, and ours: accuracy", ("task", *systems, "best model of Table 4", "people"), tuple(rows))


def best_model(task: Task) -> PaperRow:
    """The paper's row of the most accurate language model."""
    paper = read_paper(PAPER)
    models = [row for row in paper.rows if row.task == task and row.system not in (paper.more["people"], paper.more["chance"])]
    return max(models, key=lambda row: row.metrics[ACCURACY])


def _cell(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"


BENCHMARK = Benchmark("rectom", RectomOptions, SYSTEMS, tuple((rectom.FOLDER, name) for name in FILES.values()), evaluate)
