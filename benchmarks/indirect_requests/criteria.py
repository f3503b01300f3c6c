"""Two tasks on indirect requests (the paper's section 5): which value is meant, and how easy that is to see."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems, llm
from grice.benchmarks.indirect_requests.data import strategies_of
from grice.benchmarks.indirect_requests.models import IndirectOptions, SlotModels
from grice.benchmarks.indirect_requests.slots.features import content_words, share
from grice.benchmarks.indirect_requests.slots.floors import FLOORS
from grice.benchmarks.indirect_requests.slots.scores import Kinds, add_accuracy, by_kind
from grice.benchmarks.indirect_requests.slots.turns import SlotTurn, request_turn
from grice.benchmarks.llm import Ask, LlmRun, LlmTask, Question, answer_all
from grice.benchmarks.stats import metrics
from grice.middleware.authoring.indirect_requests import LocalCriteria, unambiguous_value
from grice.middleware.authoring.indirect_requests.criteria import phrased
from grice.middleware.authoring.indirect_requests.llm_criteria import listed, rating
from grice.middleware.authoring.indirect_requests.prompts import implied_prompt, world_prompt
from grice.middleware.llm import Message
from grice.models.data.indirect_requests import AMBIGUOUS, SCALE, IndirectRequest
from grice.models.errors import JudgeError
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import load_sentence_encoder

UNAMBIGUITY = "unambiguity"
WORLD = "world-understanding"

ValueAnswers = Sequence[str | None]
Ratings = Sequence[float | None]
MakePrompt = Callable[[IndirectRequest], list[Message]]
ReadAnswer = Callable[[str, IndirectRequest], Any]


@dataclass(frozen=True)
class CriterionSetup:
    """What a system is built from."""

    options: IndirectOptions
    requests: Sequence[IndirectRequest]
    models: SlotModels
    sheet: Sheet

    @property
    def turns(self) -> list[SlotTurn]:
        """The requests as turns."""
        return [request_turn(request) for request in self.requests]


def add_unambiguity(asked: CriterionSetup) -> None:
    """Score which of the N values, or `AMBIGUOUS`, each system takes a request to mean."""
    sheet, turns = asked.sheet, asked.turns
    values, reasons = VALUE_SYSTEMS.build(asked.options, asked)
    found = {name: _right(turns, said) for name, said in values.items()}
    for name, reason in reasons.items():
        sheet.add_unscored(UNAMBIGUITY, name, ("accuracy",), reason)
    for name, verdicts in found.items():
        add_accuracy(sheet, UNAMBIGUITY, name, verdicts, sheet.groups)
    kinds = kinds_of(asked.requests)
    sheet.tables.append(by_kind("Unambiguity by kind of request", found, sheet.groups, kinds, asked.options.seed))


def kinds_of(requests: Sequence[IndirectRequest]) -> Kinds:
    """Ambiguous or not, and the strategy where it is known."""
    ambiguous = [request.ambiguous for request in requests]
    return {"unambiguous": [not each for each in ambiguous], "ambiguous": ambiguous, **strategies_of(requests)}


def add_world_understanding(asked: CriterionSetup) -> None:
    """Score how well each system's ratings correlate with those of the data."""
    ratings, reasons = RATING_SYSTEMS.build(asked.options, asked)
    for name, reason in reasons.items():
        asked.sheet.add_unscored(WORLD, name, ("pearson",), reason)
    for name, found in ratings.items():
        _add_correlation(asked.sheet, name, asked.requests, found)


def _add_correlation(sheet: Sheet, system: str, requests: Sequence[IndirectRequest], ratings: Ratings) -> None:
    rows = zip(requests, ratings, sheet.groups, strict=True)
    rated = [(request.world_understanding, value, group) for request, value, group in rows if value is not None]
    measure = metrics.pearson([gold for gold, _, _ in rated], [value for _, value, _ in rated])
    sheet.add_defined(WORLD, system, {"pearson": measure}, [group for _, _, group in rated], len(requests) - len(rated))


