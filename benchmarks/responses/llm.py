"""A language model as the judge of a response: one question each, for how likely it is faulty, how, and what it clashes with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from grice.benchmarks.llm import Ask, LlmOptions, LlmRun, LlmTask, Question, Sampling, answer_all
from grice.benchmarks.responses.cases import ResponseAnswer, ResponseAnswers, ResponseCase
from grice.middleware.llm import Message
from grice.models.relations.inputs import row_text
from grice.models.relations.labels import LABELS
from grice.models.relations.results import RelationQuestion

SAMPLING = Sampling(0.0, 200)
SITUATION = (
    "You check a bot's response before it is sent. Below are what the bot was given, the conversation, and the response. "
    "Is anything wrong with the response?"
)
MEANINGS = {
    "!Sel": "contradicts what the bot said",
    "!Par": "contradicts what the user said",
    "Red": "says again what was said, for no reason",
    "asked_again": "asks for what the user has given",
    "Ign": "ignores what the user said or asked",
    "unanswered": "answers only a part",
    "!Rel": "does not belong here",
    "!Fac": "contradicts what the bot was given, or a plain fact",
    "unsupported": "states what nothing that the bot was given supports",
    "!Com": "goes against common sense",
    "!Emp": "is cold where the user is in distress",
    "promise": "claims or promises an act that was not done",
    "Emp": "takes part in the user's feelings (this is good)",
}
FORM = (
    'Answer with one JSON object and nothing else: {"bad": PERCENT, "labels": ["LABEL"], "turn": NUMBER}. PERCENT, 0 to 100: how '
    "likely anything is wrong. NUMBER: the turn that the response clashes with, counted from 0; null where there is none."
)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def prompt_of(question: RelationQuestion) -> str:
    """What is asked about a response."""
    given = [*question.documents, *map(row_text, question.facts), *question.policy]
    said = [f"{number}. {turn.speaker}: {turn.text}" for number, turn in enumerate(question.dialogue.history)]
    labels = [f"- {label}: {meaning}" for label, meaning in MEANINGS.items()]
    shown = ["What the bot was given:", *given] if given else []
    last = f"Response: {question.dialogue.last.text}"
    return "\n".join([SITUATION, "Labels:", *labels, *shown, "Conversation:", *said, last, FORM])


def answer_of_reply(reply: str) -> dict[str, Any] | None:
    """A reply as JSON values; None where it cannot be read."""
    found = _OBJECT.search(reply)
    try:
        told = json.loads(found.group()) if found else None
    except ValueError:
        return None
    if not isinstance(told, dict) or not isinstance(told.get("bad"), (int, float)) or not 0 <= told["bad"] <= 100:
        return None
    labels, turn = told.get("labels"), told.get("turn")
    named = [label for label in LABELS if isinstance(labels, list) and label in labels]
    return {"bad": float(told["bad"]), "labels": named, "turn": turn if type(turn) is int and turn >= 0 else None}


def ask_all(cases: Sequence[ResponseCase], task: str, model: str, options: LlmOptions) -> LlmRun:
    """Ask `model` about every case; what it said is in the samples, in order.

    Raises:
        GriceError: as `answer_all`.
    """
    about = LlmTask(f"responses {task}", {"benchmark": "responses"}, SAMPLING)
    return answer_all([_question(case) for case in cases], model, options, about)


def answers_of(run: LlmRun) -> ResponseAnswers:
    """What it said, as answers."""
    return [_answer(sample.prediction) for sample in run.samples]


def _question(case: ResponseCase) -> Question:
    prompt = prompt_of(case.question)
    return Question(case.name, case.group, case.bad, partial(_ask, prompt), prompt)


def _ask(prompt: str, ask: Ask) -> dict[str, Any] | None:
    return answer_of_reply(ask([Message("user", prompt)]))


def _answer(prediction: Mapping[str, Any] | None) -> ResponseAnswer:
    if prediction is None:
        return ResponseAnswer(None, False)
    named = frozenset(prediction["labels"])
    labels = {label: float(label in named) for label in LABELS}
    evidence = None if prediction["turn"] is None else ("turn", prediction["turn"])
    return ResponseAnswer(prediction["bad"] / 100, prediction["bad"] >= 50, labels, named, evidence)
