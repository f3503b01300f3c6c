"""Stored predictions are bound by hash to weights, recipe and encoder; a run with others says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rectom_fixtures import DIALOGUES, write_rectom

from grice.benchmarks.core import folds as core_folds
from grice.benchmarks.core import report, runner
from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.folds import bind, differences, hash_recipe
from grice.benchmarks.rectom import benchmark as rectom
from grice.benchmarks.rectom.benchmark import RectomOptions
from grice.models.data import rectom as data
from grice.models.manifest import FILE, PRETRAINED, Manifest, read_manifest, write_manifest

SHIPPED = [("abceval", "behaviors"), ("persuasion", "intentions"), ("rectom", "mind")]
ROOT = Path(core_folds.__file__).parents[1]
ENCODER = {"name": "ears", "files": {"ears.onnx.gz": "a" * 64}}
RECIPE = {"networks": 2, "axes": [3, 4]}


@pytest.fixture
def model(tmp_path: Path) -> Manifest:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "heads.npz").write_bytes(b"weights")
    facts = {"name": "toy", "version": "1", "task": "minds"}
    write_manifest(folder, {**facts, "settings": {"encoder": ENCODER}, "training": {"recipe": RECIPE}})
    return read_manifest(folder)


def stored(model: Manifest) -> dict[str, Any]:
    return {"about": {"recipe": RECIPE, "encoder": ENCODER}, "bound": bind(model), "folds": {}}


@pytest.mark.parametrize(("benchmark", "name"), SHIPPED)
def test_the_stored_folds_are_those_of_the_shipped_weights(benchmark: str, name: str) -> None:
    content = json.loads((ROOT / benchmark / "folds.json").read_text(encoding="utf-8"))
    assert differences(content, read_manifest(PRETRAINED / name)) == []


def test_a_recipe_is_known_whatever_the_order_of_its_keys() -> None:
    assert hash_recipe({"axes": [3, 4], "networks": 2}) == hash_recipe(RECIPE)
    assert hash_recipe({**RECIPE, "axes": [4, 3]}) != hash_recipe(RECIPE)


@pytest.mark.parametrize(
    ("change", "differing"),
    [
        (lambda content: None, []),
        (lambda content: content.pop("bound"), ["they are bound to none"]),
        (lambda content: content["bound"]["weights"].update({"heads.npz": "0" * 64}), ["another weights"]),
        (lambda content: content["bound"].update(recipe="0" * 64), ["another recipe"]),
        (lambda content: content["about"].update(recipe={}), ["another recipe"]),
        (lambda content: content["about"].update(encoder={"files": {}}), ["another encoder"]),
        (lambda content: content["bound"].update(model="other"), ["another model"]),
    ],
)
def test_what_differs_is_named(model: Manifest, change: Any, differing: list[str]) -> None:
    content = json.loads(json.dumps(stored(model)))
    change(content)
    assert differences(content, model) == differing


def test_other_weights_are_said_in_the_output(tmp_path: Path, model: Manifest) -> None:
    write_rectom(tmp_path)
    predictions = {task: {each.question_id: "A" for each in rows} for task, rows in data.read(tmp_path).items()}
    folds = {str(100 + number): number % 3 for number in range(DIALOGUES)}
    path = tmp_path / "folds.json"
    path.write_text(json.dumps({**stored(model), "folds": folds, "predictions": predictions}), encoding="utf-8")

    def notes(options: RectomOptions) -> str:
        benchmark = Benchmark("rectom", RectomOptions, rectom.SYSTEMS, (), lambda options: rectom.evaluate(options, folds=path))
        found = runner.run(benchmark, options, "grice bench rectom")
        assert len(found.run.options["folds_sha256"]) == 64
        return report.text(found)

    assert "stored folds" not in notes(RectomOptions(tmp_path, mind=str(model.folder)))
    assert "stored folds: NOT those of the weights of mind at hand: another model, another recipe" in notes(RectomOptions(tmp_path))
    (model.folder / FILE).unlink()
    found = rectom.evaluate(RectomOptions(tmp_path, mind=str(model.folder)), folds=path)
    assert any("they are bound to no weights at hand" in note for note in found.notes)


def test_a_file_is_bound_to_the_model_it_was_made_for(tmp_path: Path, model: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "folds.json"
    unbound = {key: value for key, value in stored(model).items() if key != "bound"}
    path.write_text(json.dumps(unbound), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["folds", str(path), str(model.folder)])
    core_folds.main()
    assert json.loads(path.read_text(encoding="utf-8")) == stored(model)
    path.write_text(json.dumps({**unbound, "about": {"recipe": {}, "encoder": ENCODER}}), encoding="utf-8")
    with pytest.raises(SystemExit, match="was not made for toy: another recipe"):
        core_folds.main()