def _same(asked: CriterionSetup, name: str) -> Ratings:
    """The mean rating for every request, of which there is no correlation."""
    requests = asked.requests
    return [sum(request.world_understanding for request in requests) / len(requests)] * len(requests)


def _any(asked: CriterionSetup, name: str) -> Ratings:
    generator = random.Random(asked.options.seed)
    return [generator.uniform(*SCALE) for _ in asked.requests]


def _overlap(asked: CriterionSetup, name: str) -> Ratings:
    """How much of the slot's description and of the value, as a person would say it, is in the request."""
    return [share(content_words(_about(request)), content_words(request.utterance)) for request in asked.requests]


def _about(request: IndirectRequest) -> str:
    meant = request.values if request.ambiguous else (request.target,)
    return " ".join([request.slot_description, *(phrased(request, value) for value in meant)])


def _rate(asked: CriterionSetup, name: str) -> Ratings:
    criteria = LocalCriteria(asked.models.resolver, load_sentence_encoder(runtime=Runtime(threads=asked.options.threads)))
    return criteria.world_understanding(asked.requests)


def _floor(asked: CriterionSetup, name: str) -> ValueAnswers:
    return FLOORS[name][1](asked.turns, True, asked.options.seed)


def _resolve(asked: CriterionSetup, name: str) -> ValueAnswers:
    return [each.value or AMBIGUOUS for each in asked.models.resolver.predict([turn.question for turn in asked.turns])]


def _ask_value(asked: CriterionSetup, model: str) -> ValueAnswers:
    run = _ask_all(asked, model, UNAMBIGUITY, implied_prompt, lambda text, request: unambiguous_value(listed(text, request.values)))
    return [sample.prediction for sample in run.samples]


def _ask_rating(asked: CriterionSetup, model: str) -> Ratings:
    return [sample.prediction for sample in _ask_all(asked, model, WORLD, world_prompt, lambda text, request: rating(text)).samples]


LANGUAGE_MODEL = "a language model with the paper's prompts"
VALUE_SYSTEMS = Systems[CriterionSetup, ValueAnswers](
    "indirect-requests",
    System("grice", "our resolver", "ours", _resolve),
    *(System(name, about, "floor", _floor) for name, (about, _) in FLOORS.items()),
    llm("openai", LANGUAGE_MODEL, _ask_value),
)
RATING_SYSTEMS = Systems[CriterionSetup, Ratings](
    "indirect-requests",
    System("grice", "our resolver's certainty and the sentence encoder", "ours", _rate),
    System("majority", "the mean rating", "floor", _same),
    System("random", "any rating", "floor", _any),
    System("lexical", "words in common with slot and value", "floor", _overlap),
    llm("openai", LANGUAGE_MODEL, _ask_rating),
)


def _right(turns: Sequence[SlotTurn], answers: Sequence[str | None]) -> list[bool | None]:
    pairs = zip(turns, answers, strict=True)
    return [None if answer is None else answer == turn.target for turn, answer in pairs]


def _ask_all(asked: CriterionSetup, model: str, task: str, prompt: MakePrompt, read: ReadAnswer) -> LlmRun:
    questions = [_question(task, request, prompt(request), read) for request in asked.requests]
    named = LlmTask(f"indirect-requests-{task}", {"benchmark": "indirect-requests"})
    run = answer_all(questions, model, asked.options, named)
    asked.sheet.tables.append(run.usage(f"openai:{model}"))
    asked.sheet.settings.setdefault(f"openai:{model}", {})[task] = run.settings
    return run


def _question(task: str, request: IndirectRequest, messages: list[Message], read: ReadAnswer) -> Question:
    def ask(ask: Ask) -> Any | None:
        reply = ask(messages)
        try:
            return read(reply, request)
        except JudgeError:
            return None

    turn = request_turn(request)
    gold = turn.target if task == UNAMBIGUITY else request.world_understanding
    return Question(request.request_id, turn.group, gold, ask, "\0".join(message.content for message in messages))
