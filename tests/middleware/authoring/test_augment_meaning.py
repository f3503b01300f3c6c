"""With the bot's menu the reader of meaning decides which variants mean their example."""

from collections.abc import Sequence

from grice.middleware.authoring.augment import AugmentSettings, Entity, Example, MeaningCheck, VariantModels, indirect_variants
from grice.middleware.turns.verifier import REWRITE
from grice.models import Dialogue
from grice.models.dialogue import Turn
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, SlotMeaning, TurnMeaning
from grice.models.results import Rewrite
from grice.models.schema import BotSchema

MENU = BotSchema.of(
    {
        "intents": [
            {"name": "slow", "description": "time, hm, love, here"},
            {"name": "bill"},
            {"name": "plan", "slots": ["plan"], "examples": ["pay well for children"]},
        ],
        "slots": {"plan": None},
    }
)


class Writer:
    """Offers the same candidates for every text, without any confidence in them."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def candidates(self, dialogues: Sequence[Dialogue]) -> list[list[Rewrite]]:
        return [[Rewrite(text, 0.01, 5) for text in self.texts] for _ in dialogues]


class Reader:
    """Reads what it is told; everything else as nothing of the menu."""

    def __init__(self, **told: tuple[str, str] | tuple[str, str, SlotMeaning]) -> None:
        self.told = {text.replace("_", " "): found for text, found in told.items()}
        self.doubted: dict[str, str] = {}
        """By text: of which rewrite it is not taken for."""
        self.asked: list[MeaningQuestion] = []

    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        self.asked += asked
        return [self._answer(each) for each in asked]

    def _answer(self, asked: MeaningQuestion) -> TurnMeaning:
        text, (first, *_) = asked.dialogue.last.text, asked.schema.intents
        if first.name == REWRITE:
            share = 0.79 if self.doubted.get(text) == first.description else 0.8
            possible = (PossibleMeaning("intent", REWRITE, share), PossibleMeaning("act", "none", 1 - share))
            return TurnMeaning("intent", REWRITE, share, 0.1, possible, (), 0.0, 0.9, None, ())
        kind, name, *slots = self.told.get(text, ("unknown", ""))
        best = PossibleMeaning("intent", name or "slow", 0.9)
        return TurnMeaning(kind, name, 0.9, 0.1, (best,), tuple(slots), 0.0, 0.9, None, ())  # type: ignore[arg-type]


def kept(example: Example, writer: Writer, reader: Reader, settings: AugmentSettings | None = None) -> list[str]:
    models = VariantModels(writer, meaning=MeaningCheck(reader, MENU))
    found = indirect_variants([example], models, settings)
    assert found.refused.get("meaning", 0) == len(writer.texts) - len(found.variants)
    return [variant.text for variant in found.variants]


def test_a_variant_that_is_read_as_its_intent_is_kept_whatever_the_rewriter_thinks_of_it() -> None:
    reader = Reader(it_is_slow=("intent", "slow"), I_have_time=("intent", "slow"), I_pay_well=("intent", "bill"))
    assert kept(Example("it is slow", "slow"), Writer("I have time", "I pay well", "I am here"), reader) == ["I have time"]


def test_a_variant_that_is_not_taken_for_its_example_is_refused() -> None:
    reader = Reader(it_is_slow=("intent", "slow"), I_have_time=("intent", "slow"), I_am_here=("intent", "slow"))
    reader.doubted = {"I have time": "it is slow"}
    assert kept(Example("it is slow", "slow"), Writer("I have time", "I am here"), reader) == ["I am here"]


def test_the_intent_is_the_examples_even_where_the_example_is_misread() -> None:
    reader = Reader(it_is_slow=("intent", "bill"), I_have_time=("intent", "slow"), I_pay_well=("intent", "bill"))
    assert kept(Example("it is slow", "slow"), Writer("I have time", "I pay well"), reader) == ["I have time"]


def test_an_example_that_is_an_act_has_variants_that_are_the_same_act() -> None:
    reader = Reader(yes=("act", "yes"), I_would_love_that=("act", "yes"), hm=("act", "not-yet"))
    assert kept(Example("yes", "affirm"), Writer("I would love that", "hm"), reader) == ["I would love that"]


def test_a_variant_may_not_say_more_of_a_slot_than_its_example() -> None:
    family = SlotMeaning("plan", "meant", ("family",), 0.9)
    reader = Reader(change_plan=("intent", "plan"), we_have_children=("intent", "plan", family), family_plan=("intent", "plan"))
    writer = Writer("we have children")
    assert kept(Example("change plan", "plan"), writer, reader) == []
    annotated = Example("family plan", "plan", (Entity(0, 6, "plan"),))
    assert kept(annotated, writer, reader, AugmentSettings(may_lose=True)) == ["we have children"]
    refused = SlotMeaning("plan", "not_this", ("family",), 0.9)
    reader = Reader(we_have_children=("intent", "plan", refused), family_plan=("intent", "plan"))
    assert kept(annotated, writer, reader, AugmentSettings(may_lose=True)) == []


def test_a_variant_is_read_with_the_turns_before_its_example() -> None:
    reader = Reader(it_is_slow=("intent", "slow"), I_have_time=("intent", "slow"))
    kept(Example("it is slow", "slow", history=(Turn("bot", "What is wrong?"),)), Writer("I have time"), reader)
    assert {question.dialogue.history for question in reader.asked} == {(Turn("bot", "What is wrong?"),)}
    assert MENU in {question.schema for question in reader.asked}
