"""Which slots of a bot a turn fills by what it means, and how sure that must be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grice.middleware.capabilities.slots import MOST_SLOTS, SLOTS, Questions, Reports, SlotReport
from grice.middleware.settings import check_settings, setting
from grice.models.dialogue import Dialogue
from grice.models.errors import SettingsError
from grice.models.protocols import Predicts
from grice.models.slots.questions import SlotQuestion

DEFAULT_CONFIDENCE = 0.8
"""From `python -m grice.benchmarks.indirect_requests.slots.confidence`, on the dev split of SGD."""

_KEYS = ("description", "values", "entity")
_SLOT = "a mapping of description (a phrase), values (a list) and, if it is not the slot's name, entity"


@dataclass(frozen=True)
class FilledSlot:
    """A slot of the bot that turns may fill.

    Attributes:
        entity: what the bot's NLU calls it.
    """

    name: str
    description: str
    values: tuple[str, ...]
    entity: str

    def question(self, dialogue: Dialogue) -> SlotQuestion:
        """Which value the dialogue ends in.

        Raises:
            InputError: the values cannot be used.
        """
        return SlotQuestion(dialogue, self.name, self.description, self.values)


@dataclass(frozen=True)
class SlotFillingSettings:
    """What is filled, and when.

    Attributes:
        slots: one or more.
        confidence: how likely a value must be to be filled, 0 to 1.
        slots_model: a shipped name or the path of a folder.

    Raises:
        SettingsError: a value is out of range.
    """

    slots: tuple[FilledSlot, ...]
    confidence: float = setting(DEFAULT_CONFIDENCE, 0.0, 1.0)
    slots_model: str = SLOTS.model

    def __post_init__(self) -> None:
        check_settings(self)

    @classmethod
    def of(cls, slots: Any = None, **more: Any) -> SlotFillingSettings:
        """The settings that a configuration file gives; `slots` maps names to `description`, `values` and maybe `entity`.

        Raises:
            SettingsError: a key is missing or unknown, or a value cannot be used.
            InputError: the values of a slot are too few or too many, or one comes twice.
        """
        if not isinstance(slots, Mapping) or not slots:
            raise SettingsError("slots", slots, f"one or more slots, each {_SLOT}")
        return cls(tuple(_filled_slot(str(name), given) for name, given in slots.items()), **more)


@dataclass(frozen=True)
class SlotDecision:
    """What was found of a slot, and whether it is filled.

    Attributes:
        value: the most likely one; None where the resolver failed.
        confidence: how likely it is.
        filled: the slot gets the value: it is neither ambiguous nor unmentioned, and likely enough.
    """

    slot: FilledSlot
    report: SlotReport
    value: str | None = None
    confidence: float = 0.0
    filled: bool = False


class SlotFilling:
    """Decides which slots a turn fills."""

    def __init__(self, settings: SlotFillingSettings, model: Predicts[Questions, Reports]) -> None:
        self.settings = settings
        self.model = model

    def decide(self, dialogue: Dialogue, slots: Sequence[FilledSlot]) -> list[SlotDecision]:
        """One decision a slot, in order, on the last turn of the dialogue.

        Raises:
            GriceError: the model could not be asked at all; one that fails on a slot is told in the slot's report.
        """
        questions = [slot.question(dialogue) for slot in slots]
        parts = [tuple(questions[first : first + MOST_SLOTS]) for first in range(0, len(questions), MOST_SLOTS)]
        reports = [report for part in self.model.predict(parts) for report in part] if parts else []
        return [self._decision(slot, report) for slot, report in zip(slots, reports, strict=True)]

    def _decision(self, slot: FilledSlot, report: SlotReport) -> SlotDecision:
        found = report.found
        if found is None:
            return SlotDecision(slot, report)
        confidence, value = max(zip(found.probabilities, slot.values, strict=True), key=lambda pair: pair[0])
        filled = found.value is not None and confidence >= self.settings.confidence
        return SlotDecision(slot, report, value, confidence, filled)


def _filled_slot(name: str, given: Any) -> FilledSlot:
    if not isinstance(given, Mapping):
        raise SettingsError(f"slots, {name}", given, _SLOT)
    for key in given:
        if key not in _KEYS:
            raise SettingsError(f"slots, {name}, {key}", given[key], f"no such key; the keys are: {', '.join(sorted(_KEYS))}")
    texts = {"description": given.get("description"), "entity": given.get("entity", name)}
    for key, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise SettingsError(f"slots, {name}, {key}", text, "a text that is not blank")
    values = given.get("values")
    if not isinstance(values, (list, tuple)) or not all(isinstance(value, (str, bool, int, float)) for value in values):
        raise SettingsError(f"slots, {name}, values", values, "a list of texts, numbers, or true and false")
    slot = FilledSlot(name, str(texts["description"]), tuple(map(str, values)), str(texts["entity"]))
    slot.question(Dialogue.of("Hello."))
    return slot
