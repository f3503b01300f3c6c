"""Generated requests as JSON lines in the format of IndirectRequests, and as Rasa 3 test data: test stories and NLU examples.

An indirect request has no span that says its value, so in Rasa's data its entity is the whole turn, with the value: just what the
components mark as `implied`. Requests for an `<ambiguous>` value are left out there: a story says what a bot shall do.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grice.middleware.authoring.indirect_requests.bot_slot import BotSlot
from grice.middleware.authoring.indirect_requests.generation import Generated
from grice.middleware.authoring.rasa_yaml import yaml_text
from grice.middleware.schemas.rasa.annotation import Entity, annotated
from grice.models.data.indirect_requests import AMBIGUOUS
from grice.models.errors import InputError

MADE_BY = "grice iur generate"


def item_lines(requests: Sequence[Generated], date: str) -> Iterator[str]:
    """One JSON object a request, each with a line end; `grice.models.data.indirect_requests.read_file` reads them.

    Beside the fields of the format: `id`, `slot`, `strategy`, and what tells that nobody wrote or rated it: `made_by`, `origin`
    (how it was written, of what, by which model; who labelled the strategy) and `criteria` (who judged, and what they said). The
    rating of world understanding is the criterion's, not a mean of people.

    Args:
        date: of creation, such as 2026-03-01.
    """
    numbers: Counter[str] = Counter()
    for request in requests:
        asked = request.candidate.asked
        name = f"{asked.service}.{asked.name}={request.candidate.target}"
        numbers[name] += 1
        yield json.dumps(_item(request, f"{name}-{numbers[name]}", date), ensure_ascii=False) + "\n"


def _item(request: Generated, item_id: str, date: str) -> dict[str, Any]:
    candidate, asked = request.candidate, request.candidate.asked
    return {
        "utterance": candidate.utterance,
        "situation": asked.situation,
        "service": asked.service,
        "slot_description": asked.description,
        "possible_slot_values": repr(list(asked.values)),
        "bool_rephrased_slot_values": repr(list(asked.phrasings)),
        "target_slot_value": request.target,
        "mean_world_understanding": round(request.world_understanding, 2),
        "creation_date": date,
        "id": item_id,
        "slot": asked.name,
        "strategy": request.strategy,
        "made_by": MADE_BY,
        "origin": {
            "way": candidate.way,
            "model": candidate.model,
            "fact": candidate.fact,
            "written_for": candidate.target,
            "strategy_by": request.labelled,
        },
        "criteria": {
            "by": request.criteria,
            "appropriateness": round(request.appropriateness, 2),
            "implied": list(request.implied),
        },
    }


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
