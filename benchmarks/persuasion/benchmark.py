"""`grice bench persuasion`: face acts of utterances, and what their speakers intend, in persuasions to give to a charity.

Face acts are those of Dutt, Joshi and Rosé 2020; `authors` replays the predictions that they released. All utterances of the
file are scored: with `--weights folds`, the default, by the stored predictions of the cross-validation by dialogue, with
`--weights shipped` by the shipped detector, for dialogues that it was not trained on. The multiple-choice questions are those
of `grice persuasion questions`, on these dialogues or on those of `--annotations`. `--items FILE.jsonl` scores the shipped
detector on persuasions of one's own, whatever is wanted in them, in all and by goal. `--limit N` takes the first N utterances,
and of each kind of questions the first N.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.folds import note_training, read_folds
from grice.benchmarks.core.options import FoldOptions, model_option, option
from grice.benchmarks.core.paper import read_paper
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems, llm
from grice.benchmarks.llm import WindowedOptions
from grice.benchmarks.persuasion import own_items
from grice.benchmarks.persuasion import tables as persuasion_tables
from grice.benchmarks.persuasion.annotations import read_annotations, without_votes
from grice.benchmarks.persuasion.folds import FOLDS, TRAINS, FoldPredictor
from grice.benchmarks.persuasion.llm import ask_all, places
from grice.benchmarks.persuasion.metrics import METRICS, macro_f1, measures_of
from grice.benchmarks.persuasion.predictions import Predictor, Spoken, chosen, load_predictor
from grice.benchmarks.persuasion.questions import IntentionQuestion, questions_of
from grice.benchmarks.persuasion.tables import PAPER, FaceActLabels, Places
from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.confusion import confusion
from grice.models.data import face_acts
from grice.models.data.face_acts import FaceActDialogue
from grice.models.errors import DataError, InputError
from grice.models.face_acts.descriptions import Phrasing
from grice.models.face_acts.detector import load_intention_detector
from grice.models.manifest import sha256
from grice.models.results import FACE_ACTS, PERSUASION_ROLES, FaceAct
from grice.models.runtime.runtime import Runtime

AUTHORS, MAJORITY = "authors", "majority"
FACE_ACTS_TASK = "face-acts"
CHOICE_TASKS: Mapping[str, tuple[Phrasing, bool]] = {
    "multiple-choice": ("new", True),
    "multiple-choice-no-rules": ("new", False),
    "multiple-choice-old": ("old", True),
    "multiple-choice-old-no-rules": ("old", False),
}
"""The cells of the paper's Table 14: the wording of the descriptions, and whether distractors are drawn by the rules."""
OTHER_TASK = "other-goals"
"""Written dialogues with other goals than a gift to a charity, of hands that nothing was trained on."""
TASKS = (FACE_ACTS_TASK, *CHOICE_TASKS, OTHER_TASK)
DEFAULT_TASKS = (FACE_ACTS_TASK, "multiple-choice")
SIGNATURE = (
    "in %; macro_f1: the mean over the face acts that are right or predicted anywhere; majority: the most frequent face act, or "
    "the option that is right most often; questions without an answer that can be read are unscored"
)
PARTS = {"folds": "every utterance, cross-validated by dialogue", "shipped": "every utterance, by the shipped weights"}
NO_FACE_ACTS = "a language model is asked to choose among descriptions, not to name face acts"
NO_CHOICES = "the authors released labels without probabilities, and so do not say which option is likelier"


@dataclass(frozen=True)
class _Rows:
    """What is scored in a run."""

    spoken: Sequence[Spoken]
    questions: Mapping[str, Sequence[IntentionQuestion]]

    @property
    def groups(self) -> list[str]:
        """The dialogue of every utterance, or where none is scored of every question."""
        if self.spoken:
            return [each.dialogue.dialogue_id for each in self.spoken]
        return [each.dialogue_id for questions in self.questions.values() for each in questions]

    @property
    def gold(self) -> list[FaceAct]:
        return [each.utterance.face_act for each in self.spoken]


@dataclass(frozen=True)
class _Found:
    """What a system says; a reason where it says nothing."""

    labels: FaceActLabels | str
    answers: Mapping[str, Places | str]


@dataclass(frozen=True)
class PersuasionOptions(FoldOptions, WindowedOptions):
    """What `grice bench persuasion` takes."""

    tasks: tuple[str, ...] = option((), f"only these tasks (default: {' '.join(DEFAULT_TASKS)})", "T", flag="--task")
    annotations: Path | None = option(None, "ask about these dialogues; `grice persuasion sheet` writes such a file", "FILE.jsonl")
    intentions: str = model_option("intention detector", "intentions")
    items: Path | None = option(None, "persuasions of your own, as JSON lines, in place of the data set", "FILE.jsonl")
    samples: Path | None = option(None, "with --items: write what is found of every utterance", "OUT.jsonl")

    @classmethod
    def folder_of(cls, args: argparse.Namespace) -> Path:
        """Where the data set is; items need none."""
        return Path() if args.items is not None else super().folder_of(args)


