"""What `rasa train` refuses, and when."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from conftest import ALIGNER, NLU_PIPELINE, REWRITER, SCORER, TrainBot, with_grice
from rasa.shared.exceptions import InvalidConfigException

URL = "http://127.0.0.1:8300"
ALL_KEYS = (
    "the keys are: backend, clarify_below, clarify_from, deadline_ms, direct_from, directness_model, history_turns, indirect_from, "
    "meaning_model, menu, min_confidence, mode, precision, provider, rewrite_from, rewriter_model, sure_nlu, threads, verified_from"
)


@pytest.mark.parametrize("force", [False, True], ids=["cached", "forced"])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"directfrom": 0.7}, f"setting directfrom: got 0.7; allowed: no such key; {ALL_KEYS}"),
        ({"direct_from": 1.5}, "setting direct_from: got 1.5; allowed: 0.0 to 1.0"),
        ({"mode": "prepend"}, "setting mode: got 'prepend'; allowed: blend, append, replace"),
        ({"backend": "grpc"}, "setting backend: got 'grpc'; allowed: onnx, http"),
        ({"backend": "http"}, "setting url: got None; allowed: the address of the service, for instance http://127.0.0.1:8300"),
    ],
)
def test_the_rewriter_refuses_bad_values(train_bot: TrainBot, values: dict[str, Any], message: str, force: bool) -> None:
    with pytest.raises(InvalidConfigException) as caught:
        train_bot(with_grice(**values), nlu_only=True, force=force)
    assert str(caught.value).startswith(f"IndirectTurnRewriter: {message}")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"history_turns": -1}, "setting history_turns: got -1; allowed: 0 to 100, a whole number"),
        ({"history_turns": 2.5}, "setting history_turns: got 2.5"),
        ({"threads": "two"}, "setting threads: got 'two'; allowed: 1 to 64"),
        ({"precision": "int4"}, "setting precision: got 'int4'; allowed: int8, fp32, fp16"),
        ({"deadline_ms": 0}, "setting deadline_ms: got 0; allowed: 1 to"),
        (
            {"url": URL},
            f"setting url: got '{URL}'; allowed: no such key with backend onnx, it belongs to the other one; {ALL_KEYS}",
        ),
        ({"api_key": "sesame"}, "setting api_key: got 'a value that is not shown'; allowed: no such key with backend onnx"),
        ({"backend": "http", "url": "localhost"}, "setting url: got 'localhost'; allowed: the address of the service"),
        ({"backend": "http", "url": URL, "deadline_ms": 90_000}, "setting deadline_ms: got 90000; allowed: 1 to 60000"),
        (
            {"backend": "http", "url": URL, "direct_from": 0.7},
            "setting direct_from: got 0.7; allowed: no such key with backend http, it is a setting of the service (there: "
            "GRICE_DIRECT_FROM); the keys are: api_key, backend, deadline_ms, history_turns, menu, mode, sure_nlu, url",
        ),
        ({"backend": ["onnx"]}, "setting backend: got ['onnx']; allowed: onnx, http"),
    ],
)
def test_every_key_has_its_range(train_bot: TrainBot, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidConfigException) as caught:
        train_bot(with_grice(**values), nlu_only=True, force=False)
    assert str(caught.value).startswith(f"IndirectTurnRewriter: {message}")
    assert "sesame" not in str(caught.value)


def test_the_other_components_refuse_too(train_bot: TrainBot) -> None:
    with pytest.raises(
        InvalidConfigException, match="DirectnessScorer: setting mode: got 'append'; allowed: no such key; the keys"
    ):
        train_bot(({"name": SCORER, "mode": "append"}, *NLU_PIPELINE), nlu_only=True)
    with pytest.raises(
        InvalidConfigException, match="EntityAligner: setting mode: got 'append'; allowed: no such key; it takes none"
    ):
        train_bot((*with_grice()[:-1], {"name": ALIGNER, "mode": "append"}), nlu_only=True)


@pytest.mark.parametrize("force", [False, True], ids=["cached", "forced"])
@pytest.mark.parametrize("component", [REWRITER, SCORER])
def test_a_bad_value_is_refused_before_anything_else_is_trained(
    train_bot: TrainBot, caplog: pytest.LogCaptureFixture, component: str, force: bool
) -> None:
    caplog.set_level(logging.INFO, logger="rasa.engine.training.hooks")
    pipeline = ({"name": component, "direct_from": 7}, *NLU_PIPELINE, {"name": ALIGNER})
    with pytest.raises(InvalidConfigException):
        train_bot(pipeline, nlu_only=True, force=force)
    begun = [record.getMessage() for record in caplog.records if "Starting to train" in record.getMessage()]
    assert begun == [f"Starting to train component '{component.rsplit('.', 1)[1]}'."]


def test_the_order_of_the_pipeline_is_checked(train_bot: TrainBot) -> None:
    rewriter, aligner, (tokenizer, *rest) = {"name": REWRITER}, {"name": ALIGNER}, NLU_PIPELINE
    late = "IndirectTurnRewriter: it is listed after WhitespaceTokenizer, which would read the text before it is rewritten; "
    with pytest.raises(InvalidConfigException, match=late):
        train_bot((tokenizer, rewriter, *rest, aligner), nlu_only=True)
    none = (
        "IndirectTurnRewriter: no EntityAligner follows it and the entity extractors.*add `- name: grice.components.EntityAligner`"
    )
    for pipeline in ((rewriter, *NLU_PIPELINE), (aligner, rewriter, *NLU_PIPELINE), (rewriter, tokenizer, aligner, *rest)):
        with pytest.raises(InvalidConfigException, match=none):
            train_bot(pipeline, nlu_only=True)
    assert train_bot((rewriter, tokenizer, *rest[:2], aligner), nlu_only=True).exists()
    assert train_bot(({"name": SCORER}, rewriter, *NLU_PIPELINE, aligner), nlu_only=True).exists()


def test_the_order_is_checked_in_every_training(train_bot: TrainBot) -> None:
    good = ({"name": REWRITER, "history_turns": 7}, *NLU_PIPELINE, {"name": ALIGNER})
    train_bot(good, nlu_only=True, force=False)
    with pytest.raises(InvalidConfigException, match="no EntityAligner follows"):
        train_bot(good[:-1], nlu_only=True, force=False)


def test_a_training_without_changes_trains_nothing_else(train_bot: TrainBot, caplog: pytest.LogCaptureFixture) -> None:
    good = ({"name": REWRITER, "history_turns": 8}, *NLU_PIPELINE, {"name": ALIGNER})
    train_bot(good, nlu_only=True, force=False)
    caplog.set_level(logging.INFO, logger="rasa.engine.training.hooks")
    train_bot(good, nlu_only=True, force=False)
    messages = [record.getMessage() for record in caplog.records if "Starting to train" in record.getMessage()]
    assert messages == ["Starting to train component 'IndirectTurnRewriter'."]
