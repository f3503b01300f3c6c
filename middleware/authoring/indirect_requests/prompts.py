"""What a language model is asked about indirect requests.

The layouts are those of Mannekote et al. 2024, appendix B (criteria) and C (generation): an instruction, examples, and the same
fields for the case in hand, the last one left open. The words and the examples (`few_shot.json`) are ours. Added to them: the
target value where a question is about it, the fact and the strategy that a request shall use, and prompts for facts (which the
paper's section 4.1 describes) and for appropriateness (which it rates by hand). Line breaks within a text become spaces, so that
what was said cannot pass for a part of the prompt.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from grice.middleware.authoring.indirect_requests.criteria import Candidate, Request
from grice.middleware.authoring.indirect_requests.request_slot import RequestSlot
from grice.middleware.llm import Message
from grice.models.data.indirect_requests import AMBIGUOUS, Strategy
from grice.models.dialogue import plain_text

STRATEGY_WORDS: Mapping[Strategy, str] = {
    "simple elaboration": "describe the value in a longer phrase that means the same",
    "justification": "give a reason from everyday life for which only this value will do",
    "hyponym swap": "name a special kind or a well-known example of the value",
    "synonym swap": "use another word or name for the value",
    "small talk": "hint at the value and chat a little beside it",
}
"""The strategies of the paper's Table 4, in our words."""

_IMPLIED = (
    "A user talks to an assistant that fills in a form. You judge which of the possible values of a slot the user's utterance can "
    "mean. Write those values as they are listed, separated by commas; write none if it says nothing about the slot. "
    "Where nothing rules a value out, it belongs to your answer."
)
_WORLD = (
    "How likely is it, from 1 (surely not) to 10 (surely), that an average six-year-old would be able to tell from the utterance "
    "that the user means the target value? Write the number alone."
)
_APPROPRIATE = (
    "How well does the utterance fit the situation in which it is said, from 1 (out of place) to 10 (what a real customer may well "
    "say)? It need not say clearly what is wanted. Write the number alone."
)
_FACTS = (
    "List three short facts from everyday life about the target value in this situation that do not hold for the other possible "
    "values. One fact a line, beginning with a dash."
)
_REQUEST = (
    "Write what a customer says who wants the target value and does not name it. The utterance must 1) fit the target value and "
    "none of the other possible values, and 2) contain no word of the target value. It must use the fact and the strategy, and be "
    "one line."
)
_NOW = "Now write ONE for this case, as in the examples."


Fields = Mapping[str, str]


def implied_prompt(request: Request) -> list[Message]:
    """Asks which values a request may mean (appendix B.1)."""
    shown = [(_judged(_request(each)), ", ".join(each["implied"])) for each in _examples()["implied"]]
    return _prompt(_IMPLIED, shown, _judged(request), "Slot Values Implied")


def world_prompt(request: Request) -> list[Message]:
    """Asks how likely a six-year-old sees which value is meant (appendix B.2)."""
    shown = [(_with_target(_request(each)), str(each["rating"])) for each in _examples()["world_understanding"]]
    return _prompt(_WORLD, shown, _with_target(request), "Rating")


def appropriateness_prompt(request: Request) -> list[Message]:
    """Asks how well a request fits its situation."""
    shown = [(_judged(_request(each)), str(each["rating"])) for each in _examples()["appropriateness"]]
    return _prompt(_APPROPRIATE, shown, _judged(request), "Rating")


def facts_prompt(slot: RequestSlot, value: str) -> list[Message]:
    """Asks for facts about a value in its situation (section 4.1)."""
    shown = [
        (_wanted(_slot(each), each["target"]), "".join(f"\n- {fact}" for fact in each["facts"])) for each in _examples()["facts"]
    ]
    return _prompt(_FACTS, shown, _wanted(slot, value), "Facts")


def request_prompt(slot: RequestSlot, value: str, fact: str, strategy: Strategy) -> list[Message]:
    """Asks for one indirect request (appendix C)."""
    shown = [
        (_told(_slot(each), each["target"], each["fact"], each["strategy"]), each["utterance"]) for each in _examples()["request"]
    ]
    return _prompt(_REQUEST, shown, _told(slot, value, fact, strategy), "Indirect User Request", _NOW)


def _prompt(instruction: str, shown: Sequence[tuple[Fields, str]], fields: Fields, answer: str, now: str = "") -> list[Message]:
    examples = [_block(of_example, answer, said) for of_example, said in shown]
    parts = [instruction, "Examples:", *examples, now, _block(fields, answer, "")]
    return [Message("user", "\n\n".join(filter(None, parts)))]


def _block(fields: Fields, answer: str, said: str) -> str:
    return "\n".join([*(f"{name}: {plain_text(text)}" for name, text in fields.items()), f"{answer}: {said}".rstrip()])


def _judged(request: Request) -> dict[str, str]:
    return {
        "Situation": request.situation,
        "Slot": request.slot_description,
        "Possible Values": ", ".join(request.values),
        "Utterance": request.utterance,
    }


def _with_target(request: Request) -> Fields:
    meant = ", ".join(request.values) if request.target == AMBIGUOUS else request.target
    return {**_judged(request), "Target Value": meant}


def _wanted(slot: RequestSlot, value: str) -> dict[str, str]:
    return {
        "Situation": slot.situation,
        "Slot Description": slot.description,
        "Possible Slot Values": ", ".join(slot.values),
        "Target Slot Value": value,
    }


def _told(slot: RequestSlot, value: str, fact: str, strategy: Strategy) -> Fields:
    said = f"{strategy}: {STRATEGY_WORDS[strategy]}"
    return {**_wanted(slot, value), "Fact": fact, "Strategy": said, "Do Not Mention Keywords In": value}


def _slot(example: Mapping[str, Any]) -> RequestSlot:
    return RequestSlot("example", "example", example["slot"], tuple(example["values"]), example["situation"])


def _request(example: Mapping[str, Any]) -> Candidate:
    return Candidate(_slot(example), example.get("target", AMBIGUOUS), example["utterance"], "llm")


@functools.lru_cache(maxsize=1)
def _examples() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    text = resources.files("grice.middleware.authoring.indirect_requests").joinpath("few_shot.json").read_text(encoding="utf-8")
    found: Mapping[str, Sequence[Mapping[str, Any]]] = json.loads(text)
    return found
