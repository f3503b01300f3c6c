"""The town-information bot of `rasa_project/`: copied, trained and started once a session, so that the tree stays as it is."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

SOURCE = Path(__file__).parents[2] / "rasa_project"


@pytest.fixture(scope="session")
def bot_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project without what running it leaves behind."""
    copy = tmp_path_factory.mktemp("town") / "rasa_project"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns(".run", ".rasa", "models", "results", "__pycache__"))
    return copy


@pytest.fixture(scope="session")
def live(bot_project: Path) -> Iterator[Any]:
    """The modules of the copy's `live` package."""
    sys.path.insert(0, str(bot_project))
    try:
        names = ("servers", "conversations", "training")
        yield SimpleNamespace(**{name: importlib.import_module(f"live.{name}") for name in names})
    finally:
        sys.path.remove(str(bot_project))


@pytest.fixture(scope="session")
def bot_model(live: Any) -> Path:
    """The bot with Grice's components; in the copy's `models`, where `run.py` looks for it."""
    model: Path = live.training.trained("bot")
    return model


@pytest.fixture(scope="session")
def plain_model(live: Any, bot_model: Path) -> Path:
    """The bot without them; after the other one, with whose classifier it shares Rasa's cache."""
    model: Path = live.training.trained("plain")
    return model


@pytest.fixture(scope="session")
def bot(live: Any, bot_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with live.servers.running(bot_model, tmp_path_factory.mktemp("bot")) as running:
        yield running


@pytest.fixture(scope="session")
def plain_bot(live: Any, plain_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with live.servers.running(plain_model, tmp_path_factory.mktemp("plain")) as running:
        yield running
