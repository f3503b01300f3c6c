"""What reads the cases: our reader, what needs no training, floors, and language models."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from tqdm import tqdm

from grice.benchmarks.core.options import Threaded, model_option, option
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems, llm
from grice.benchmarks.indirect_requests.slots.features import share
from grice.benchmarks.llm import LlmOptions
from grice.benchmarks.meaning.cases import NOTHING, MeaningAnswer, MeaningAnswers, MeaningCase, NamedMeaning
from grice.benchmarks.meaning.llm import ask_all
from grice.models.data.user_turns import DONT_CARE
from grice.models.meaning.changed import CHANGES_FROM, find_changed
from grice.models.meaning.menu import Menu, MenuOption
from grice.models.meaning.reader import MeaningReader
from grice.models.meaning.results import MeaningQuestion, SlotMeaning, TurnMeaning
from grice.models.meaning.scores import MeaningScores
from grice.models.runtime.runtime import Runtime
from grice.models.schema import BotSchema
from grice.models.text.verbatim import says, words

OURS = "grice"


@dataclass(frozen=True)
class MeaningOptions(Threaded, LlmOptions):
    """What `grice bench meaning` takes."""

    tasks: tuple[str, ...] = option((), "only these tasks (default: all)", "T", flag="--task")
    items: Path | None = option(None, "turns of your own, as JSON lines, in place of the data sets", "FILE.jsonl")
    samples: Path | None = option(None, "with --items: write decision, rewrite, meaning and scores of every item", "OUT.jsonl")
    reader: str = model_option("reader of meaning", "meaning")

    @classmethod
    def folder_of(cls, args: argparse.Namespace) -> Path:
        """Where the data sets are; items need none."""
        return Path() if args.items is not None else super().folder_of(args)


def load_reader(options: MeaningOptions) -> MeaningReader:
    """The shipped reader, or the exported one that the options name."""
    from grice.models.meaning.reader import load_meaning_reader

    return load_meaning_reader(options.reader, runtime=Runtime(threads=options.threads))


@dataclass
class ReaderRun:
    """Our reader, loaded when it is asked for first, and all that it said.

    Attributes:
        load: loads it.
        told: by question, scores and meaning.
    """

    options: MeaningOptions
    sheet: Sheet
    load: Callable[[MeaningOptions], MeaningReader] = load_reader
    told: dict[MeaningQuestion, tuple[MeaningScores, TurnMeaning]] = field(default_factory=dict)

    @cached_property
    def reader(self) -> MeaningReader:
        """It.

        Raises:
            ModelError: it cannot be loaded.
        """
        found = self.load(self.options)
        self.sheet.add_model(found)
        return found

    def read(self, questions: Sequence[MeaningQuestion], label: str) -> list[tuple[MeaningScores, TurnMeaning]]:
        """Scores and meaning of each turn, in order; each is read once."""
        fresh = [question for question in dict.fromkeys(questions) if question not in self.told]
        for question in tqdm(fresh, desc=label, unit="turn", disable=None):
            (scores,) = self.reader.score([question])
            self.told[question] = scores, self.reader.conclude(question.dialogue, scores)
        return [self.told[question] for question in questions]


@dataclass(frozen=True)
class MeaningTask:
    """A task, and what its systems are built from."""

    name: str
    cases: Sequence[MeaningCase]
    options: MeaningOptions
    readings: ReaderRun

    @property
    def questions(self) -> list[MeaningQuestion]:
        """Those of the cases."""
        return [case.question for case in self.cases]


def _read(task: MeaningTask, name: str) -> MeaningAnswers:
    return [_said(scores, meaning) for scores, meaning in task.readings.read(task.questions, f"{OURS} {task.name}")]


def _said(scores: MeaningScores, meaning: TurnMeaning) -> MeaningAnswer:
    best = meaning.possible[0]
    intents = [place for place in scores.meanings if scores.options[place].kind == "intent"]
    among = max(intents, key=lambda place: scores.meaning[place]) if intents else None
    filled = {slot.slot: slot.values[0] if slot.said == "meant" else DONT_CARE for slot in meaning.slots if slot.said in FILLING}
    likeliest = "" if among is None else scores.options[among].name
    return MeaningAnswer((best.kind, best.name), meaning.kind != "unknown", likeliest, filled, meaning.option, meaning.changed)


FILLING = ("meant", "any")
"""What can be said of a slot that fills it."""


def _nearest(task: MeaningTask, name: str) -> MeaningAnswers:
    """The meaning whose words lie nearest to the turn's, by the shipped sentence encoder as it is."""
    from grice.models.sentence_encoder import load_sentence_encoder

    encoder = load_sentence_encoder(runtime=Runtime(threads=task.options.threads))
    task.readings.sheet.add_model(encoder)
    vectors: dict[BotSchema, np.ndarray] = {}
    answers = []
    for case in tqdm(task.cases, desc=f"cosine {task.name}", unit="turn", disable=None):
        menu = Menu.of(case.question.schema)
        if case.question.schema not in vectors:
            means = np.stack([encoder.encode(option.texts).mean(0) for option in menu.meanings])
            vectors[case.question.schema] = means / np.linalg.norm(means, axis=1, keepdims=True)
        cosines = vectors[case.question.schema] @ encoder.encode([case.question.dialogue.last.text])[0]
        answers.append(_likeliest(menu.meanings, cosines.tolist()))
    return answers


