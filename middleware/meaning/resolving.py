"""Which slots a turn's meaning fills, and whether its intent takes the place of the one that the bot's NLU found."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from grice.middleware.capabilities.meaning import MEANING
from grice.middleware.settings import check_settings, setting
from grice.models.meaning.results import SlotMeaning, TurnMeaning
from grice.models.schema import BotSchema

DO_NOT_MIND = ("dontcare", "donotcare", "dontmind", "donotmind", "any", "anything", "nopreference", "doesntmatter", "whatever")
"""What bots call the value of a slot whose value the user does not mind, by letters and digits."""
CHANGES = 0.5
"""From this likelihood on that the user takes something back, a slot that has a value may get another one."""


@dataclass(frozen=True)
class ResolvingSettings:
    """When the meaning of a turn overrules the NLU.

    Attributes:
        overrule_above: how sure of its intent the reader must be, 0 to 1.
        sure_nlu: an intent of the NLU with at least this confidence stays, 0 to 1.
        fill_from: how sure the reader must be of a value to fill a slot with it, 0 to 1.
        meaning_model: a shipped name or the path of a folder.

    Raises:
        SettingsError: a value is out of range.
    """

    overrule_above: float = setting(0.8, 0.0, 1.0)
    sure_nlu: float = setting(0.7, 0.0, 1.0)
    fill_from: float = setting(0.5, 0.0, 1.0)
    meaning_model: str = MEANING.model

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True)
class NluReading:
    """What the NLU found in a turn.

    Attributes:
        intent: its name; "": none. confidence: in it, 0 to 1.
        slots: those of whose entity it found one. filled: those that have a value from earlier turns.
    """

    intent: str
    confidence: float
    slots: Collection[str] = ()
    filled: Collection[str] = ()


@dataclass(frozen=True)
class MeaningEffect:
    """What becomes of a turn.

    Attributes:
        intent: the intent that takes the place of the NLU's; "": the NLU's stays.
        slots: those that are filled, each with its value first among `values`.
    """

    intent: str = ""
    slots: tuple[SlotMeaning, ...] = ()


def resolve(found: TurnMeaning, nlu: NluReading, settings: ResolvingSettings, menu: BotSchema) -> MeaningEffect:
    """What the meaning of a turn changes. Where it is unknown, the intent stays; sure values fill slots all the same.

    A slot of which the user does not mind the value is filled if the bot lists a value for that, such as `dontcare`. What the user
    excludes fills nothing.

    Args:
        menu: of the bot, which the turn was read against.
    """
    sure = [slot for slot in found.slots if slot.confidence >= settings.fill_from]
    free = [value for slot in sure if slot.slot not in nlu.slots for value in _filling(slot, menu)]
    filled = tuple(slot for slot in free if slot.slot not in nlu.filled or found.changes >= CHANGES)
    intent = found.meaning.partition("/")[0] if found.kind == "intent" else ""  # a response selector's intent is what is before /
    overrules = found.confidence >= settings.overrule_above and nlu.confidence < settings.sure_nlu and intent != nlu.intent
    return MeaningEffect(intent if overrules else "", filled)


def _filling(slot: SlotMeaning, menu: BotSchema) -> Iterator[SlotMeaning]:
    """What fills it: the value that is meant, or the bot's own value for "any of them"."""
    if slot.said == "meant":
        yield slot
    elif slot.said == "any":
        listed = [value for value in menu.slot(slot.slot).values if "".join(filter(str.isalnum, value.lower())) in DO_NOT_MIND]
        yield from [replace(slot, values=(value,)) for value in listed[:1]]
