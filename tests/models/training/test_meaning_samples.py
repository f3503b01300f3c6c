"""Menus that change from step to step: what a turn means follows the menu, and nothing held out is learnt from."""

import random
from collections import Counter
from pathlib import Path

import pytest

from grice.models.data.circa import CLASSES, JudgedAnswer
from grice.models.meaning.menu import ACTS
from grice.models.meaning.reader import load_meaning_reader
from grice.models.training.meaning import samples
from grice.models.training.meaning.recipe import MeaningRecipe, calibration_menus, divide_hands
from grice.models.training.meaning.samples import MenuTurns, as_written, varied
from grice.models.training.meaning.steps import step_of
from grice.models.training.meaning.written import WrittenBot, read_hand, read_hands

BAKERY = """
== bakery | sells bread
i order_bread | ask for bread to be kept
i cancel_order | call an order off
i ask_hours | ask when it is open
i complain | say what was bad
i ask_price | ask what something costs
i book_course | join a baking course
s grain | what it is made of | rye; wheat
b Shall I keep a loaf?
> i | yes | | we have guests tonight | Yes, keep one. | No.
b Shall I keep a loaf?
> i | no-but:ask_price | | depends on what is in my purse | No, tell me the price. | Yes.
> i | order_bread | grain=rye | sunday without something dark on the table, unthinkable | I'd like rye bread. | I want to complain.
> i | order_bread | | my toaster has been idle for days | I'd like some bread. | I want to complain.
> i | cancel_order | | the guests are not coming | Cancel my order. | Keep it.
> c | - | | lovely morning | Good morning. |
> o | - | | could you fix my bike | Fix my bike. |
> d | - | grain=wheat | wheat | Wheat. |
"""


@pytest.fixture
def bakery(tmp_path: Path) -> WrittenBot:
    (tmp_path / "Z.txt").write_text(BAKERY, encoding="utf-8")
    return read_hand(tmp_path / "Z.txt")[0]


def meanings(menu: MenuTurns) -> dict[str, samples.Meaning | None]:
    return {dialogue.last.text.lower(): target.meaning for dialogue, target in menu.turns}


def test_turns_mean_what_was_written(bakery: WrittenBot) -> None:
    assert list(meanings(as_written(bakery)).values()) == [
        ("act", "yes"),
        ("act", "no-but"),
        ("intent", "order_bread"),
        ("intent", "order_bread"),
        ("intent", "cancel_order"),
        ("act", "courtesy"),
        ("act", "none"),
        ("act", "answer"),
    ]


def test_every_meaning_is_on_its_menu(bakery: WrittenBot) -> None:
    others = read_hands(names=["A", "B"])["A"]
    for seed in range(200):
        menu = varied(bakery, others, random.Random(seed))
        offered = {("intent", intent.name) for intent in menu.schema.intents} | {("act", act) for act in ACTS}
        assert {target.meaning for _, target in menu.turns} <= offered


def test_an_intent_that_is_left_out_is_none_of_them_and_listed_replies_win(bakery: WrittenBot) -> None:
    others = read_hands(names=["A"])["A"]
    seen: Counter[samples.Meaning | None] = Counter()
    replies = {name for wordings in samples.LISTED_REPLIES.values() for name, _ in wordings}
    for seed in range(200):
        menu = varied(bakery, others, random.Random(seed))
        names = {intent.name for intent in menu.schema.intents}
        found = meanings(menu)
        if "cancel_order" not in names and "the guests are not coming" in found:
            seen[found["the guests are not coming"]] += 1
        if names & replies and "we have guests tonight" in found:
            assert found["we have guests tonight"][0] == "intent"  # type: ignore[index]
    assert set(seen) == {samples.NOTHING}


def test_an_example_of_an_intent_is_no_turn_to_read(bakery: WrittenBot) -> None:
    others = read_hands(names=["A"])["A"]
    given = 0
    for seed in range(200):
        menu = varied(bakery, others, random.Random(seed))
        examples = {text for intent in menu.schema.intents for text in intent.examples}
        given += bool(examples)
        direct = {turn.direct: turn.text for turn in bakery.turns}
        taken = {direct.get(example, example).lower() for example in examples}
        assert not taken & set(meanings(menu))
    assert given > 20


def test_held_out_hands_and_bots_are_not_learnt_from() -> None:
    recipe = MeaningRecipe()
    material = divide_hands(recipe)
    assert set(material.held) == set(recipe.held_hands)
    train, dev = ({(bot.hand, bot.domain, bot.service) for bot in bots} for bots in (material.train, material.dev))
    assert not train & dev
    assert not {hand for hand, _, _ in train | dev} & {*recipe.held_hands, *recipe.calibration_hands}
    assert {menu.source for menu in calibration_menus(recipe)} == set(recipe.calibration_hands)
    assert 0.03 < len(dev) / len(train) < 0.09


def test_a_curve_takes_a_share_of_the_bots() -> None:
    whole, tenth = (divide_hands(MeaningRecipe(share=share)).train for share in (1.0, 0.1))
    assert 0.05 < len(tenth) / len(whole) < 0.15


def test_answers_of_circa_stand_under_their_question() -> None:
    shares = tuple(float(name == "No") for name in CLASSES)
    dialogue, target = samples.circa_turn(
        JudgedAnswer("X and Y share a flat.", "Did you eat?", "The fridge is empty.", shares, "No")
    )
    assert [turn.text for turn in dialogue.turns] == ["X and Y share a flat.", "Did you eat?", "The fridge is empty."]
    assert target.meaning == ("act", "no")
    assert target.judged == shares


def test_indirect_turns_are_told_with_their_plain_form_and_a_wrong_reading(bakery: WrittenBot) -> None:
    tokens = load_meaning_reader().tokens
    step = step_of(as_written(bakery), tokens)
    written = {turn.text: turn for turn in bakery.turns}
    for (dialogue, _, target), plain, misread in zip(step.turns, step.plain, step.misread, strict=True):
        turn = written[dialogue.last.text]
        told = (turn.direct, turn.wrong) if turn.kind == "indirect" else ("", "")
        assert (target.plain, target.misread) == told
        assert [*plain, *misread] == [piece for text in told if text for piece in tokens.read_options([text])[0]]