def _most_words(task: MeaningTask, name: str) -> MeaningAnswers:
    """The meaning that has the most words in common with the turn, nothing where none has; slots whose value is said verbatim.

    A slot is changed where another value was said verbatim before.
    """
    return [_by_words(case.question) for case in task.cases]


def _by_words(question: MeaningQuestion) -> MeaningAnswer:
    menu, text = Menu.of(question.schema), question.dialogue.last.text
    said = words(text)
    likeness = [max(share(words(each), said) for each in option.texts) for option in menu.meanings]
    filled = {slot.name: value for slot in question.schema.slots for value in slot.values if says(text, value)}
    found = _likeliest(menu.meanings, likeness)
    slots = [SlotMeaning(name, "meant", (value,), 1.0) for name, value in filled.items()]
    values = {slot.name: slot.values for slot in question.schema.slots}
    changed = find_changed(question.dialogue.history, slots, values, CHANGES_FROM)
    return MeaningAnswer(found.best if max(likeness) > 0 else NOTHING, True, found.among_intents, filled, None, changed)


def _likeliest(meanings: Sequence[MenuOption], scores: Sequence[float]) -> MeaningAnswer:
    ordered = sorted(zip(scores, meanings, strict=True), key=lambda pair: -pair[0])
    (_, best), intents = ordered[0], [option.name for _, option in ordered if option.kind == "intent"]
    return MeaningAnswer(("intent" if best.kind == "intent" else "act", best.name), True, intents[0] if intents else "")


def _most_frequent(task: MeaningTask, name: str) -> MeaningAnswers:
    """The meaning that each menu's turns have most often, in these very rows."""
    counts: defaultdict[BotSchema, Counter[NamedMeaning]] = defaultdict(Counter)
    for case in task.cases:
        counts[case.question.schema][case.gold] += 1
    best = {schema: counted.most_common(1)[0][0] for schema, counted in counts.items()}
    intents = {schema: _first_intent(counted) for schema, counted in counts.items()}
    return [MeaningAnswer(best[case.question.schema], True, intents[case.question.schema]) for case in task.cases]


def _first_intent(counted: Counter[NamedMeaning]) -> str:
    return next((name for (kind, name), _ in counted.most_common() if kind == "intent"), "")


def _ask(task: MeaningTask, model: str) -> MeaningAnswers:
    return ask_all(task.cases, task.name, model, task.options)


SYSTEMS = Systems[MeaningTask, MeaningAnswers](
    "meaning",
    System(OURS, "our reader of meaning", "ours", _read),
    System(
        "cosine",
        "the option whose words lie nearest to the turn's, by the shipped sentence encoder, not trained",
        "floor",
        _nearest,
    ),
    System(
        "lexical", "the option that has the most words in common with the turn; values that it says verbatim", "floor", _most_words
    ),
    System("majority", "each menu's most frequent meaning in these very rows", "floor", _most_frequent),
    llm("openai", "a language model, asked which option is meant and which values", _ask),
)
