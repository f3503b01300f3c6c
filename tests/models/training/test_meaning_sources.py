"""What the reader of meaning learns from beside the written bots: released dialogues, our requests, a bot's own turns."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import torch
from data_fixtures import write_direct, write_multiwoz
from meaning_fixtures import item, write_items, write_sgd_intents

from grice.models.errors import InputError
from grice.models.schema import IntentSpec
from grice.models.training.meaning.loss import order_loss, plain_loss
from grice.models.training.meaning.own_turns import read_own_menus
from grice.models.training.meaning.released import direct_menus, request_menus, sgd_menus
from grice.models.training.meaning.samples import MenuTurns, Target
from grice.models.training.meaning.written import SlotMention


def targets(menu: MenuTurns) -> dict[str, object]:
    return {dialogue.last.text: target.meaning for dialogue, target in menu.turns}


def test_annotated_turns_in_any_wording(tmp_path: Path) -> None:
    write_sgd_intents(tmp_path)
    wordings = set()
    for seed in range(30):
        (menu,) = sgd_menus(tmp_path / "sgd", random.Random(seed))
        names = [intent.name for intent in menu.schema.intents]
        order = next(name for name in names if name.startswith("OrderCake"))
        wordings.add(order)
        found = targets(menu)
        assert found["A cake of any size, for Ada."] == ("intent", order)
        assert found["What does it cost?"] is None
        replies = {text: found[text] for text in ("Sure.", "No, the little one.", "Thanks, bye.", "Show me others.")}
        if len(names) == 3:  # no replies are listed
            assert replies == {
                "Sure.": ("act", "yes"),
                "No, the little one.": ("act", "no-but"),
                "Thanks, bye.": ("act", "courtesy"),
                "Show me others.": ("act", "no-but"),
            }
        else:
            assert replies["Sure."] in {("intent", name) for name in names}
        size, name = ("size", "name") if order == "OrderCake" else ("extent", "who")
        mentions = {dialogue.last.text: target.mentions for dialogue, target in menu.turns}
        assert mentions["A cake of any size, for Ada."] == {size: SlotMention("any"), name: SlotMention("meant", words="Ada")}
        assert mentions["No, the little one."] == {size: SlotMention("meant", ("small",))}
        assert mentions["Thanks, bye."] == {}
        assert mentions["Sure."] is None  # it may take over what the bot proposed
        assert mentions["For my little sister."] is None  # the name that is annotated is not in its words
    assert wordings == {"OrderCake", *(f"OrderCakeAs{variant}" for variant in "12345")}


def test_requests_to_slots_of_different_services() -> None:
    intents = [IntentSpec(name, "") for name in ("a", "b", "c", "d")]
    menus = list(request_menus([intents], random.Random(0), count=20))
    assert len(menus) == 20
    said, sizes = set(), set()
    for menu in menus:
        slots = {slot.name: slot for slot in menu.schema.slots}
        assert len(menu.schema.intents) in (0, 3)
        sizes.add((len(menu.schema.intents), len(slots)))
        for _, target in menu.turns:
            assert target.meaning is None
            assert target.mentions is not None
            for name, mention in target.mentions.items():
                said.add(mention.said)
                assert set(mention.values) <= set(slots[name].values)
                assert (len(mention.values) > 1) == (mention.said == "ambiguous")
    assert said == {"meant", "ambiguous"}
    assert {count for _, count in sizes} == {1, 2, 3, 4}
    assert {count for count, _ in sizes} == {0, 3}


def test_own_turns_with_the_same_menu_are_read_together(tmp_path: Path) -> None:
    other = item(9, intents=[{"name": "pay_fine", "description": "pay what is due"}], gold_intent="pay_fine")
    path = write_items(
        tmp_path / "items.jsonl",
        item(1),
        other,
        item(2, kind="direct", text="Harbour.", gold_intent=None, gold_slots={"branch": "harbour"}),
        item(3, kind="courtesy", text="Thanks!", gold_intent=None),
        item(4, kind="out_of_scope", text="Sing!", gold_intent=None, gold_slots={}),
        item(5, kind="direct", text="Either.", gold_intent=None, gold_slots={"branch": "dontcare"}),
    )
    library, fines = read_own_menus(path)
    assert [target.meaning for _, target in fines.turns] == [("intent", "pay_fine")]
    assert [target.meaning for _, target in library.turns] == [
        ("intent", "renew_loan"),
        *(("act", act) for act in ("answer", "courtesy", "none", "answer")),
    ]
    assert library.turns[1][1].mentions == {"branch": SlotMention("meant", ("harbour",))}
    assert library.turns[4][1].mentions == {"branch": SlotMention("any")}


def test_many_own_turns_make_several_menus(tmp_path: Path) -> None:
    menus = read_own_menus(write_items(tmp_path / "items.jsonl", *(item(number) for number in range(90))))
    assert [len(menu.turns) for menu in menus] == [40, 40, 10]


def test_a_value_that_the_menu_does_not_have(tmp_path: Path) -> None:
    path = write_items(tmp_path / "items.jsonl", item(1), item(2, gold_slots={"branch": "attic"}))
    with pytest.raises(InputError, match="line 2, gold_slots, branch: got 'attic'; allowed: main, harbour, dontcare"):
        read_own_menus(path)


def test_forms_of_a_turn_are_compared_with_each_other_alone(tmp_path: Path) -> None:
    write_multiwoz(tmp_path / "multiwoz21")
    write_direct(tmp_path)
    menus = list(direct_menus(tmp_path, [[IntentSpec("a", "")]], random.Random(0), part="train"))
    assert menus
    for menu in menus:
        for _, target in menu.turns:
            assert target.compared is not None
            assert (target.meaning, target.mentions) == (None, None)
            assert target.kind == ("direct", None, "indirect")[target.compared[1]]
            assert bool(target.plain) == (target.kind == "indirect")


def test_the_more_direct_form_shall_have_the_larger_score() -> None:
    targets = [
        Target(None, compared=("one", 0)),
        Target(None, compared=("one", 2)),
        Target(None, compared=("two", 1)),
        Target(None),
    ]
    right, wrong = (float(order_loss(torch.tensor(scores), targets)) for scores in ([3.0, -3.0, 9.0, 9.0], [-3.0, 3.0, 9.0, 9.0]))
    assert right == pytest.approx(float(np.log1p(np.exp(-6))))
    assert wrong == pytest.approx(float(np.log1p(np.exp(6))))
    assert float(order_loss(torch.zeros(2), [Target(None), Target(None)])) == 0


def test_the_plain_form_shall_lie_nearer_than_other_forms_and_wrong_readings() -> None:
    plain, misread = [(1, 2), (), (1, 2, 3)], [(4,), (), ()]
    near = {(4,): 0, (1, 2): 1, (1, 2, 3): 2}

    def loss(*turns: int) -> float:
        vectors = torch.eye(3)
        read = [vectors[near[text]] for text in sorted(near, key=len)]
        return float(plain_loss(vectors[list(turns)], plain, misread, lambda texts: torch.stack(read), torch.tensor(5.0)))

    right, wrong_reading, swapped = loss(1, 0, 2), loss(0, 0, 2), loss(2, 0, 1)
    assert right == pytest.approx(2 * np.log1p(2 * np.exp(-5)), abs=1e-4)
    assert right < wrong_reading < swapped
    assert float(plain_loss(torch.eye(3), [(), (), ()], [(), (), ()], lambda _: torch.eye(3), torch.tensor(5.0))) == 0
