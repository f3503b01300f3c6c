"""Which candidates become variants, with a rewriter whose candidates are given."""

from collections.abc import Sequence

import pytest

from grice.middleware.authoring.augment import (
    Augmentation,
    AugmentSettings,
    Entity,
    Example,
    VariantModels,
    indirect_variants,
    with_rewrites,
)
from grice.middleware.authoring.augment.entity_transfer import transferred
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import InputError, SettingsError
from grice.models.results import Rewrite


class Scripted:
    """Offers what it is told to, each less confidently than the one before; raises on a text it was told nothing of."""

    def __init__(self, script: dict[str, list[str]], confidence: float = 0.9) -> None:
        self.script = script
        self.confidence = confidence
        self.asked: list[Dialogue] = []

    def candidates(self, dialogues: Sequence[Dialogue]) -> list[list[Rewrite]]:
        self.asked += dialogues
        return [
            [Rewrite(text, self.confidence - 0.01 * rank, 5) for rank, text in enumerate(self.script[dialogue.last.text])]
            for dialogue in dialogues
        ]


class WayBack:
    """Expects an example after every text but those that it is told of."""

    def __init__(self, lost: set[str]) -> None:
        self.lost = lost

    def score(self, dialogues: Sequence[Dialogue], targets: Sequence[str]) -> list[tuple[float, int]]:
        assert len(dialogues) == len(targets)
        return [(-50.0 if dialogue.last.text in self.lost else -1.0, 5) for dialogue in dialogues]


def augmented(examples: list[Example], script: dict[str, list[str]], settings: AugmentSettings | None = None) -> Augmentation:
    return indirect_variants(examples, VariantModels(Scripted(script)), settings)


def texts(found: Augmentation) -> list[str]:
    return [variant.text for variant in found.variants]


def test_entities_stand_at_their_new_places() -> None:
    line = "Take me from Ely to March at 7pm"
    entities = (Entity(13, 16, "city", role="from"), Entity(20, 25, "city", role="to"), Entity(29, 32, "time", "19:00"))
    found = augmented([Example(line, "ride", entities)], {line: ["I have to be in March at 7 pm and am still in Ely"]})
    (variant,) = found.variants
    assert [(variant.text[e.start : e.end], e.label) for e in variant.entities] == [
        ("March", ("city", None, "to", None)),
        ("7 pm", ("time", "19:00", None, None)),
        ("Ely", ("city", None, "from", None)),
    ]
    assert variant.as_example == Example(variant.text, "ride", variant.entities)


def test_history_is_what_the_models_read() -> None:
    asked = (Turn("user", "I need a taxi"), Turn("bot", "From where?"))
    rewriter = Scripted({"From the museum": ["I will be at the museum"]})
    indirect_variants([Example("From the museum", "ride", history=asked)], VariantModels(rewriter))
    assert rewriter.asked == [Dialogue.of("From the museum", asked)]


@pytest.mark.parametrize(
    ("text", "candidate", "reason"),
    [
        ("Book a table for 4", "I would like a table for 5", "guard"),
        ("Book a table for Friday", "I would like a table", "guard"),
        ("I want Thai food", "I do not want Thai food", "guard"),
        ("Find a hotel in the north", "Is there a hotel in the north, near Harbour Gate?", "guard"),
        ("Where is the station?", "where is the station", "duplicate"),
        ("Where is the station?", "?!", "uncertain"),
    ],
)
def test_what_does_not_stand_for_its_example_is_refused(text: str, candidate: str, reason: str) -> None:
    found = augmented([Example(text, "ask")], {text: [candidate]})
    assert found.variants == ()
    assert found.refused == {reason: 1}


def test_uncertain_and_unfinished_rewrites_are_refused() -> None:
    class Unfinished(Scripted):
        def candidates(self, dialogues: Sequence[Dialogue]) -> list[list[Rewrite]]:
            return [[Rewrite("I wonder where it is", 0.9, 5, finished=False)] for _ in dialogues]

    example = Example("Where is it?", "ask")
    assert indirect_variants([example], VariantModels(Unfinished({}))).refused == {"uncertain": 1}
    unsure = Scripted({example.text: ["I wonder where it is"]}, confidence=0.49)
    assert indirect_variants([example], VariantModels(unsure), AugmentSettings(min_confidence=0.5)).refused == {"uncertain": 1}
    assert len(indirect_variants([example], VariantModels(unsure), AugmentSettings(min_confidence=0.45)).variants) == 1


def test_a_variant_that_does_not_lead_back_is_refused() -> None:
    script = {"hello": ["Would you find me one", "I just wanted to say hello"]}
    found = indirect_variants([Example("hello", "greet")], VariantModels(Scripted(script), WayBack({"Would you find me one"})))
    assert texts(found) == ["I just wanted to say hello"]
    assert found.variants[0].way_back == pytest.approx(0.8187, abs=1e-3)
    assert found.refused == {"way back": 1}


def test_no_variant_repeats_an_example_or_another_variant() -> None:
    script = {
        "Where is it?": ["I wonder where it is", "I wonder where it is.", "Tell me the address"],
        "Give me the address": ["I WONDER WHERE IT IS", "I could do with the address"],
        "tell me the address!": ["I could do with the address..."],
    }
    found = augmented([Example(text, "ask") for text in script], script)
    assert texts(found) == ["I wonder where it is", "I could do with the address"]
    assert found.refused == {"duplicate": 4}


