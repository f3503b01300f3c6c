"""Rules of alerts from a JSON file, and those that hold without one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from grice.middleware.alerts.rules import AlertRule, ChangeRule, ThresholdRule
from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.errors import SettingsError

UNDESIRED = tuple(label for label, definition in DEFINITIONS.items() if not definition.desired)

DEFAULT_RULES: tuple[AlertRule, ...] = (
    ThresholdRule("many alarms", (), window_s=3600, above=0.1, source="alarms"),
    ChangeRule("more alarms than before", (), window_s=900, baseline_s=86_400, source="alarms"),
    ThresholdRule("often", UNDESIRED, window_s=3600, above=0.3),
    ChangeRule("more than before", UNDESIRED, window_s=900, baseline_s=86_400),
    ChangeRule("less empathy than before", ("Emp",), window_s=900, baseline_s=86_400, direction="down"),
)
"""A start, to be replaced by what is usual for a bot. People found no behaviour but `Emp` in more than 20.4 % of ABC-Eval's
responses (!Com, 333 of 1,634; Finch et al. 2023, Table 14)."""

_KINDS: dict[str, type[ThresholdRule] | type[ChangeRule]] = {rule.kind: rule for rule in (ThresholdRule, ChangeRule)}


def read_rules(path: str | Path) -> tuple[AlertRule, ...]:
    """The rules in a file `{"rules": [{"kind": "threshold", "name": …, …}, …]}`.

    `kind` is `threshold` or `change`; the other keys are the attributes of `ThresholdRule` and `ChangeRule`. With another
    source than `behaviors` there need be no `behaviors`.

    Raises:
        SettingsError: the file cannot be read, or a key or a value in it is not usable.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError("alert_rules", str(path), f"the path of a JSON file ({type(error).__name__})") from error
    except ValueError as error:
        raise SettingsError("alert_rules", str(path), f"a file of JSON ({error})") from error
    if not isinstance(content, dict) or set(content) != {"rules"} or not isinstance(content["rules"], list):
        raise SettingsError("alert_rules", content, 'a JSON object {"rules": […]} and nothing else')
    rules = tuple(_rule(values) for values in content["rules"])
    _check_unique([rule.name for rule in rules])
    return rules


def _rule(values: Mapping[str, Any]) -> AlertRule:
    if not isinstance(values, dict) or str(values.get("kind")) not in _KINDS:
        raise SettingsError("a rule of alert_rules", values, f"an object with kind: {', '.join(_KINDS)}")
    kind = _KINDS[str(values["kind"])]
    given = {name: value for name, value in values.items() if name != "kind"}
    if given.get("source", "behaviors") != "behaviors":
        given.setdefault("behaviors", ())
    known = [each.name for each in fields(kind)]
    for name in given:
        if name not in known:
            raise SettingsError(f"{name} of a rule", "a value", f"no such key; there are: kind, {', '.join(known)}")
    try:
        return kind(**given)
    except TypeError as error:
        raise SettingsError("a rule of alert_rules", values, f"an object with what it needs ({error})") from error


def _check_unique(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise SettingsError("name of a rule", name, "a name that no other rule has")
