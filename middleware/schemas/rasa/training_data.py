"""What of a Rasa bot's training data says something of its menu, from YAML that is already loaded.

As Rasa 3.6 does, it passes over entries and lines that it cannot read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RasaTraining:
    """Training data by name.

    Attributes:
        examples: for each intent its examples, annotated as they came.
        lookups: for each lookup table, which is named after an entity, its entries.
        synonyms: for each value the ways to say it.
        triggers: for each intent the forms that rules or stories start right after it.
    """

    examples: Mapping[str, Sequence[str]]
    lookups: Mapping[str, Sequence[str]]
    synonyms: Mapping[str, Sequence[str]]
    triggers: Mapping[str, Sequence[str]]


def read_training(content: Mapping[str, Any], forms: Collection[str]) -> RasaTraining:
    """The training data of a mapping with `nlu`, `rules` and `stories`."""
    found: dict[str, dict[str, list[str]]] = {kind: {} for kind in ("intent", "lookup", "synonym")}
    for entry in _listed(content.get("nlu")):
        for kind, by_name in found.items():
            if isinstance(entry, Mapping) and isinstance(entry.get(kind), str):
                by_name.setdefault(entry[kind], []).extend(_lines(entry.get("examples")))
    triggers: defaultdict[str, list[str]] = defaultdict(list)
    for story in (*_listed(content.get("rules")), *_listed(content.get("stories"))):
        for intent, form in _started(_listed(story.get("steps")) if isinstance(story, Mapping) else [], forms):
            triggers[intent].append(form)
    return RasaTraining(found["intent"], found["lookup"], found["synonym"], triggers)


def _lines(examples: object) -> Iterator[str]:
    """The examples of a block of lines `- text`, or of a list of `text:`."""
    if isinstance(examples, str):
        yield from (line[1:].strip() for line in examples.splitlines() if line.startswith("-"))
    for each in _listed(examples):
        text = each.get("text") if isinstance(each, Mapping) else each
        if isinstance(text, str):
            yield text.strip()


def _started(steps: Sequence[Any], forms: Collection[str]) -> Iterator[tuple[str, str]]:
    """Pairs of an intent and the form that follows it with no other action between them."""
    intents: list[str] = []
    for step in steps:
        if not isinstance(step, Mapping):
            continue
        if "intent" in step or "or" in step:
            options = _listed(step.get("or")) or [step]
            intents = [each["intent"] for each in options if isinstance(each, Mapping) and isinstance(each.get("intent"), str)]
        elif "action" in step:
            if step["action"] in forms:
                yield from ((intent, step["action"]) for intent in intents)
            intents = []


def _listed(given: object) -> list[Any]:
    return given if isinstance(given, list) else []
