"""Implied tool calls: which tool a turn asks for and with which listed arguments, read from tools as OpenAI has them."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grice.benchmarks.core.options import Options
from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.core.systems import System, Systems
from grice.benchmarks.indirect_requests.slots.features import share
from grice.benchmarks.meaning.scores import add_share
from grice.benchmarks.meaning.services import MENU, SPLIT, intent_turns
from grice.benchmarks.retrieval.readings import RememberedReadings
from grice.benchmarks.speed.timing import percentile
from grice.benchmarks.stats import metrics
from grice.middleware.meaning.implied_calls import ImpliedCall, imply_calls
from grice.middleware.schemas import schema_of_tools
from grice.models.data import sgd
from grice.models.dialogue import Dialogue, Turn
from grice.models.meaning.menu import say_intent
from grice.models.meaning.reader import load_meaning_reader
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.runtime.runtime import Runtime
from grice.models.text.verbatim import says, words
from grice.models.training.meaning.written import HELD_HANDS, WrittenBot, read_hands

WRITTEN, SGD = "calls/written", "calls/sgd"
TASKS = (WRITTEN, SGD)
LIKELY = 0.5
"""From this probability on a call counts as proposed."""
OURS = "grice"
TIMED = 100
"""Turns of a task whose time is taken."""
GREETING = Dialogue.of("Hello.")
"""Is read with a turn's tools before its time is taken: a bot's tools are read once, not with each turn."""
SIGNATURES = {
    "tool_accuracy": "percent of turns that ask for a tool: the most probable call is of it",
    "tool_precision": f"percent of calls with a probability of {LIKELY} or more: the tool is right",
    "tool_coverage": f"percent of turns that ask for a tool: a call has a probability of {LIKELY} or more",
    "argument_accuracy": "percent of the listed arguments that turns give: the call of the right tool has that value",
    "argument_precision": "percent of listed arguments in the call of the right tool: the turn gives that value",
    "p50_ms": "milliseconds from a turn to its proposed calls, the median, on one thread, with tools that were read before; always "
    f"live, of at most {TIMED} turns, whatever is replayed",
    "brier": "mean squared difference of the most probable call's probability and whether it is right",
}
METRICS = tuple(SIGNATURES)


@dataclass(frozen=True)
class CallCase:
    """A turn, the tools, and the call that it asks for.

    Attributes:
        group: what the bootstrap draws. tool: the right one.
        listed: its arguments that have listed values. arguments: those that the turn gives one of these, each with it.
        manner: indirect or direct; "": nobody knows.
    """

    question: MeaningQuestion
    group: str
    tool: str
    listed: frozenset[str]
    arguments: Mapping[str, str]
    manner: str = ""


@dataclass(frozen=True)
class ProposedCall:
    """The most probable tool, how probable it is, and the arguments of the right tool's call."""

    tool: str
    probability: float
    arguments: Mapping[str, str]


def cases_of(task: str, data_dir: Path) -> list[CallCase]:
    """The turns of a task.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged.
    """
    return list(_written() if task == WRITTEN else _of_sgd(data_dir / "sgd"))


def _written() -> Iterator[CallCase]:
    """Indirect and direct turns of the held-out hands that ask for an intent: each intent of a bot is a tool with all its slots."""
    for hand, bots in read_hands(names=HELD_HANDS).items():
        for bot in bots:
            schema, listed = schema_of_tools(_tools_of(bot)), frozenset(slot.name for slot in bot.schema.slots if slot.values)
            tools = {intent.name for intent in bot.schema.intents}
            for turn in bot.turns:
                if turn.meaning in tools and turn.kind in ("indirect", "direct"):
                    meant = {
                        name: each.values[0]
                        for name, each in turn.mentions.items()
                        if name in listed and each.said == "meant" and each.values
                    }
                    dialogue = Dialogue((*turn.history, Turn("user", turn.text)))
                    group = f"{hand}/{bot.service}"
                    yield CallCase(MeaningQuestion(dialogue, schema), group, turn.meaning, listed, meant, turn.kind)


def _tools_of(bot: WrittenBot) -> list[dict[str, Any]]:
    properties = {slot.name: _property(slot.description, slot.values) for slot in bot.schema.slots}
    return [_tool(intent.name, intent.description, properties) for intent in bot.schema.intents]


