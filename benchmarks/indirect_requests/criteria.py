"""Two tasks on indirect requests (the paper's section 5): which value is meant, and how easy that is to see."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grice.benchmarks.core.benchmark import Options, Sheet
from grice.benchmarks.indirect_requests.data import strategies_of
from grice.benchmarks.indirect_requests.slot_features import content_words, share
from grice.benchmarks.indirect_requests.slot_floors import FLOORS
from grice.benchmarks.indirect_requests.slot_scores import Kinds, Verdicts, add_accuracy, by_kind
from grice.benchmarks.indirect_requests.slot_turns import SlotTurn, request_turn
from grice.benchmarks.indirect_requests.slots import OURS
from grice.benchmarks.llm import Ask, LlmRun, Question, answer_all
from grice.benchmarks.stats import metrics
from grice.middleware.authoring.indirect_requests import LocalCriteria, unambiguous_value
from grice.middleware.authoring.indirect_requests.criteria import phrased
from grice.middleware.authoring.indirect_requests.llm_criteria import listed, rating
from grice.middleware.authoring.indirect_requests.prompts import implied_prompt, world_prompt
from grice.middleware.llm import Message
from grice.models.data.indirect_requests import AMBIGUOUS, SCALE, IndirectRequest
from grice.models.errors import JudgeError
from grice.models.protocols import SlotPredictor
from grice.models.sentence_encoder.encoder import load_sentence_encoder

UNAMBIGUITY = "unambiguity"
WORLD = "world-understanding"
LLM = "openai:"

Ratings = Sequence[float | None]
Prompt = Callable[[IndirectRequest], list[Message]]
Read = Callable[[str, IndirectRequest], Any]


def add_unambiguity(
    sheet: Sheet, requests: Sequence[IndirectRequest], systems: Sequence[str], resolver: SlotPredictor | None, options: Options
) -> None:
    """Score which of the N values, or `AMBIGUOUS`, each system takes a request to mean."""
    turns = [request_turn(request) for request in requests]
    found: dict[str, Verdicts] = {}
    for name in systems:
        if name in FLOORS:
            found[name] = _right(turns, FLOORS[name](turns, True, options.seed))
        elif name.startswith(LLM):
            run = _asked(name, UNAMBIGUITY, requests, options, implied_prompt, _implied)
            found[name] = _right(turns, [sample.prediction for sample in run.samples])
            _note(sheet, name, UNAMBIGUITY, run)
        elif name == OURS and resolver is not None:
            resolved = resolver.predict([turn.question for turn in turns])
            found[name] = _right(turns, [each.value or AMBIGUOUS for each in resolved])
    for name, verdicts in found.items():
        add_accuracy(sheet, UNAMBIGUITY, name, verdicts, sheet.groups)
    sheet.tables.append(by_kind("Unambiguity by kind of request", found, sheet.groups, kinds_of(requests), options.seed))


def kinds_of(requests: Sequence[IndirectRequest]) -> Kinds:
    """Ambiguous or not, and the strategy where it is known."""
    ambiguous = [request.ambiguous for request in requests]
    return {"unambiguous": [not each for each in ambiguous], "ambiguous": ambiguous, **strategies_of(requests)}


def add_world_understanding(
    sheet: Sheet, requests: Sequence[IndirectRequest], systems: Sequence[str], resolver: SlotPredictor | None, options: Options
) -> None:
    """Score how well each system's ratings correlate with those of the data."""
    for name in systems:
        if name in RATING_FLOORS:
            _add_correlation(sheet, name, requests, RATING_FLOORS[name](requests, options.seed))
        elif name.startswith(LLM):
            run = _asked(name, WORLD, requests, options, world_prompt, lambda text, request: rating(text))
            _add_correlation(sheet, name, requests, [sample.prediction for sample in run.samples])
            _note(sheet, name, WORLD, run)
        elif name == OURS and resolver is not None:
            criteria = LocalCriteria(resolver, load_sentence_encoder(threads=options.threads))
            _add_correlation(sheet, name, requests, criteria.world_understanding(requests))


def _add_correlation(sheet: Sheet, system: str, requests: Sequence[IndirectRequest], ratings: Ratings) -> None:
    rows = zip(requests, ratings, sheet.groups, strict=True)
    rated = [(request.world_understanding, value, group) for request, value, group in rows if value is not None]
    measure = metrics.pearson([gold for gold, _, _ in rated], [value for _, value, _ in rated])
    sheet.add_defined(WORLD, system, {"pearson": measure}, [group for _, _, group in rated], len(requests) - len(rated))


def _same(requests: Sequence[IndirectRequest], seed: int) -> list[float]:
    """The mean rating for every request, of which there is no correlation."""
    return [sum(request.world_understanding for request in requests) / len(requests)] * len(requests)


def _any(requests: Sequence[IndirectRequest], seed: int) -> list[float]:
    generator = random.Random(seed)
    return [generator.uniform(*SCALE) for _ in requests]


def _overlap(requests: Sequence[IndirectRequest], seed: int) -> list[float]:
    """How much of the slot's description and of the value, as a person would say it, is in the request."""
    return [share(content_words(_about(request)), content_words(request.utterance)) for request in requests]


def _about(request: IndirectRequest) -> str:
    meant = request.values if request.ambiguous else (request.target,)
    return " ".join([request.slot_description, *(phrased(request, value) for value in meant)])


RATING_FLOORS: Mapping[str, Callable[[Sequence[IndirectRequest], int], Ratings]] = {
    "majority": _same,
    "random": _any,
    "lexical": _overlap,
}


def _right(turns: Sequence[SlotTurn], answers: Sequence[str | None]) -> list[bool | None]:
    pairs = zip(turns, answers, strict=True)
    return [None if answer is None else answer == turn.target for turn, answer in pairs]


def _implied(text: str, request: IndirectRequest) -> str:
    return unambiguous_value(listed(text, request.values))


def _asked(system: str, task: str, requests: Sequence[IndirectRequest], options: Options, prompt: Prompt, read: Read) -> LlmRun:
    prompts = [prompt(request) for request in requests]
    said = "\0".join(message.content for messages in prompts for message in messages)
    about = {"benchmark": "indirect-requests", "prompts_sha256": hashlib.sha256(said.encode()).hexdigest()}
    questions = [_question(task, request, messages, read) for request, messages in zip(requests, prompts, strict=True)]
    return answer_all(questions, system.removeprefix(LLM), options, f"indirect-requests-{task}", about)


def _question(task: str, request: IndirectRequest, messages: list[Message], read: Read) -> Question:
    def ask(ask: Ask) -> Any | None:
        reply = ask(messages)
        try:
            return read(reply, request)
        except JudgeError:
            return None

    turn = request_turn(request)
    gold = turn.target if task == UNAMBIGUITY else request.world_understanding
    return Question(request.request_id, turn.group, gold, ask)


def _note(sheet: Sheet, system: str, task: str, run: LlmRun) -> None:
    sheet.tables.append(run.usage(system))
    sheet.settings.setdefault(system, {})[task] = run.settings
