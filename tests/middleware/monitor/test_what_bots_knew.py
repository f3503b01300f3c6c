"""What a bot knew, as an event tells it: read where it has the form, left out where it has not."""

from __future__ import annotations

from typing import Any

import pytest

from grice.middleware.monitor.known import MOST_KNOWN, question_of
from grice.models.dialogue import Dialogue, Turn
from grice.models.relations.results import RelationQuestion
from grice.models.relations.rows import text_rows

DIALOGUE = Dialogue((Turn("user", "Is it open?"), Turn("bot", "Until nine.")))


def test_documents_rows_policy_and_setting_are_read() -> None:
    known = {"documents": ["Open until 9 pm."], "facts": [{"closes": 21}], "policy": ["Be brief."], "setting": "task"}
    asked = question_of(DIALOGUE, {"grice": {"known": known}})
    assert asked == RelationQuestion(DIALOGUE, ("Open until 9 pm.",), ({"closes": "21"},), ("Be brief.",), "task")


@pytest.mark.parametrize("metadata", [{}, {"grice": None}, {"grice": {"known": "much"}}, {"known": {"facts": [{"a": "b"}]}}])
def test_where_nothing_is_known_the_dialogue_alone_is_asked_about(metadata: dict[str, Any]) -> None:
    assert question_of(DIALOGUE, metadata) is DIALOGUE


def test_what_has_another_form_is_left_out() -> None:
    rows = [["closes"], {"closes": None}, {"closes": 21, "halls": [1, 2]}]
    known = {"documents": "Open.", "facts": rows, "policy": ["", 3, "Be brief."], "setting": "shop"}
    asked = question_of(DIALOGUE, {"grice": {"known": known}})
    assert asked == RelationQuestion(DIALOGUE, (), ({"closes": "21"},), ("Be brief.",))


def test_values_of_rows_are_read_as_they_are_elsewhere() -> None:
    row = {"closes": 21, "fee": 4.5, "open": True, "full": False, "hall": None, "name": "Mill"}
    asked = question_of(DIALOGUE, {"grice": {"known": {"facts": [row]}}})
    assert isinstance(asked, RelationQuestion)
    assert asked.facts == ({"closes": "21", "fee": "4.5", "open": "yes", "full": "no", "name": "Mill"},)
    assert asked.facts == text_rows([row])


def test_no_more_than_so_many_are_read() -> None:
    asked = question_of(DIALOGUE, {"grice": {"known": {"documents": ["Open."] * (MOST_KNOWN + 1)}}})
    assert isinstance(asked, RelationQuestion)
    assert len(asked.documents) == MOST_KNOWN