def _tool(name: str, description: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """A function as OpenAI's API takes it."""
    parameters = {"type": "object", "properties": dict(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _property(description: str, values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "description": description, **({"enum": list(values)} if values else {})}


def _of_sgd(folder: Path) -> Iterator[CallCase]:
    """Turns that say an intent of a service that training has not: ten tools, the service's and others of other domains."""
    schema = sgd.read_schema(folder, SPLIT)
    turns = list(intent_turns(folder, schema))
    tools = {service: schema_of_tools(_sgd_tools(service, schema)) for service in dict.fromkeys(turn.service for turn in turns)}
    for turn in turns:
        intent = schema[turn.service].intents[turn.place]
        listed = {slot.name: slot.possible_values for slot in schema[turn.service].slots if _is_listed(slot, intent)}
        given = {name: value for name, value in turn.informed if value in listed.get(name, ())}
        question = MeaningQuestion(turn.dialogue, tools[turn.service])
        yield CallCase(question, turn.dialogue_id, intent.name, frozenset(listed), given)


def _is_listed(slot: sgd.SlotSchema, intent: sgd.IntentSchema) -> bool:
    return slot.is_categorical and slot.name in intent.slots


def _sgd_tools(service: str, schema: Mapping[str, sgd.ServiceSchema]) -> list[dict[str, Any]]:
    domain = service.partition("_")[0]
    own = [(schema[service], intent) for intent in schema[service].intents]
    others = [(each, intent) for name, each in schema.items() if name.partition("_")[0] != domain for intent in each.intents]
    taken = {intent.name for _, intent in own}
    for each, intent in random.Random(service).sample(others, len(others)):
        if len(own) < MENU and intent.name not in taken:
            own.append((each, intent))
            taken.add(intent.name)
    return [_sgd_tool(each, intent) for each, intent in own]


def _sgd_tool(service: sgd.ServiceSchema, intent: sgd.IntentSchema) -> dict[str, Any]:
    slots = [slot for slot in service.slots if slot.name in intent.slots]
    properties = {slot.name: _property(slot.description, slot.possible_values if slot.is_categorical else ()) for slot in slots}
    return _tool(intent.name, intent.description, properties)


@dataclass(frozen=True)
class CallTask:
    """The turns of a task, and what reads them."""

    name: str
    cases: Sequence[CallCase]
    readings: RememberedReadings


def _ours(task: CallTask, name: str) -> list[ProposedCall]:
    read = task.readings.read([case.question for case in task.cases], f"{name} {task.name}")
    return [_likeliest(case, each.meaning) for case, each in zip(task.cases, read, strict=True)]


def _likeliest(case: CallCase, meaning: TurnMeaning) -> ProposedCall:
    calls = imply_calls(meaning, case.question.schema)
    best = calls[0] if calls else ImpliedCall("", 0.0, ())
    told = [each for call in calls if call.tool == case.tool for each in call.arguments if each.probability >= LIKELY]
    given = {each.name: each.values[0] for each in told if each.said == "meant" and each.name in case.listed}
    return ProposedCall(best.tool, best.probability, given)


def _by_words(task: CallTask, name: str) -> list[ProposedCall]:
    return [_most_words(case) for case in task.cases]


def _most_words(case: CallCase) -> ProposedCall:
    schema, text = case.question.schema, case.question.dialogue.last.text
    said = words(text)
    likeness = {intent.name: share(words(say_intent(intent)), said) for intent in schema.intents}
    best = max(likeness, key=lambda tool: likeness[tool])
    slots = {slot.name.removeprefix(f"{case.tool}."): slot.values for slot in schema.slots_of(case.tool)}
    return ProposedCall(best, 1.0, {name: value for name, values in slots.items() for value in values if says(text, value)})


SYSTEMS = Systems[CallTask, list[ProposedCall]](
    "retrieval",
    System(OURS, "our reader of meaning, with the tools as its menu", "ours", _ours),
    System(
        "lexical", "the tool that has the most words in common with the message; values that it says verbatim", "floor", _by_words
    ),
)


def add_calls(sheet: Sheet, options: Options, task: CallTask) -> None:
    """Add the figures of the systems that the options name; of indirect and direct turns too, where they are told apart."""
    found, reasons = SYSTEMS.build(options, task)
    for name, calls in found.items():
        pairs = list(zip(task.cases, calls, strict=True))
        for manner in dict.fromkeys(["", *(case.manner for case in task.cases)]):
            where = f"{task.name}-{manner}" if manner else task.name
            _add(sheet, where, name, [(case, call) for case, call in pairs if manner in ("", case.manner)])
        if name == OURS and task.cases:
            _add_times(sheet, task)
    for name, reason in reasons.items():
        sheet.add_unscored(task.name, name, METRICS, reason, len(task.cases))


def _add(sheet: Sheet, task: str, name: str, pairs: Sequence[tuple[CallCase, ProposedCall]]) -> None:
    likely = [(case, call) for case, call in pairs if call.probability >= LIKELY]
    given = ((case, call, slot) for case, call in pairs for slot in case.arguments)
    told = ((case, call, slot) for case, call in pairs for slot in call.arguments if slot in case.listed)
    add_share(sheet, task, name, "tool_accuracy", ((case.group, call.tool == case.tool) for case, call in pairs))
    add_share(sheet, task, name, "tool_precision", ((case.group, call.tool == case.tool) for case, call in likely))
    add_share(sheet, task, name, "tool_coverage", ((case.group, call.probability >= LIKELY) for case, call in pairs))
    for metric, rows in (("argument_accuracy", given), ("argument_precision", told)):
        right = ((case.group, call.arguments.get(slot) == case.arguments.get(slot)) for case, call, slot in rows)
        add_share(sheet, task, name, metric, right)
    errors = [(call.probability - (call.tool == case.tool)) ** 2 for case, call in pairs]
    sheet.add(task, name, "brier", metrics.mean(errors), ScoredRows([case.group for case, _ in pairs]))


def _add_times(sheet: Sheet, task: CallTask) -> None:
    """Add how long reading and proposing take; the reader is one of its own, which has not read the turns before."""
    reader = load_meaning_reader(task.readings.model, runtime=Runtime("cpu", threads=1, workers=1))
    groups = {case.question: case.group for case in task.cases[:: -(-len(task.cases) // TIMED)]}
    seconds = []
    for question in groups:
        reader.predict([MeaningQuestion(GREETING, question.schema)])
        begin = time.perf_counter()
        (meaning,) = reader.predict([question])
        imply_calls(meaning, question.schema)
        seconds.append(time.perf_counter() - begin)
    sheet.add(task.name, OURS, "p50_ms", percentile(1000 * np.array(seconds), 0.5), ScoredRows(list(groups.values())))
