"""`from grice import …`: what is there, and that it comes when it is asked for."""

from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
import threading
from importlib.metadata import version
from pathlib import Path

import pytest

import grice
import grice.middleware
import grice.models
from grice import Dialogue, Pipeline
from grice.models.results import Directness, Rewrite


@pytest.mark.parametrize("package", ["grice", "grice.models", "grice.middleware", "grice.middleware.client"])
def test_a_package_offers_what_it_says(package: str) -> None:
    found = importlib.import_module(package)
    assert list(found.__all__) == sorted(set(found.__all__))
    for name in found.__all__:
        if name not in ("Client", "AsyncClient", "LiveEvent", "Remote", "RemoteMonitor", "RemoteService", "remote_service"):
            assert getattr(found, name) is not None
    assert set(dir(found)) == set(found.__all__)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'Grize'"):
        _ = found.Grize


def test_the_version() -> None:
    assert grice.__version__ == version("grice")


def test_what_is_not_asked_for_is_not_imported() -> None:
    code = (
        "import sys, grice, grice.models, grice.middleware; sys.exit(any(name in sys.modules for name in ('numpy', 'onnxruntime')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_others_may_have_subpackages_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "grice" / "elsewhere").mkdir(parents=True)
    (tmp_path / "grice" / "elsewhere" / "__init__.py").write_text("HERE = True\n")
    code = "import sys; sys.path.append(sys.argv[1])\nfrom grice.elsewhere import HERE\nfrom grice import Dialogue"
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


class Waiting:
    """A model that waits until the event loop has gone on."""

    def __init__(self) -> None:
        self.went_on = threading.Event()

    def predict(self, dialogues: object) -> list[Directness]:
        assert self.went_on.wait(10)
        return [Directness(0.9, 0, 0)]


class Silent:
    def predict(self, dialogues: object) -> list[Rewrite]:
        raise AssertionError


def test_an_analysis_does_not_keep_the_event_loop_waiting() -> None:
    model = Waiting()

    async def run() -> str:
        analysis = asyncio.ensure_future(Pipeline(model, Silent()).apredict([Dialogue.of("Book it.")]))
        await asyncio.sleep(0.05)
        model.went_on.set()
        (found,) = await analysis
        return found.decision

    assert asyncio.run(run()) == "pass"


def test_models_load_without_keeping_the_event_loop_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Waiting()

    def load(cls: type[Pipeline], settings: object = None) -> Pipeline:
        assert model.went_on.wait(10)
        return cls(model, Silent())

    monkeypatch.setattr(Pipeline, "load", classmethod(load))

    async def run() -> Pipeline:
        loading = asyncio.ensure_future(Pipeline.aload())
        await asyncio.sleep(0.05)
        model.went_on.set()
        return await loading

    assert isinstance(asyncio.run(run()), Pipeline)
