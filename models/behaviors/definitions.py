"""What each behaviour is: name, maxim, and the question and definition that a judge reads. The words are in `definitions.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal, get_args

from grice.models.errors import InputError
from grice.models.results import BEHAVIORS, Behavior

Maxim = Literal["quality", "quantity", "relation", "manner", "sympathy"]
"""Grice's four maxims of conversation (1975), and Leech's maxim of sympathy (1983), which says of feelings what Grice's do not."""

MAXIMS: tuple[str, ...] = get_args(Maxim)


@dataclass(frozen=True)
class BehaviorDefinition:
    """One behaviour in words.

    Attributes:
        label: ABC-Eval's abbreviation.
        name: in full; also its key in ABC-Eval's released files.
        maxim: of conversation, that a response with the behaviour breaks, or with a desired one keeps.
        because: why that maxim.
        desired: whether a response should show it.
        question: to be answered with yes or no about the bot's response.
        definition: when the answer is yes, and when it is not.

    Raises:
        InputError: the label or the maxim is unknown, or a text is blank.
    """

    label: Behavior
    name: str
    maxim: Maxim
    because: str
    desired: bool
    question: str
    definition: str

    def __post_init__(self) -> None:
        if self.label not in BEHAVIORS:
            raise InputError("behavior", self.label, ", ".join(BEHAVIORS))
        if self.maxim not in MAXIMS:
            raise InputError(f"maxim of {self.label}", self.maxim, ", ".join(MAXIMS))
        for each in ("name", "because", "question", "definition"):
            if not getattr(self, each).strip():
                raise InputError(f"{each} of {self.label}", getattr(self, each), "a text")


def definitions_of(content: Mapping[str, Any]) -> Mapping[Behavior, BehaviorDefinition]:
    """The definitions in the content of a file like `definitions.json`, in the order of `BEHAVIORS`.

    Raises:
        InputError: a behaviour is missing, twice there or unknown, or its entry has other keys than the definition has.
    """
    keys = {each.name for each in fields(BehaviorDefinition)}
    for entry in content["behaviors"]:
        if set(entry) != keys:
            raise InputError("keys of a behavior", ", ".join(entry), ", ".join(sorted(keys)))
    found = [BehaviorDefinition(**entry) for entry in content["behaviors"]]
    labels = tuple(each.label for each in found)
    if labels != BEHAVIORS:
        raise InputError("behaviors", ", ".join(labels), f"each once, in this order: {', '.join(BEHAVIORS)}")
    return MappingProxyType({each.label: each for each in found})


DEFINITIONS: Mapping[Behavior, BehaviorDefinition] = definitions_of(
    json.loads(resources.files("grice.models.behaviors").joinpath("definitions.json").read_text(encoding="utf-8"))
)
"""Every behaviour's definition, in the order of `BEHAVIORS`."""


def shows_undesired(shown: Iterable[Behavior]) -> bool:
    """Whether one of these behaviours is undesired."""
    return any(not DEFINITIONS[label].desired for label in shown)
