"""The check that adapters are tested with: the real pipeline and monitor on models that tell their answer from the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fake_models import fake_monitor, fake_pipeline

from grice.integrations import CheckPolicy, ConversationCheck, ScoredReply


@pytest.fixture
def told() -> list[ScoredReply]:
    """The replies that were scored."""
    return []


@pytest.fixture
def make_check(told: list[ScoredReply]) -> Iterator[Callable[..., ConversationCheck]]:
    """Makes a check; what is given are fields of its policy."""
    made: list[ConversationCheck] = []

    def make(pipeline: Any = None, **policy: Any) -> ConversationCheck:
        chosen = CheckPolicy(**{"budget_ms": 20_000, "reply_budget_ms": 20_000, **policy})
        made.append(ConversationCheck(pipeline or fake_pipeline(), fake_monitor(), chosen, tell=told.append))
        return made[-1]

    yield make
    for each in made:
        each.finish()
