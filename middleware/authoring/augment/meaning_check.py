"""Does a variant still mean its example? Asked of the reader of meaning, who knows the bot's menu and any domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grice.middleware.authoring.augment.example import Example, Variant
from grice.middleware.settings import PipelineSettings
from grice.middleware.turns.verifier import OfferedRewrite, RewriteVerifier
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion, SlotMeaning, TurnMeaning
from grice.models.protocols import MeaningPredictor
from grice.models.schema import BotSchema


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

        That is: it is read as the example's intent, or as the same act ("yes", a greeting), says no more of slots, and the reader
        would take the example for its rewrite.
        """
        sources = list(dict.fromkeys(variant.source for variant in variants))
        asked = [(source, source.text) for source in sources] + [(variant.source, variant.text) for variant in variants]
        read = self.reader.predict([self._question(source, text) for source, text in asked])
        own = dict(zip(sources, read, strict=False))
        return [
            _is_same(variant.source, own[variant.source], found) and self._leads_back(variant)
            for variant, found in zip(variants, read[len(sources) :], strict=True)
        ]

    def _leads_back(self, variant: Variant) -> bool:
        source = variant.source
        offered = OfferedRewrite(Dialogue.of(variant.text, source.history), source.text)
        (verdict,) = RewriteVerifier(self.reader).predict([offered])
        return verdict.share >= self.verified_from and not verdict.is_contrary

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
