"""The tool calls that a turn implies: what it means, said as an agent's tools and their arguments."""

from __future__ import annotations

from dataclasses import dataclass

from grice.models.meaning.results import SaidOfSlot, SlotMeaning, TurnMeaning
from grice.models.results import Share
from grice.models.schema import BotSchema, IntentSpec


@dataclass(frozen=True)
class ImpliedArgument:
    """An argument of a tool of which the turn speaks.

    Attributes:
        name: As the tool calls it.
        said: How the turn speaks of it: "meant", "not_this" (that value is excluded), "any", "ambiguous" (one of `values`).
        values: The value meant or excluded, or those between which one cannot tell; of free text the words of the turn.
        probability: How likely that is right, 0 to 1; of free text, how likely the turn speaks of it.
    """

    name: str
    said: SaidOfSlot
    values: tuple[str, ...]
    probability: Share


@dataclass(frozen=True)
class ImpliedCall:
    """A tool that the turn may ask for.

    Attributes:
        tool: Its name.
        probability: How likely the turn asks for it, 0 to 1. What is left to 1 over all calls are other meanings, such as yes.
        arguments: Those of which the turn speaks.
    """

    tool: str
    probability: Share
    arguments: tuple[ImpliedArgument, ...]


def imply_calls(meaning: TurnMeaning, schema: BotSchema) -> tuple[ImpliedCall, ...]:
    """The tools among the likeliest meanings of a turn, the most probable first.

    The likeliest meaning has the reader's calibrated confidence; the others share the rest as the reader shares it among them.

    Args:
        meaning: of the turn, read with `schema` as its menu.
        schema: of the tools, as `schema_of_tools` makes it.
    """
    best, *_ = meaning.possible
    left = (1 - meaning.confidence) / max(1 - best.share, 1e-9)
    calls = (
        ImpliedCall(
            each.name,
            meaning.confidence if each == best else min(each.share * left, 1.0),
            _arguments(schema.intent(each.name), meaning.slots, schema),
        )
        for each in meaning.possible
        if each.kind == "intent"
    )
    return tuple(sorted(calls, key=lambda call: -call.probability))


def _arguments(tool: IntentSpec, slots: tuple[SlotMeaning, ...], schema: BotSchema) -> tuple[ImpliedArgument, ...]:
    names = {name: _own_name(tool, name, schema) for name in tool.slots}
    return tuple(ImpliedArgument(names[slot.slot], slot.said, slot.values, slot.confidence) for slot in slots if slot.slot in names)


def _own_name(tool: IntentSpec, slot: str, schema: BotSchema) -> str:
    """The argument's name; `tool.argument` is a slot's where tools have arguments of one name with different values."""
    name = slot.removeprefix(f"{tool.name}.")
    shared = any(f"{other.name}.{name}" in other.slots for other in schema.intents if other.name != tool.name)
    return name if shared else slot
