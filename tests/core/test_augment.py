"""The shipped rewriter makes variants of examples of ours; the core is all it needs."""

import subprocess
import sys

import pytest

from grice.middleware.authoring.augment import Augmentation, AugmentSettings, Entity, Example, VariantModels, indirect_variants
from grice.middleware.turns.guard import Guard
from grice.models import Dialogue, load_rewriter
from grice.models.runtime.runtime import Runtime

EXAMPLES = (
    Example("Find me a cheap restaurant in the centre", "find", (Entity(10, 15, "price"), Entity(34, 40, "area"))),
    Example("Book a table for four people at 7pm", "book", (Entity(17, 21, "people"), Entity(32, 35, "time", "19:00"))),
    Example(
        "I want to travel from Ely to Cambridge", "ride", (Entity(22, 25, "city", None, "from"), Entity(29, 38, "city", None, "to"))
    ),
    Example("What is the phone number of the restaurant?", "phone"),
    Example("hello", "greet"),
    Example("cancel my booking", "cancel"),
)


@pytest.fixture(scope="module")
def found() -> Augmentation:
    return indirect_variants(
        EXAMPLES,
        VariantModels(
            load_rewriter(form="indirect", beams=8, runtime=Runtime(workers=1)), load_rewriter(runtime=Runtime(workers=1))
        ),
        AugmentSettings(),
    )


def test_examples_about_the_town_have_variants_with_all_entities(found: Augmentation) -> None:
    made = {intent: [v for v in found.variants if v.intent == intent] for intent in ("find", "book", "ride", "phone")}
    assert all(1 <= len(variants) <= 2 for variants in made.values())
    for variant in found.variants:
        words = {e.label: variant.text[e.start : e.end] for e in variant.entities}
        assert words == {e.label: variant.source.text[e.start : e.end] for e in variant.source.entities}
        assert not Guard().check(Dialogue.of(variant.source.text), variant.text)


def test_set_phrases_that_the_rewriter_does_not_understand_are_left_alone(found: Augmentation) -> None:
    assert not [variant.text for variant in found.variants if variant.intent in ("greet", "cancel")]
    assert found.refused["way back"] > 0


def test_the_same_examples_give_the_same_variants(found: Augmentation) -> None:
    rewriter, back = load_rewriter(form="indirect", beams=8, runtime=Runtime(workers=1)), load_rewriter(runtime=Runtime(workers=1))
    again = indirect_variants(EXAMPLES, VariantModels(rewriter, back))
    assert again == found
    alone = indirect_variants(EXAMPLES[1:2], VariantModels(rewriter, back))
    assert [variant.text for variant in alone.variants] == [v.text for v in found.variants if v.intent == "book"]


def test_importing_it_needs_the_core_only() -> None:
    heavy = ("ruamel", "tqdm", "fastapi", "pydantic", "torch", "rasa")
    code = f"import sys, grice.middleware.cli.augment; sys.exit([name for name in {heavy} if name in sys.modules] or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
