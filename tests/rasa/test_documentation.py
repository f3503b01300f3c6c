"""What the pages about Rasa show works in Rasa: docs/quickstart/rasa.md and docs/rasa.md."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from bot_files import DOMAIN, NLU, RULES
from conftest import NLU_PIPELINE, RULES_ALONE, TrainBot
from doc_blocks import blocks
from doc_runner import page_run
from rasa.core.brokers.broker import EventBroker
from rasa.core.nlg import NaturalLanguageGenerator
from rasa.core.utils import AvailableEndpoints
from rasa.shared.core.domain import Domain
from rasa.shared.utils.io import read_yaml
from redis_process import RedisServer, redis_process, redis_server

__all__ = ["redis_process", "redis_server"]

PAGES = ("docs/quickstart/rasa.md", "docs/rasa.md")
ALL = [each for page in PAGES for each in blocks(page)]
FILES = {"domain.yml": DOMAIN, "data/nlu.yml": NLU, "data/rules.yml": RULES}
FIRST = "grice.components.IndirectTurnRewriter"


def keyed(key: str) -> list[Any]:
    """The pieces of YAML with that key, to be tested one by one."""
    found = [(each, read_yaml(each.code)) for each in ALL if each.language == "yaml" and not each.file]
    return [pytest.param(content[key], id=f"{each.page}:{each.line}") for each, content in found if key in content]


def test_every_block_is_run() -> None:
    assert len(ALL) > 8
    left = [each for each in ALL if not each.file and each.language != "console"]
    assert len(left) == len(keyed("pipeline")) + len(keyed("policies")) + len(keyed("event_broker"))


def test_the_quickstart(tmp_path: Path) -> None:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with page_run(tmp_path, {}) as run:
        for block in blocks(PAGES[0]):
            if block.file or block.language == "console":
                run.run(block)


@pytest.mark.parametrize("pipeline", keyed("pipeline"))
def test_pieces_of_the_pipeline(train_bot: TrainBot, pipeline: list[dict[str, Any]]) -> None:
    """One that does not begin with the rewriter goes behind an NLU, as the page says."""
    whole = [dict(each) for each in pipeline] if pipeline[0]["name"] == FIRST else [*NLU_PIPELINE, *map(dict, pipeline)]
    assert train_bot(whole, nlu_only=True).is_file()


@pytest.mark.parametrize("policies", keyed("policies"))
def test_pieces_of_the_policies(train_bot: TrainBot, policies: list[dict[str, Any]]) -> None:
    assert policies[: len(RULES_ALONE)] == list(RULES_ALONE)
    assert train_bot(policies=[dict(each) for each in policies], more="actions: [action_clarify]\n").is_file()


@pytest.mark.parametrize("broker", keyed("event_broker"))
def test_endpoints(broker: dict[str, Any], redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (text,) = [each.code for each in ALL if "event_broker" in each.code and each.language == "yaml"]
    assert broker["redis_url"] in text
    (tmp_path / "endpoints.yml").write_text(text.replace(broker["redis_url"], redis_server.url), encoding="utf-8")
    endpoints = AvailableEndpoints.read_endpoints(str(tmp_path / "endpoints.yml"))

    async def make() -> None:
        made = await EventBroker.create(endpoints.event_broker)
        assert type(made).__name__ == "MonitorEventBroker"
        await made.close()

    asyncio.run(make())
    made = NaturalLanguageGenerator.create(endpoints.nlg, Domain.from_yaml(DOMAIN))
    assert type(made).__name__ == "MonitoredResponseGenerator"