@dataclass(frozen=True)
class _PersuasionSetup:
    """What a system is built from."""

    options: PersuasionOptions
    dialogues: Sequence[FaceActDialogue]
    rows: _Rows
    sheet: Sheet
    predictors: Callable[[str, int], Predictor]
    folds: Path


def _ours(asked: _PersuasionSetup, name: str) -> _Found:
    if asked.options.weights == "folds":
        stored = read_folds(asked.folds, TRAINS)
        predictor: Predictor = FoldPredictor(stored, asked.dialogues)
        stored.note_weights(asked.sheet, asked.options.intentions)
    else:
        predictor = asked.predictors(asked.options.intentions, asked.options.threads)
        asked.sheet.notes.append(note_training(asked.folds, TRAINS, (each.dialogue_id for each in asked.dialogues)))
        asked.sheet.add_model(getattr(predictor, "detector", None))
    asked.sheet.settings[name] = dict(predictor.about)
    labels = predictor.labels(asked.rows.spoken)
    answers: dict[str, Places | str] = {}
    for task, questions in asked.rows.questions.items():
        try:
            answers[task] = chosen(questions, predictor.probabilities(questions))
        except DataError as error:  # stored predictions may lack probabilities, or be of other dialogues than those annotated
            answers[task] = str(error)
    return _Found(labels, answers)


def _authors(asked: _PersuasionSetup, name: str) -> _Found:
    return _Found([each.utterance.predicted for each in asked.rows.spoken], dict.fromkeys(asked.rows.questions, NO_CHOICES))


def _majority(asked: _PersuasionSetup, name: str) -> _Found:
    rows = asked.rows
    answers: dict[str, Places | str] = {}
    for task, questions in rows.questions.items():
        most = Counter(each.gold for each in questions).most_common(1)
        answers[task] = [place for place, _ in most] * len(questions)
    return _Found([label for label, _ in Counter(rows.gold).most_common(1)] * len(rows.spoken), answers)


def _language_model(family: str, about: str) -> System[_PersuasionSetup, _Found]:
    def build(asked: _PersuasionSetup, model: str) -> _Found:
        questions = asked.rows.questions
        runs = {task: ask_all(family, model, task, questions[task], asked.options) for task in questions}
        asked.sheet.tables += [run.usage(f"{family}:{model}") for run in runs.values()]
        asked.sheet.settings[f"{family}:{model}"] = {task: run.settings for task, run in runs.items()}
        return _Found(NO_FACE_ACTS, {task: places(run) for task, run in runs.items()})

    return llm(family, about, build)


SYSTEMS = Systems[_PersuasionSetup, _Found](
    "persuasion",
    System("grice", "our detector, by stored folds or shipped weights", "ours", _ours),
    System(AUTHORS, "the predictions that the authors of the face acts released", "replay", _authors),
    System(MAJORITY, "the most frequent face act, the option that is right most often", "floor", _majority),
    _language_model("openai", "a language model, asked for an option at once"),
    _language_model("openai-cot", "a language model that gives a reason first"),
)


