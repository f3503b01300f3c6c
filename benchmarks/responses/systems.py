"""What judges the responses: our reader, what the shape of a response alone tells, floors, and language models."""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from grice.benchmarks.core.options import Threaded, model_option, option
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems, llm
from grice.benchmarks.llm import LlmOptions, LlmRun
from grice.benchmarks.responses.cases import HELD_HANDS, ClashPlace, ResponseAnswer, ResponseAnswers, ResponseCase
from grice.benchmarks.responses.llm import answers_of, ask_all
from grice.benchmarks.scale.judge_price import JudgePrices
from grice.models.relations.labels import LABELS
from grice.models.relations.reader import RelationReader
from grice.models.relations.results import QuotedSpan, ResponseRelations
from grice.models.runtime.heads import sigmoid
from grice.models.runtime.runtime import Runtime
from grice.models.training.relations.calibration import fit_weights
from grice.models.training.responses.written import read_contexts

OURS, SHAPE = "grice", "shape"


@dataclass(frozen=True)
class ResponseOptions(Threaded, LlmOptions, JudgePrices):
    """What `grice bench responses` takes."""

    tasks: tuple[str, ...] = option((), "only these tasks (default: all)", "T", flag="--task")
    items: Path | None = option(None, "responses of your own, as JSON lines, in place of the data sets", "FILE.jsonl")
    samples: Path | None = option(None, "with --items: write what is found of every item", "OUT.jsonl")
    reader: str = model_option("reader of relations", "relations")
    frustration: str = model_option("detector of frustration", "frustration")

    @classmethod
    def folder_of(cls, args: argparse.Namespace) -> Path:
        """Where the data sets are; items need none."""
        return Path() if args.items is not None else super().folder_of(args)


def load_reader(options: ResponseOptions) -> RelationReader:
    """The shipped reader, or the exported one that the options name."""
    from grice.models.relations.reader import load_relation_reader

    return load_relation_reader(options.reader, runtime=Runtime(threads=options.threads))


@dataclass
class RelationRun:
    """Our reader, loaded when it is asked for first, all that it said, and how long it took.

    Attributes:
        found, seconds: by the name of a case.
        asked: what language models were asked and said in the newest task that asked them, by the name of the system.
    """

    options: ResponseOptions
    sheet: Sheet
    load: Callable[[ResponseOptions], RelationReader] = load_reader
    found: dict[str, ResponseRelations] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    asked: dict[str, LlmRun] = field(default_factory=dict)

    @cached_property
    def reader(self) -> RelationReader:
        """It.

        Raises:
            ModelError: it cannot be loaded.
        """
        loaded = self.load(self.options)
        self.sheet.add_model(loaded)
        return loaded

    def read(self, cases: Sequence[ResponseCase], label: str) -> list[ResponseRelations]:
        """What is found of each response, in order; each is read once."""
        for case in tqdm(cases, desc=f"{OURS} {label}", unit="response", disable=None):
            if case.name not in self.found:
                reader = self.reader
                began = time.perf_counter()
                (self.found[case.name],) = reader.predict([case.question])
                self.seconds[case.name] = time.perf_counter() - began
        return [self.found[case.name] for case in cases]


@dataclass(frozen=True)
class ResponseTask:
    """A task, and what its systems are built from."""

    name: str
    cases: Sequence[ResponseCase]
    options: ResponseOptions
    run: RelationRun


def _read(task: ResponseTask, name: str) -> ResponseAnswers:
    return [answer_of(found) for found in task.run.read(task.cases, task.name)]


def answer_of(found: ResponseRelations) -> ResponseAnswer:
    """What our reader found, as an answer."""
    shown = frozenset(finding.label for finding in found.findings)
    labels = {label: share for label, share in found.labels.items() if share is not None}
    quotes = {finding.label: _place_of(finding.about) for finding in found.findings}
    return ResponseAnswer(found.bad, found.alarm, labels, shown, _place_of(found.about), quotes)


def _place_of(span: QuotedSpan | None) -> ClashPlace | None:
    return None if span is None else ("turn" if span.kind in ("user", "bot") else span.kind, span.place)


PLAIN = 7
"""The first numbers of a shape: those of length, question marks and digits."""


def shape_of(text: str) -> list[float]:
    """Length, question mark, digits and the like: what can be told of a response without reading it."""
    words = text.split()
    return [
        1.0,
        len(words) / 20,
        len(text) / 100,
        float(text.count("?")),
        float(text.rstrip().endswith("?")),
        sum(letter.isdigit() for letter in text) / 5,
        float(any(letter.isdigit() for letter in text)),
        float(text.count("!")),
        text.count(",") / 2,
        text.count(".") / 2,
        float(text.count("'")),
        sum(word[:1].isupper() for word in words) / 5,
    ]


@functools.cache
def _shape_weights() -> tuple[float, ...]:
    """Fitted to the written responses that our reader learns from."""
    said = [
        (shape_of(response.text), not response.is_fine)
        for hand, contexts in read_contexts().items()
        if hand not in HELD_HANDS
        for context in contexts
        for response in context.responses
    ]
    inputs: NDArray[np.float64] = np.array([shape for shape, _ in said])
    return tuple(fit_weights(inputs, np.array([bad for _, bad in said]), np.zeros(inputs.shape[1])))


def _by_shape(task: ResponseTask, name: str) -> ResponseAnswers:
    weights = np.array(_shape_weights())
    shares = [float(sigmoid(np.float32(weights @ shape_of(case.question.dialogue.last.text)))) for case in task.cases]
    return [
        ResponseAnswer(share, share >= 0.5, dict.fromkeys(LABELS, share), frozenset(LABELS) if share >= 0.5 else frozenset())
        for share in shares
    ]


def _most_frequent(task: ResponseTask, name: str) -> ResponseAnswers:
    return [ResponseAnswer(0.5, False, dict.fromkeys(LABELS, 0.5)) for _ in task.cases]


def _ask(task: ResponseTask, model: str) -> ResponseAnswers:
    run = ask_all(task.cases, task.name, model, task.options)
    task.run.asked[f"openai:{model}"] = run
    return answers_of(run)


SYSTEMS = Systems[ResponseTask, ResponseAnswers](
    "responses",
    System(OURS, "our reader of relations, with its rules", "ours", _read),
    System(SHAPE, "length, question marks, digits and other marks alone, fitted to the same material", "floor", _by_shape),
    System("majority", "nothing is wrong with any response", "floor", _most_frequent),
    llm("openai", "a language model, asked what is wrong", _ask),
)
