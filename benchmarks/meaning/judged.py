"""Circa: what people take an indirect answer to a yes/no question for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems, llm
from grice.benchmarks.llm import Ask, LlmTask, Question, Sampling, answer_all
from grice.benchmarks.meaning.systems import OURS, MeaningOptions, ReaderRun
from grice.benchmarks.stats import metrics
from grice.middleware.llm import Message
from grice.models.data.circa import CLASSES, JudgedAnswer
from grice.models.meaning.results import MeaningQuestion

CIRCA = "circa"
METRICS = ("accuracy", "macro_f1")
SAMPLING = Sampling(0.0, 20)
Classes = Sequence[str]
"""One of `CLASSES` an answer; "" where a system gave none."""


@dataclass(frozen=True)
class JudgedTask:
    """The answers, and what reads them."""

    rows: Sequence[tuple[JudgedAnswer, MeaningQuestion]]
    options: MeaningOptions
    readings: ReaderRun


def _read(task: JudgedTask, name: str) -> Classes:
    found = task.readings.read([question for _, question in task.rows], f"{OURS} {CIRCA}")
    return [CLASSES[int(scores.judged.argmax())] for scores, _ in found]


def _most_frequent(task: JudgedTask, name: str) -> Classes:
    ((most, _),) = Counter(answer.strict for answer, _ in task.rows).most_common(1)
    return [most] * len(task.rows)


def _ask(task: JudgedTask, model: str) -> Classes:
    questions = [_question(number, answer) for number, (answer, _) in enumerate(task.rows)]
    run = answer_all(questions, model, task.options, LlmTask(f"meaning {CIRCA}", {"benchmark": "meaning"}, SAMPLING))
    return [sample.prediction or "" for sample in run.samples]


def _question(number: int, answer: JudgedAnswer) -> Question:
    listed = "\n".join(f"{place}. {name}" for place, name in enumerate(CLASSES, start=1))
    prompt = (
        f"{answer.context}\nX: {answer.question}\nY: {answer.answer}\n\nWhat does Y's answer mean?\n{listed}\n"
        "Answer with the number alone."
    )
    return Question(str(number), answer.question, answer.strict, partial(_choose, prompt), prompt)


def _choose(prompt: str, ask: Ask) -> str | None:
    said = "".join(filter(str.isdigit, ask([Message("user", prompt)])))
    return CLASSES[int(said) - 1] if said and 1 <= int(said) <= len(CLASSES) else None


CIRCA_SYSTEMS = Systems[JudgedTask, Classes](
    "meaning",
    System(OURS, "our reader of meaning", "ours", _read),
    System("majority", "the most frequent class in these very rows", "floor", _most_frequent),
    llm("openai", "a language model, asked which class it is", _ask),
)


def add_judged(sheet: Sheet, task: JudgedTask) -> None:
    """Score the classes that three judges or more agree on."""
    groups, gold = [answer.question for answer, _ in task.rows], [answer.strict for answer, _ in task.rows]
    found, reasons = CIRCA_SYSTEMS.build(task.options, task)
    for name, said in found.items():
        right = [each == wanted for each, wanted in zip(said, gold, strict=True)]
        measures = {"accuracy": metrics.mean(right, 100), "macro_f1": metrics.macro_f1(gold, said, CLASSES)}
        sheet.add_defined(CIRCA, name, measures, groups)
    for name, reason in reasons.items():
        sheet.add_unscored(CIRCA, name, METRICS, reason, len(groups))
