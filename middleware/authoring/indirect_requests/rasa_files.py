"""Generated requests as Rasa 3 test data: test stories and NLU examples.

An indirect request has no span that says its value, so its entity is the whole turn, with the value: just what the components mark
as `implied`. Requests for an `<ambiguous>` value are left out: a story says what a bot shall do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from grice.middleware.authoring.augment.annotation import annotated
from grice.middleware.authoring.augment.example import Entity
from grice.middleware.authoring.indirect_requests.bot_slot import BotSlot
from grice.middleware.authoring.indirect_requests.generation import Generated
from grice.middleware.authoring.indirect_requests.item_lines import MADE_BY
from grice.middleware.authoring.rasa_yaml import yaml_text
from grice.models.data.indirect_requests import AMBIGUOUS
from grice.models.errors import InputError

VERSION = "3.1"
_HEAD = f"# Made by `{MADE_BY}`: test data, not for training.\n"


def stories_text(requests: Sequence[Generated], slots: Mapping[str, BotSlot], action: str | None = None) -> str:
    """Test stories, one a request: the turn with its intent and entity, the slot that is set, and what the bot does then.

    Rasa wants them in a file whose name begins with `test_`, in `tests/`.

    Args:
        action: the bot's next action. Without one Rasa expects that the bot says nothing, and counts its answer as a mistake.
    """
    numbers: Counter[str] = Counter()
    stories = []
    for request in _meant(requests):
        asked, value = request.candidate.asked, request.target
        name = f"{asked.name} is {value}, {request.strategy}"
        numbers[name] += 1
        set_to = value == "True" if asked.is_boolean else value
        stories.append(
            {
                "story": f"{name} {numbers[name]}",
                "steps": [
                    {"user": _marked(request, slots[asked.name]), "intent": slots[asked.name].intent_of(value)},
                    {"slot_was_set": [{asked.name: set_to}]},
                    *([{"action": action}] if action else []),
                ],
            }
        )
    return _HEAD + _yaml({"stories": stories})


def nlu_text(requests: Sequence[Generated], slots: Mapping[str, BotSlot]) -> str:
    """NLU test data, for `rasa test nlu --nlu FILE`: the requests of each intent."""
    from ruamel.yaml.scalarstring import LiteralScalarString

    examples: dict[str, list[str]] = {}
    for request in _meant(requests):
        slot = slots[request.candidate.asked.name]
        examples.setdefault(str(slot.intent_of(request.target)), []).append(_marked(request, slot))
    entries = [
        {"intent": intent, "examples": LiteralScalarString("".join(f"- {line}\n" for line in lines))}
        for intent, lines in examples.items()
    ]
    return _HEAD + _yaml({"nlu": entries})


def _meant(requests: Sequence[Generated]) -> list[Generated]:
    return [request for request in requests if request.target != AMBIGUOUS]


def _marked(request: Generated, slot: BotSlot) -> str:
    """The turn with its entity; without where no entity gives the value, or Rasa's format cannot put one around the turn."""
    text = request.candidate.utterance
    if slot.entity is None or request.target in slot.intents.values():
        return text
    try:
        return annotated(text, [Entity(0, len(text), slot.entity, request.target, slot.role)])
    except InputError:
        return text


def _yaml(content: Mapping[str, Any]) -> str:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    return yaml_text({"version": DoubleQuotedScalarString(VERSION), **content})