def evaluate(
    options: PersuasionOptions, predictors: Callable[[str, int], Predictor] = load_predictor, folds: Path = FOLDS
) -> Sheet:
    """Score face acts and answers.

    Raises:
        InputError: an unknown task, an item that is not in the format, or samples without items.
        DataError: the data cannot be read. ModelError, DataError: a system that was asked for by name cannot be loaded.
        JudgeError: the server of a language model does not answer.
    """
    tasks = options.tasks or DEFAULT_TASKS
    if unknown := [task for task in tasks if task not in TASKS]:
        raise InputError("task of benchmark persuasion", unknown[0], ", ".join(TASKS))
    own_items.check_samples(options.items, options.samples)
    if options.items is not None:
        sheet = Sheet("persuasion", [], options.seed)
        detector = load_intention_detector(options.intentions, runtime=Runtime(threads=options.threads))
        own_items.add_items(sheet, options.items, detector, options.limit, options.samples)
        return sheet
    if OTHER_TASK in tasks:
        if len(tasks) > 1:
            raise InputError("task of benchmark persuasion", ", ".join(tasks), f"{OTHER_TASK} alone, or others without it")
        sheet = Sheet("persuasion", [], options.seed)
        own_items.add_held_hands(sheet, load_intention_detector(options.intentions), OTHER_TASK, options.limit)
        return sheet
    dialogues = face_acts.read(options.data_dir)
    annotated = read_annotations(options.annotations) if options.annotations else without_votes(dialogues)
    spoken = [Spoken(each, place) for each in dialogues for place in range(len(each.utterances))]
    choices = {task: CHOICE_TASKS[task] for task in tasks if task in CHOICE_TASKS}
    rows = _Rows(
        spoken[: options.limit] if FACE_ACTS_TASK in tasks else (),
        {task: questions_of(annotated, *kind, options.seed)[: options.limit] for task, kind in choices.items()},
    )
    sheet = Sheet("persuasion", rows.groups, options.seed, part=PARTS[options.weights])
    sheet.published, sheet.signatures = read_paper(PAPER).published(tasks), {"all": SIGNATURE}
    sheet.notes = _notes(rows, len(spoken), options)
    if options.annotations:
        sheet.settings["annotations_sha256"] = sha256(options.annotations)
    ready, reasons = SYSTEMS.build(options, _PersuasionSetup(options, dialogues, rows, sheet, predictors, folds))
    silent = {name: _Found(reason, dict.fromkeys(rows.questions, reason)) for name, reason in reasons.items()}
    found = {name: (ready | silent)[name] for name in SYSTEMS.asked(options)}
    if FACE_ACTS_TASK in tasks:
        _add_face_acts(sheet, rows, {name: each.labels for name, each in found.items()})
    for task, questions in rows.questions.items():
        _add_choices(sheet, task, questions, {name: each.answers[task] for name, each in found.items()})
    return sheet


def _add_face_acts(sheet: Sheet, rows: _Rows, found: Mapping[str, FaceActLabels | str]) -> None:
    gold, groups = rows.gold, rows.groups
    scored: dict[str, FaceActLabels] = {}
    for name, labels in found.items():
        if isinstance(labels, str):
            sheet.add_unscored(FACE_ACTS_TASK, name, METRICS, labels, len(gold))
        else:
            scored[name] = labels
            sheet.add_defined(FACE_ACTS_TASK, name, measures_of(gold, labels), groups)
    for role in PERSUASION_ROLES:
        kept = [place for place, each in enumerate(rows.spoken) if each.utterance.role == role]
        truth, whose = [gold[place] for place in kept], [groups[place] for place in kept]
        for name, labels in scored.items():
            said = [labels[place] for place in kept]
            accuracy = metrics.mean([one == other for one, other in zip(truth, said, strict=True)], 100)
            sheet.add_defined(f"{FACE_ACTS_TASK}, {role}", name, {"accuracy": accuracy, "macro_f1": macro_f1(truth, said)}, whose)
    sheet.tables.append(persuasion_tables.f1_by_face_act(gold, scored, groups, sheet.seed))
    sheet.tables += [
        confusion(f"{FACE_ACTS_TASK}: {name}", gold, labels, FACE_ACTS) for name, labels in scored.items() if name != MAJORITY
    ]


def _add_choices(sheet: Sheet, task: str, questions: Sequence[IntentionQuestion], found: Mapping[str, Places | str]) -> None:
    scored: dict[str, Places] = {}
    for name, answers in found.items():
        if isinstance(answers, str):
            sheet.add_unscored(task, name, ("accuracy",), answers, len(questions))
            continue
        scored[name] = answers
        known = [(each, place) for each, place in zip(questions, answers, strict=True) if place is not None]
        accuracy = metrics.mean([place == each.gold for each, place in known], 100)
        groups = [each.dialogue_id for each, _ in known]
        sheet.add_defined(task, name, {"accuracy": accuracy}, groups, len(questions) - len(known))
    sheet.tables += [
        persuasion_tables.accuracy_by_face_act(task, questions, scored),
        persuasion_tables.option_positions(task, questions, scored),
    ]


def _notes(rows: _Rows, utterances: int, options: PersuasionOptions) -> list[str]:
    origin = f"of {options.annotations.name}" if options.annotations else "whose intention follows from role and face act"
    notes = [f"{task}: {len(questions)} questions on utterances {origin}" for task, questions in rows.questions.items()]
    paper = read_paper(PAPER)
    if utterances != paper.more["utterances"]:
        notes.append(
            f"the file at hand has {utterances:,} utterances, the released one {paper.more['utterances']:,}: figures of {AUTHORS} "
            "differ from the published ones"
        )
    return [paper.note, *notes]


BENCHMARK = Benchmark("persuasion", PersuasionOptions, SYSTEMS, ((face_acts.FOLDER, face_acts.FILE),), evaluate)
