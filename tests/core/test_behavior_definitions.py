"""The nine behaviours in words."""

from __future__ import annotations

import copy
import json
import re
from importlib import resources
from typing import Any

import pytest

from grice.models.behaviors import definitions
from grice.models.behaviors.definitions import DEFINITIONS, MAXIMS, BehaviorDefinition, definitions_of
from grice.models.errors import InputError
from grice.models.results import BEHAVIORS


def content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        resources.files("grice.models.behaviors").joinpath("definitions.json").read_text(encoding="utf-8")
    )
    return found


def test_all_nine_are_defined_in_order() -> None:
    assert tuple(DEFINITIONS) == BEHAVIORS
    assert all(label == definition.label for label, definition in DEFINITIONS.items())
    assert len({definition.question for definition in DEFINITIONS.values()}) == 9
    assert all(definition.question.endswith("?") for definition in DEFINITIONS.values())


def test_docstrings_name_the_file_that_there_is() -> None:
    named = re.findall(r"`(\w+\.json)`", f"{definitions.__doc__}{definitions_of.__doc__}")
    assert set(named) == {"definitions.json"}


def test_only_empathy_is_desired() -> None:
    assert [label for label, definition in DEFINITIONS.items() if definition.desired] == ["Emp"]


def test_every_maxim_is_explained_and_grices_are_among_them() -> None:
    assert tuple(content()["maxims"]) == MAXIMS
    assert MAXIMS[:4] == ("quality", "quantity", "relation", "manner")
    assert DEFINITIONS["!Fac"].maxim == "quality"
    assert DEFINITIONS["Red"].maxim == "quantity"
    assert DEFINITIONS["!Rel"].maxim == "relation"
    assert DEFINITIONS["!Emp"].maxim == "sympathy"


def test_definitions_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        DEFINITIONS["Emp"] = DEFINITIONS["Red"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda entries: entries.pop(), "behaviors: got 'Emp, !Emp.*; allowed: each once, in this order: Emp, !Emp"),
        (lambda entries: entries.append(entries[0]), "each once, in this order"),
        (lambda entries: entries.reverse(), "each once, in this order"),
        (lambda entries: entries[2].update(label="!Odd"), "behavior: got '!Odd'"),
        (lambda entries: entries[2].update(maxim="kindness"), "maxim of !Com: got 'kindness'; allowed: quality, quantity"),
        (lambda entries: entries[2].update(question=" "), "question of !Com: got ' '; allowed: a text"),
        (lambda entries: entries[2].pop("desired"), "keys of a behavior: .*desired"),
        (lambda entries: entries[2].update(colour="red"), "keys of a behavior: "),
    ],
)
def test_a_file_that_is_not_complete_is_refused(change: Any, message: str) -> None:
    changed = copy.deepcopy(content())
    change(changed["behaviors"])
    with pytest.raises(InputError, match=message):
        definitions_of(changed)


def test_a_definition_is_checked_by_itself() -> None:
    with pytest.raises(InputError, match="definition of Red: got ''; allowed: a text"):
        BehaviorDefinition("Red", "redundant", "quantity", "It repeats.", False, "Does it repeat?", "")
