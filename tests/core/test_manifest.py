import gzip
import json
import shutil
from pathlib import Path

import pytest

from grice.models import load_directness_scorer, load_rewriter
from grice.models.errors import ModelNotFound, WeightsError
from grice.models.manifest import PRETRAINED, read_manifest, shipped, write_manifest
from grice.models.runtime.runtime import Runtime

MEGABYTES = 95


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PRETRAINED / "directness", tmp_path / "directness"))


def test_shipped_models_are_listed_and_whole() -> None:
    assert {"directness", "rewriter"} <= set(shipped())
    for name in shipped():
        manifest = read_manifest(name)
        assert "int8" in manifest.precisions or "encoder" in manifest.settings  # heads read an encoder that has
        for file in manifest.files:
            assert manifest.path(file).is_file()


def test_shipped_weights_stay_small() -> None:
    assert sum(path.stat().st_size for path in PRETRAINED.rglob("*") if path.is_file()) < MEGABYTES * 10**6


def test_unknown_name_lists_the_shipped_ones() -> None:
    with pytest.raises(ModelNotFound, match=r"model 'no-such' not found; shipped models: .*rewriter"):
        load_rewriter("no-such")


def test_model_of_another_task_is_refused() -> None:
    with pytest.raises(WeightsError, match="for directness, not for rewriting"):
        load_rewriter("directness")


def test_missing_file(copy: Path) -> None:
    next(copy.glob("*.int8.onnx.gz")).unlink()
    with pytest.raises(WeightsError, match="is missing; install"):
        load_directness_scorer(copy)


def test_truncated_file(copy: Path) -> None:
    path = next(copy.glob("*.int8.onnx.gz"))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(WeightsError, match=r"has \d+ bytes, expected \d+"):
        load_directness_scorer(copy)


def test_altered_file(copy: Path) -> None:
    path = next(copy.glob("*.int8.onnx.gz"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(WeightsError, match=r"has sha256 [0-9a-f]{64}, expected [0-9a-f]{64}"):
        load_directness_scorer(copy)


def test_precision_that_is_not_there_says_which_are(copy: Path) -> None:
    with pytest.raises(WeightsError, match=r"no file encoder\.fp16\.onnx\.gz .* precisions there: int8; `grice export`"):
        load_directness_scorer(copy, runtime=Runtime(precision="fp16"))


@pytest.mark.parametrize("content", ["{", "[]", '{"name": "x"}'])
def test_damaged_manifest(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(WeightsError, match=r"manifest\.json"):
        read_manifest(tmp_path)


def test_write_manifest_lists_what_is_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "encoder.int8.onnx.gz").write_bytes(b"abc")
    (tmp_path / "README.md").write_text("card")
    write_manifest(tmp_path, {"name": "x", "version": "1", "task": "t"})
    files = json.loads((tmp_path / "manifest.json").read_text())["files"]
    assert list(files) == ["encoder.int8.onnx.gz"]
    assert read_manifest(tmp_path).path("encoder.int8.onnx.gz").read_bytes() == b"abc"


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (b"not a model", "cannot be unpacked: Not a gzipped file"),
        (gzip.compress(b"half a model", mtime=0)[:-9], "cannot be unpacked: "),
        (gzip.compress(b"not a model", mtime=0), "onnxruntime cannot load it"),
    ],
)
def test_a_graph_that_is_none(copy: Path, graph: bytes, said: str) -> None:
    content = json.loads((copy / "manifest.json").read_text())
    next(copy.glob("*.int8.onnx.gz")).write_bytes(graph)
    write_manifest(copy, content)
    with pytest.raises(WeightsError, match=said):
        load_directness_scorer(copy)
