"""A learning curve of the written material: shares hold whole bots, one within the other, and may be given equally many steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from meaning_fixtures import item, write_items

from grice.models.errors import InputError
from grice.models.training.meaning.recipe import SIZES, MeaningRecipe, divide_hands, menus_of_epoch, train_meaning
from grice.models.training.trainer import Schedule

BOT = """
== shop {0} | sells things
i order_{0} | ask for something to be kept
i ask_hours | ask when it is open
> i | order_{0} | | we have guests tonight, number {0} | Keep one for me. | No.
> d | ask_hours | | when do you open, number {0} | When are you open? |
"""
BOTS = 60


@pytest.fixture
def recipe(tmp_path: Path) -> MeaningRecipe:
    hands = tmp_path / "hands"
    hands.mkdir()
    (hands / "Z.txt").write_text("".join(BOT.format(number) for number in range(BOTS)), encoding="utf-8")
    items = write_items(tmp_path / "items.jsonl", *(item(number) for number in range(3)))
    return MeaningRecipe(dev=0.05, hands=str(hands), sources=(), items=str(items))


@pytest.mark.parametrize("size", sorted(SIZES))
def test_shares_hold_whole_bots_one_within_the_other(recipe: MeaningRecipe, size: str) -> None:
    def learnt(share: float, seed: int = 0) -> set[str]:
        bots = divide_hands(replace(recipe, size=size, share=share, seed=seed)).train
        assert all(len(bot.turns) == 2 for bot in bots)
        return {bot.domain for bot in bots}

    shares = [learnt(share) for share in (0.1, 0.3, 0.6, 1)]
    assert all(less < more for less, more in pairwise(shares))
    assert learnt(0.3, seed=7) == shares[1]
    judged = [{bot.domain for bot in divide_hands(replace(recipe, share=share)).dev} for share in (0.1, 1)]
    assert judged[0] == judged[1]
    assert not judged[0] & shares[-1]


def sources(recipe: MeaningRecipe, epoch: int = 0) -> Counter[str]:
    return Counter(menu.source for menu in menus_of_epoch(Path("nowhere"), divide_hands(recipe), recipe, epoch))


def test_with_equally_many_steps_the_mixture_is_the_same_whatever_the_share(recipe: MeaningRecipe) -> None:
    all_bots = len(divide_hands(recipe).train)
    some = replace(recipe, share=0.3)
    assert sources(some) == {"Z": len(divide_hands(some).train), "own": 1}
    whole = all_bots + 1
    for share in (0.1, 0.3, 1.0):
        assert sources(replace(recipe, share=share, steps=2 * whole)) == {"Z": 2 * all_bots, "own": 2}
        assert sources(replace(recipe, share=share, steps=whole + 5)).total() == whole + 5
        assert sources(replace(recipe, share=share, steps=5)).total() == 5


def test_a_bot_that_is_repeated_is_varied_anew(recipe: MeaningRecipe) -> None:
    few = replace(recipe, share=0.1, steps=200, items="")
    menus = menus_of_epoch(Path("nowhere"), divide_hands(few), few, 0)
    names = Counter(menu.schema.fingerprint for menu in menus)
    assert len(names) > 2 * len(divide_hands(few).train)
    assert menus == menus_of_epoch(Path("nowhere"), divide_hands(few), few, 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"share": 1e-9}, r"share: got 1e-09; allowed: a larger one: no written bot is in it"),
        ({"steps": -1}, r"steps: got -1; allowed: a whole number, 0 for as many as the epochs have"),
    ],
)
def test_nothing_to_learn_from_is_refused(recipe: MeaningRecipe, given: dict[str, float], message: str, tmp_path: Path) -> None:
    wanted = replace(recipe, schedule=Schedule(epochs=1, learning_rate=0.0), **given)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message):
        train_meaning(tmp_path, tmp_path / "out", wanted)
