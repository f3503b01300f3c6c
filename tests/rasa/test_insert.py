"""Components put into a trained model do what they do in a model that was trained with them."""

from __future__ import annotations

import asyncio
import tarfile
from pathlib import Path
from typing import Any

import pytest
from conftest import NLU_PIPELINE, TrainBot, talk, with_grice
from rasa.core.agent import Agent
from rasa.shared.exceptions import InvalidConfigException

from grice.components.insert import insert

TEXTS = ("I am looking for a place to eat.", "I am on a tight budget", "for 5 people")
FALLBACK = {"name": "FallbackClassifier", "threshold": 0.99}


@pytest.mark.parametrize("config", [{}, {"mode": "append"}, {"mode": "replace", "direct_from": 0.9}])
def test_as_if_trained_with_them(train_bot: TrainBot, tmp_path: Path, config: dict[str, Any]) -> None:
    out = tmp_path / "with.tar.gz"
    insert(train_bot(NLU_PIPELINE), out, config)
    trained = train_bot(with_grice(**config))
    (answers, tracker), (expected, other) = (asyncio.run(talk(Agent.load(str(model)), TEXTS, "ann")) for model in (out, trained))
    assert answers == expected
    assert tracker.current_slot_values() == other.current_slot_values()
    inserted, wanted = (asyncio.run(Agent.load(str(model)).parse_message(TEXTS[1])) for model in (out, trained))
    assert inserted == wanted
    assert inserted["grice"]["decision"] == "rewrite"


def test_the_fallback_sees_what_was_blended(train_bot: TrainBot, tmp_path: Path) -> None:
    out = tmp_path / "with.tar.gz"
    insert(train_bot((*NLU_PIPELINE, FALLBACK)), out, {})
    parsed = asyncio.run(Agent.load(str(out)).parse_message(TEXTS[1]))
    assert parsed["intent"]["name"] == "nlu_fallback"
    blended = asyncio.run(Agent.load(str(train_bot(with_grice()))).parse_message(TEXTS[1]))
    assert parsed["intent_ranking"][1:] == blended["intent_ranking"]


def test_what_cannot_be_is_refused(train_bot: TrainBot, tmp_path: Path) -> None:
    model, out = train_bot(NLU_PIPELINE), tmp_path / "with.tar.gz"
    with pytest.raises(InvalidConfigException, match="setting mode: got 'both'; allowed: blend, append, replace"):
        insert(model, out, {"mode": "both"})
    assert not out.exists()
    insert(model, out, {})
    with pytest.raises(ValueError, match="has the rewriter already"):
        insert(out, tmp_path / "twice.tar.gz", {})
    with tarfile.open(out) as one, tarfile.open(model) as other:
        assert one.getnames() == other.getnames()
