"""`GRICE_ALARM_BUDGET`: thresholds of another budget, where the model knows them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from grice.middleware.monitor import Monitor, MonitorSettings
from grice.middleware.settings import from_environment
from grice.models.errors import InputError, ManifestError, SettingsError
from grice.models.manifest import PRETRAINED, read_manifest
from grice.models.relations.budget import STEPS, AlarmThresholds, fine_of
from grice.models.relations.labels import SETTINGS


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The shipped reader with thresholds of other budgets, without them, and with bad ones."""
    steps = [1 - step / (STEPS - 1) for step in range(STEPS)]
    found: dict[str, Path] = {}
    for name, fine in {"with": steps, "without": None, "short": steps[1:], "rising": steps[::-1]}.items():
        folder = tmp_path_factory.mktemp(name) / "relations"
        shutil.copytree(PRETRAINED / "relations", folder)
        content = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        content["settings"].pop("fine", None)
        if fine is not None:
            content["settings"]["fine"] = dict.fromkeys(SETTINGS, fine)
        (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
        found[name] = folder
    return found


def monitor_of(folder: Path, **variables: str) -> Monitor:
    return Monitor.load(from_environment(MonitorSettings, {"GRICE_RELATIONS_MODEL": str(folder), **variables}))


def test_a_budget_of_the_environment_sets_the_thresholds_where_the_model_knows_them(folders: dict[str, Path]) -> None:
    thresholds = monitor_of(folders["with"], GRICE_ALARM_BUDGET="3").relations.thresholds  # type: ignore[union-attr]
    assert thresholds.settings == dict.fromkeys(SETTINGS, pytest.approx(0.97))
    assert thresholds.budget == 3
    before = monitor_of(folders["with"]).relations.thresholds  # type: ignore[union-attr]
    assert before == AlarmThresholds.of(read_manifest("relations"))
    assert thresholds.labels == before.labels
    with pytest.raises(
        InputError, match=r"alarm_budget: got 3\.0; allowed: no such setting with this model.*grice calibrate monitor"
    ):
        monitor_of(folders["without"], GRICE_ALARM_BUDGET="3")


def test_a_budget_that_cannot_be_is_named(folders: dict[str, Path]) -> None:
    with pytest.raises(SettingsError, match="alarm_budget: got 101"):
        from_environment(MonitorSettings, {"GRICE_ALARM_BUDGET": "101"})
    for more in ({"GRICE_RELATIONS_MODEL": ""}, {"GRICE_ALARM_SETTINGS": "alarms.json"}):
        with pytest.raises(SettingsError, match=r"alarm_budget: got 3.*only with relations_model, and without alarm_settings"):
            from_environment(MonitorSettings, {"GRICE_ALARM_BUDGET": "3", **more})
    for name in ("short", "rising"):
        with pytest.raises(ManifestError, match=r"fine\.chat.*201 numbers"):
            fine_of(read_manifest(folders[name], "relations"))