def test_what_two_intents_would_share_is_left_to_neither() -> None:
    script = {
        "yes": ["I would like that", "That is fine"],
        "Book it": ["I would like that", "I want to have it"],
        "that is fine": ["I am happy with it"],
    }
    intents = {"yes": "affirm", "Book it": "book", "that is fine": "praise"}
    found = augmented([Example(text, intents[text]) for text in script], script)
    assert texts(found) == ["I want to have it", "I am happy with it"]
    assert found.refused == {"ambiguous": 3}


def test_known_examples_are_not_repeated() -> None:
    script = {"Where is it?": ["I wonder where it is", "I am lost"]}
    known = [Example("i wonder where it is", "ask"), Example("I am lost", "help")]
    found = indirect_variants([Example("Where is it?", "ask")], VariantModels(Scripted(script)), known=known)
    assert found.refused == {"duplicate": 1, "ambiguous": 1}


def test_limits_take_the_first_of_each_example_before_any_second() -> None:
    script = {
        f"Show me page {place}": [f"I want page {place}", f"I need page {place}", f"I like page {place}"] for place in (1, 2, 3)
    }
    listed = [Example(text, "show") for text in script]
    found = augmented(listed, script, AugmentSettings(per_example=2))
    assert texts(found) == [f"I {verb} page {place}" for place in (1, 2, 3) for verb in ("want", "need")]
    assert found.refused == {"surplus": 3}
    found = augmented(listed, script, AugmentSettings(max_share=1.3))
    assert texts(found) == ["I want page 1", "I need page 1", "I want page 2", "I want page 3"]
    found = augmented(listed, script, AugmentSettings(max_variants=2))
    assert texts(found) == ["I want page 1", "I want page 2"]


def test_lost_entities_and_facts() -> None:
    example = Example("Find a cheap diner for Friday", "find", (Entity(7, 12, "price", "low"), Entity(13, 18, "kind")))
    script = {
        example.text: [
            "I would eat on Friday, in a diner",
            "I have little money for a diner",
            "I like any diner for Sunday",
        ]
    }
    strict = augmented([example], script)
    assert strict.variants == ()
    loose = augmented([example], script, AugmentSettings(may_lose=True))
    assert texts(loose) == script[example.text][:2]
    assert [[(v.text[e.start : e.end], e.entity) for e in v.entities] for v in loose.variants] == [[("diner", "kind")]] * 2


def test_shortcuts_are_left_alone_and_progress_is_told() -> None:
    listed = [Example(f"Show page {place}", "show") for place in range(20)] + [Example("/restart", "restart")]
    told: list[tuple[int, int]] = []
    rewriter = Scripted({example.text: [] for example in listed[:-1]})
    found = indirect_variants(listed, VariantModels(rewriter), progress=lambda done, total: told.append((done, total)))
    assert found.examples == 21
    assert told == [(0, 20), (16, 20), (20, 20)]


@pytest.mark.parametrize(
    ("text", "variant", "expected"),
    [
        ("[2] nights for [2] people", "I have 2 people for 2 nights", ["2@20", "2@7"]),
        ("[2] nights for [2] people", "We are 2 and stay", [None, None]),
        ("to [Ely]", "I am in Ely and leave from Ely", [None]),
        ("the [guest house]", "I like that guesthouse", ["guesthouse@12"]),
        ("a [wi-fi] room", "a room with wifi", ["wifi@12"]),
        ("[Art] there", "They start there", [None]),
        ("on [Sunday]", "Sunday's is best", ["Sunday@0"]),
        ("[?] what", "what ?", [None]),
    ],
)
def test_where_words_are_found_again(text: str, variant: str, expected: list[str | None]) -> None:
    plain, entities = "", []
    for piece in text.split("["):
        inside, closed, rest = piece.rpartition("]")
        if closed:
            entities.append(Entity(len(plain), len(plain) + len(inside), "e"))
        plain += inside + rest
    found = transferred(entities, plain, variant)
    assert [e and f"{variant[e.start : e.end]}@{e.start}" for e in found] == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("per_example", 0),
        ("per_example", 2.5),
        ("min_confidence", 1.1),
        ("min_way_back", -1),
        ("max_share", 0),
        ("max_variants", True),
    ],
)
def test_settings_out_of_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(SettingsError, match=f"setting {name}: got .*; allowed: "):
        AugmentSettings(**{name: value})  # type: ignore[arg-type]


def test_a_span_beyond_the_text_is_refused() -> None:
    with pytest.raises(InputError, match="allowed: a span within 0 to 5"):
        Example("hello", "greet", (Entity(3, 9, "x"),))


def test_what_the_rewriter_makes_of_a_variant_is_added_for_the_same_example() -> None:
    examples = [Example("Cheap, please.", "price", (Entity(0, 5, "price"),)), Example("Bye.", "bye")]
    found = augmented(examples, {"Cheap, please.": ["I would like cheap food"], "Bye.": ["I have to go"]})
    back = {"I would like cheap food": ["Find cheap food.", "Cheap, please!"], "I have to go": ["Bye."]}
    both = with_rewrites(found, examples, Scripted(back))
    assert [(variant.text, variant.place) for variant in both.variants] == [
        ("I would like cheap food", 0),
        ("I have to go", 1),
        ("Find cheap food.", 0),
    ]
    assert both.variants[2].source == examples[0]
    assert both.variants[2].entities == (Entity(5, 10, "price"),)
    assert (both.examples, both.refused["duplicate"]) == (2, 2)
