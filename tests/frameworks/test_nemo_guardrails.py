"""NeMo Guardrails' own `hf_classifier` rail in front of a scripted model, asking `/classify` of the real service."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import all_fakes
from live_service import serving

os.environ["DISABLE_NEST_ASYNCIO"] = "true"  # it would change asyncio for all other tests of this process

from nemoguardrails import LLMRails, RailsConfig
from nemoguardrails.testing import FakeLLMModel

from grice.middleware.service.http.app import create_app

ROOT = Path(__file__).parents[2]
REFUSAL = "I'm sorry, I can't respond to that."


@pytest.fixture(scope="module")
def service() -> Iterator[httpx.Client]:
    with serving(create_app(all_fakes())) as client:
        yield client


def rails(service: httpx.Client, *replies: str) -> LLMRails:
    """Guardrails with the sample configuration; only the address and the patience are others."""
    text = (ROOT / "deploy" / "nemo_guardrails.yml").read_text(encoding="utf-8")
    assert "http://127.0.0.1:8300" in text
    text = text.replace("http://127.0.0.1:8300", str(service.base_url).rstrip("/")).replace("timeout: 1.0", "timeout: 30.0")
    config = RailsConfig.from_content(yaml_content=text)
    return LLMRails(config, llm=FakeLLMModel(responses=list(replies)))


async def ask(rails: LLMRails, text: str) -> Any:
    return (await rails.generate_async(messages=[{"role": "user", "content": text}]))["content"]


@pytest.mark.parametrize(
    ("text", "reply", "said"),
    [
        ("Heat it.", "Fine.", "Fine."),
        ("Heat it.", "That is !Com.", REFUSAL),
        ("I wish it were warmer.", "Fine.", REFUSAL),
    ],
)
def test_the_rails_let_through_and_stop(service: httpx.Client, text: str, reply: str, said: str) -> None:
    assert asyncio.run(ask(rails(service, reply), text)) == said
