"""Components put into a trained model do what they do in a model that was trained with them."""

from __future__ import annotations

import asyncio
import tarfile
from pathlib import Path
from typing import Any

import pytest
from bot_files import NLU
from conftest import ALIGNER, NLU_PIPELINE, REWRITER, TrainBot, talk, with_grice
from rasa.core.agent import Agent
from rasa.shared.exceptions import InvalidConfigException

from grice.components.insert import Inserted, insert

TEXTS = ("I am looking for a place to eat.", "I am on a tight budget", "for 5 people")
RESOLVER = "grice.components.MeaningResolver"
FALLBACK = {"name": "FallbackClassifier", "threshold": 0.99}


@pytest.mark.parametrize("config", [{}, {"mode": "append"}, {"mode": "replace", "direct_from": 0.9}])
def test_as_if_trained_with_them(train_bot: TrainBot, tmp_path: Path, config: dict[str, Any]) -> None:
    out = tmp_path / "with.tar.gz"
    insert(train_bot(NLU_PIPELINE), out, Inserted(config))
    trained = train_bot(with_grice(**config))
    (answers, tracker), (expected, other) = (asyncio.run(talk(Agent.load(str(model)), TEXTS, "ann")) for model in (out, trained))
    assert answers == expected
    assert tracker.current_slot_values() == other.current_slot_values()
    inserted, wanted = (asyncio.run(Agent.load(str(model)).parse_message(TEXTS[1])) for model in (out, trained))
    assert inserted == wanted
    assert inserted["grice"]["decision"] == "rewrite"


def test_the_fallback_sees_what_was_blended(train_bot: TrainBot, tmp_path: Path) -> None:
    out = tmp_path / "with.tar.gz"
    insert(train_bot((*NLU_PIPELINE, FALLBACK)), out, Inserted())
    parsed = asyncio.run(Agent.load(str(out)).parse_message(TEXTS[1]))
    assert parsed["intent"]["name"] == "nlu_fallback"
    blended = asyncio.run(Agent.load(str(train_bot(with_grice()))).parse_message(TEXTS[1]))
    assert parsed["intent_ranking"][1:] == blended["intent_ranking"]


def test_with_the_menu_and_the_resolver(train_bot: TrainBot, tmp_path: Path) -> None:
    model, out, data = train_bot(NLU_PIPELINE), tmp_path / "with.tar.gz", tmp_path / "nlu.yml"
    data.write_text(NLU, encoding="utf-8")
    insert(model, out, Inserted(resolver={"sure_nlu": 0.0}, data=data))
    trained = train_bot(({"name": REWRITER, "menu": True}, *NLU_PIPELINE, {"name": ALIGNER}, {"name": RESOLVER, "sure_nlu": 0.0}))
    inserted, wanted = (asyncio.run(Agent.load(str(model)).parse_message(TEXTS[1])) for model in (out, trained))
    assert inserted == wanted
    assert (inserted["grice"]["decision"], inserted["grice"]["meaning"]["possible"][0]["kind"]) == ("clarify", "intent")
    with pytest.raises(ValueError, match="a resolver reads the bot's menu"):
        Inserted(resolver={})
    with pytest.raises(InvalidConfigException, match="MeaningResolver: setting sure: got 1"):
        Inserted(resolver={"sure": 1}, data=data)


def test_what_cannot_be_is_refused(train_bot: TrainBot, tmp_path: Path) -> None:
    model, out = train_bot(NLU_PIPELINE), tmp_path / "with.tar.gz"
    with pytest.raises(InvalidConfigException, match="setting mode: got 'both'; allowed: blend, append, replace"):
        insert(model, out, Inserted({"mode": "both"}))
    assert not out.exists()
    insert(model, out, Inserted())
    with pytest.raises(ValueError, match="has the rewriter already"):
        insert(out, tmp_path / "twice.tar.gz", Inserted())
    with tarfile.open(out) as one, tarfile.open(model) as other:
        assert one.getnames() == other.getnames()
