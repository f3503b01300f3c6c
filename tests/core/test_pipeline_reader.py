"""The reader of meaning that the pipeline uses is the one that the settings name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifier_fakes import Indirect, Writer

from grice.middleware import Pipeline, PipelineSettings
from grice.middleware.capabilities.capability import Loading
from grice.middleware.capabilities.turns import TURNS
from grice.models.errors import ModelNotFound
from grice.models.manifest import FILE, read_manifest
from grice.models.meaning.reader import MeaningReader


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder as `grice calibrate meaning` writes it: the shipped weights with another threshold."""
    shipped = read_manifest("meaning").folder
    folder = tmp_path / "own"
    folder.mkdir()
    for path in shipped.iterdir():
        if path.name != FILE:
            (folder / path.name).symlink_to(path)
    content = json.loads((shipped / FILE).read_text(encoding="utf-8"))
    content["settings"]["threshold"] = 0.123
    (folder / FILE).write_text(json.dumps(content), encoding="utf-8")
    return folder


def threshold_of(pipeline: Pipeline) -> float:
    reader = pipeline.menu_rewriter.reader
    assert isinstance(reader, MeaningReader)
    return reader.threshold


def test_turns_with_a_menu_are_read_by_it(own: Path) -> None:
    settings = PipelineSettings(meaning_model=str(own))
    assert threshold_of(Pipeline(Indirect(), Writer("Book it."), settings)) == 0.123
    assert threshold_of(Pipeline(Indirect(), Writer("Book it."))) != 0.123


def test_a_loaded_pipeline_and_the_turns_of_a_backend_are_read_by_it(own: Path) -> None:
    settings = PipelineSettings(meaning_model=str(own))
    loaded = Pipeline.load(settings)
    assert threshold_of(loaded) == 0.123
    backend = TURNS.load(Loading(pipeline=settings, loaded={"directness": loaded.directness}))
    assert threshold_of(backend) == 0.123


def test_a_name_that_nothing_has_is_refused() -> None:
    with pytest.raises(ModelNotFound, match="model 'nobody' not found"):
        Pipeline.load(PipelineSettings(meaning_model="nobody"))
