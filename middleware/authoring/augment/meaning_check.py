"""Does a variant still mean its example? Asked of the reader of meaning, who knows the bot's menu and any domain."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from grice.middleware.authoring.augment.example import Example, Variant
from grice.middleware.settings import PipelineSettings
from grice.middleware.turns.verifier import OfferedRewrite, RewriteVerifier
from grice.models.dialogue import Dialogue
from grice.models.meaning.menu import say_name
from grice.models.meaning.results import MeaningQuestion, SlotMeaning, TurnMeaning
from grice.models.protocols import MeaningPredictor
from grice.models.schema import BotSchema
from grice.models.text.wording import Wording


@dataclass(frozen=True)
class MeaningCheck:
    """Reads variants and their examples against the bot's menu, and each variant against its example.

    Attributes:
        reader: such as `load_meaning_reader()`.
        schema: the menu of the bot whose examples they are.
        verified_from: a variant is taken for its example with at least this share, 0 to 1; see `RewriteVerifier`.
    """

    reader: MeaningPredictor
    schema: BotSchema
    verified_from: float = PipelineSettings.verified_from

    def same(self, variants: Sequence[Variant]) -> list[bool]:
        """Whether each means its example.

        That is: it is read as the example's intent, or as the same act ("yes", a greeting), says no more of slots, brings in no
        word of content that neither example nor menu has, and the reader would take the example for its rewrite.
        """
        sources = list(dict.fromkeys(variant.source for variant in variants))
        asked = [(source, source.text) for source in sources] + [(variant.source, variant.text) for variant in variants]
        read = self.reader.predict([self._question(source, text) for source, text in asked])
        own = dict(zip(sources, read, strict=False))
        return [
            _is_same(variant.source, own[variant.source], found)
            and self._keeps_to_the_matter(variant)
            and self._leads_back(variant)
            for variant, found in zip(variants, read[len(sources) :], strict=True)
        ]

    def as_intent(self, variants: Sequence[Variant]) -> list[bool]:
        """Whether each is read as its example's intent and says nothing of slots: such a hint need not mean the example itself."""
        read = self.reader.predict([self._question(variant.source, variant.text) for variant in variants])
        return [
            (found.kind, found.meaning, found.slots) == ("intent", variant.intent, ())
            for variant, found in zip(variants, read, strict=True)
        ]

    def _leads_back(self, variant: Variant) -> bool:
        source = variant.source
        offered = OfferedRewrite(Dialogue.of(variant.text, source.history), source.text)
        (verdict,) = RewriteVerifier(self.reader).predict([offered])
        return verdict.share >= self.verified_from and not verdict.is_contrary

    def _keeps_to_the_matter(self, variant: Variant) -> bool:
        """Whether example and menu have all its words of content: the rewriter knows a town's matters alone, and speaks of them."""
        return Wording.of(variant.text).content <= Wording.of(variant.source.text).content | self._words

    @functools.cached_property
    def _words(self) -> frozenset[str]:
        """All words that the menu has content of."""
        intents = [text for intent in self.schema.intents for text in (intent.name, intent.description, *intent.examples)]
        slots = [text for slot in self.schema.slots for text in (slot.name, slot.description, *slot.values)]
        return Wording.of(" ".join(say_name(text) for text in (*intents, *slots))).content

    def _question(self, source: Example, text: str) -> MeaningQuestion:
        return MeaningQuestion(Dialogue.of(text, source.history), self.schema)


def _is_same(example: Example, own: TurnMeaning, found: TurnMeaning) -> bool:
    as_intent = (found.kind, found.meaning) == ("intent", example.intent)
    as_act = found.kind == own.kind == "act" and found.meaning == own.meaning
    return (as_intent or as_act) and all(_was_said(slot, example, own) for slot in found.slots)


def _was_said(slot: SlotMeaning, example: Example, own: TurnMeaning) -> bool:
    if any((slot.slot, slot.said, slot.values) == (each.slot, each.said, each.values) for each in own.slots):
        return True
    annotated = {
        str(each.value if each.value is not None else example.text[each.start : each.end]).casefold() for each in example.entities
    }
    return slot.said == "meant" and {value.casefold() for value in slot.values} <= annotated
