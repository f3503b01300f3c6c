"""Texts that are read together have the states that each has alone."""

from __future__ import annotations

import random

import pytest
import torch
from torch import Tensor

from grice.models.training.sentence_trunk import SentenceTrunk, TrunkShape, group_by_length, padded

PAD = 1


@pytest.fixture
def trunk() -> SentenceTrunk:
    torch.manual_seed(0)
    return SentenceTrunk(TrunkShape(100, 3, 24, 3, 48, 66, 2, True, 1e-5, "")).eval()


def drawn(count: int, longest: int = 60) -> list[tuple[int, ...]]:
    """Texts of random pieces, of all lengths, some twice."""
    chance = random.Random(0)
    texts = [tuple(chance.randrange(2, 100) for _ in range(chance.randint(1, longest))) for _ in range(count)]
    return [*texts, *texts[: count // 4]]


def test_each_text_has_the_states_that_it_has_alone(trunk: SentenceTrunk) -> None:
    texts = drawn(40)
    found = trunk.read_together(texts, PAD)
    assert set(found) == set(texts)
    for text, states in found.items():
        ids, mask = padded([text], PAD)
        torch.testing.assert_close(states, trunk(ids, mask)[0], atol=1e-5, rtol=1e-4)


def test_every_weight_learns_the_same_as_from_texts_one_by_one(trunk: SentenceTrunk) -> None:
    texts = list(dict.fromkeys(drawn(12)))

    def slopes(total: Tensor) -> dict[str, Tensor]:
        trunk.zero_grad(set_to_none=True)
        total.backward()
        return {name: value.grad.clone() for name, value in trunk.named_parameters() if value.grad is not None}

    together = slopes(torch.stack([states.square().mean() for states in trunk.read_together(texts, PAD).values()]).sum())
    alone = slopes(torch.stack([trunk(*padded([text], PAD)).square().mean() for text in texts]).sum())
    assert set(together) == set(alone) == {name for name, _ in trunk.named_parameters()}
    for name, value in alone.items():
        torch.testing.assert_close(together[name], value, atol=1e-5, rtol=1e-3)


@pytest.mark.parametrize("count", [1, 7, 80])
def test_groups_have_each_text_once_and_little_padding(count: int) -> None:
    texts = drawn(count)
    groups = group_by_length(texts)
    flat = [text for group in groups for text in group]
    assert sorted(flat) == sorted(set(texts))
    for group in groups:
        longest, shortest = max(map(len, group)), min(map(len, group))
        assert longest - shortest <= max(2, 0.2 * longest)
    padding = sum(max(map(len, group)) * len(group) for group in groups) / sum(map(len, flat))
    assert padding < 1.2
