"""The rewriter and the aligner in real bots, with the shipped models."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from bot_files import NLU
from conftest import ALIGNER, NLU_PIPELINE, REWRITER, SCORER, LoadAgent, TrainBot, talk, with_grice
from rasa.core.agent import Agent
from rasa.engine.graph import ExecutionContext, GraphSchema
from rasa.shared.core.events import ActionExecuted, BotUttered, Restarted, UserUtteranceReverted, UserUttered
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.nlu.constants import TEXT
from rasa.shared.nlu.training_data.message import Message

from grice.components import IndirectTurnRewriter
from grice.components.history import dialogue_of
from grice.components.settings import ComponentSettings
from grice.middleware import Pipeline, PipelineSettings, TurnAnalysis
from grice.middleware.capabilities.directness import DIRECTNESS
from grice.middleware.capabilities.turns import TURNS
from grice.middleware.client.backends import load_backend
from grice.models import Dialogue, Turn
from grice.models.dialogue import MAX_TEXT_CHARACTERS, Speaker

OPENING = "I am looking for a place to eat."
QUESTION = "What price range would you like?"
INDIRECT = "I am on a tight budget"
MODES = ("blend", "append", "replace")
KEYS = {"original", "text", "mode", "decision", "reason", "directness", "label", "rewrite", "clarification", "findings", "failures"}


def expected(mode: str, text: str, history: Sequence[tuple[Speaker, str]]) -> TurnAnalysis:
    settings = PipelineSettings(mode="append" if mode == "append" else "replace")
    return Pipeline.load(settings).predict([Dialogue.of(text, history)])[0]


def last_heard(tracker: DialogueStateTracker) -> dict[str, Any]:
    """The parse data of the latest user message; `tracker.latest_message` forgets those inside a form."""
    heard: dict[str, Any] = next(event for event in reversed(tracker.events) if isinstance(event, UserUttered)).parse_data
    return heard


def score_of(analysis: TurnAnalysis) -> float:
    assert analysis.directness is not None
    return analysis.directness.score


def check_record(record: dict[str, Any], analysis: TurnAnalysis, mode: str) -> None:
    assert set(record) == (KEYS | {"weight"} if mode == "blend" else KEYS)
    assert (record["original"], record["text"], record["mode"]) == (analysis.original, analysis.text, mode)
    assert (record["decision"], record["reason"], record["failures"]) == (analysis.decision, analysis.reason, [])
    assert record["directness"] == pytest.approx(score_of(analysis))
    assert record["label"] == ("direct" if analysis.reason == "direct" else "indirect")
    if analysis.rewrite is not None:
        assert record["rewrite"] == {
            "text": analysis.rewrite.text,
            "confidence": pytest.approx(analysis.rewrite.confidence),
        }


@pytest.mark.parametrize("mode", MODES)
def test_the_history_of_the_conversation_reaches_the_rewriter(load_agent: LoadAgent, mode: str) -> None:
    agent = load_agent(with_grice(mode=mode))
    _, tracker = asyncio.run(talk(agent, [OPENING, INDIRECT], "with history"))
    within = last_heard(tracker)
    alone = asyncio.run(agent.parse_message(INDIRECT))
    check_record(within["grice"], expected(mode, INDIRECT, [("user", OPENING), ("bot", QUESTION)]), mode)
    check_record(alone["grice"], expected(mode, INDIRECT, []), mode)
    assert within["grice"]["text"] != alone["grice"]["text"]
    assert within["text"] == alone["text"] == INDIRECT
    assert json.loads(json.dumps(within))["grice"] == within["grice"]


@pytest.mark.parametrize("mode", MODES)
def test_an_implied_value_fills_its_slot(load_agent: LoadAgent, mode: str) -> None:
    answers, tracker = asyncio.run(talk(load_agent(with_grice(mode=mode)), [OPENING, INDIRECT, "for 5 people"], "a"))
    assert answers == [QUESTION, "How many people will come?", "A table for 5, cheap."]
    assert tracker.current_slot_values()["price"] == "cheap"
    plain, _ = asyncio.run(talk(load_agent(NLU_PIPELINE), [OPENING, INDIRECT], "b"))
    assert "How many people will come?" not in plain


SAID = [line.strip(" -").replace("](price)", "").replace("[", "") for line in NLU.splitlines() if line.startswith("    - ")]


@pytest.mark.parametrize("mode", MODES)
def test_offsets_never_point_outside_the_original(load_agent: LoadAgent, mode: str) -> None:
    agent = load_agent(with_grice(mode=mode, direct_from=1.0, min_confidence=0.0))
    texts = [INDIRECT, "cheap would be nice, there are 5 of us", "the centre?", *SAID]
    rewritten = 0
    for text in texts:
        found = asyncio.run(agent.parse_message(text))
        rewritten += found["grice"]["text"] != text
        assert found["text"] == text
        for entity in found["entities"]:
            assert 0 <= entity["start"] < entity["end"] <= len(text)
            if entity.get("implied"):
                assert (entity["start"], entity["end"]) == (0, len(text))
        assert all(0 <= start < end <= len(text) and text[start:end].strip() for start, end in found["text_tokens"])
    assert rewritten > len(texts) / 4


def test_commands_are_left_alone(load_agent: LoadAgent) -> None:
    agent = load_agent(with_grice())
    for text, intent in (("/greet", "greet"), ("  /bye ", "bye"), ('/inform{"price": "cheap"}', "inform")):
        found = asyncio.run(agent.parse_message(text))
        assert (found["intent"], "grice" in found) == ({"name": intent, "confidence": 1.0}, False)
    assert found["entities"][0]["value"] == "cheap"
    for blank in ("", "   ", "\u200b\n"):
        assert "grice" not in asyncio.run(agent.parse_message(blank))


@pytest.mark.parametrize("text", ["too long" * MAX_TEXT_CHARACTERS, "half of \ud83d an emoji"])
def test_what_cannot_be_read_goes_on_unchanged(load_agent: LoadAgent, text: str) -> None:
    found = asyncio.run(load_agent(with_grice()).parse_message(text))
    assert found["intent"]["name"]
    assert (found["text"], found["grice"]["text"], found["grice"]["reason"]) == (text, text, "not_text")


class Broken:
    """A model that fails in a way that nobody foresaw."""

    def predict(self, dialogues: Sequence[Dialogue]) -> list[object]:
        raise ZeroDivisionError("unforeseen")


def test_no_failure_costs_a_message(load_agent: LoadAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grice.components.indirect_turn_rewriter.load_backend", lambda *_, **fields: Broken())
    monkeypatch.setattr("grice.components.grice_component.GriceComponent.load", classmethod(_load_broken))
    answers, tracker = asyncio.run(talk(load_agent(with_grice()), [OPENING, "cheap please"], "broken"))
    assert answers == [QUESTION, "How many people will come?"]
    record = last_heard(tracker)["grice"]
    assert set(record) == KEYS | {"weight"}
    assert (record["decision"], record["reason"], record["text"]) == ("pass", "failed", "cheap please")
    assert record["failures"] == [{"stage": "rewriter", "error": "ZeroDivisionError", "message": "unforeseen"}]


def _load_broken(cls: Any, /, config: Any, model_storage: Any, resource: Any, execution_context: Any, **_: Any) -> Any:
    """Without the warm-up, which would tell."""
    component = cls.create(config, model_storage, resource, execution_context)
    component.model = Broken()
    return component


def test_a_late_stage_is_recorded(load_agent: LoadAgent) -> None:
    found = asyncio.run(load_agent(with_grice(deadline_ms=1)).parse_message(INDIRECT + " today"))
    assert found["intent"]["name"]
    assert (found["grice"]["reason"], found["grice"]["text"]) == ("failed", INDIRECT + " today")
    assert found["grice"]["failures"][0]["error"] == "DeadlineExceeded"


def test_the_scorer_alone_only_looks(load_agent: LoadAgent) -> None:
    agent = load_agent(({"name": SCORER, "direct_from": 0.5}, *NLU_PIPELINE))
    for text, label in ((INDIRECT, "indirect"), ("Please find me a cheap restaurant.", "direct")):
        found = asyncio.run(agent.parse_message(text))
        score = score_of(expected("append", text, []))
        assert found["grice"] == {"original": text, "directness": pytest.approx(score), "label": label, "failures": []}
        assert found["text"] == text
    _, tracker = asyncio.run(talk(agent, [OPENING, INDIRECT], "with history"))
    within = score_of(expected("append", INDIRECT, [("user", OPENING), ("bot", QUESTION)]))
    assert last_heard(tracker)["grice"]["directness"] == pytest.approx(within)


def test_scorer_and_rewriter_share_models_and_scores(load_agent: LoadAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = ({"name": SCORER}, *with_grice(), {"name": SCORER})
    first, second = load_agent(pipeline), load_agent(pipeline)
    settings = ComponentSettings(PipelineSettings())
    scorer: Any = load_backend(DIRECTNESS, settings.where)
    pipeline_of_turns: Any = load_backend(TURNS, settings.where)
    model = scorer.model.model
    assert pipeline_of_turns.directness.model is model
    asked: list[object] = []
    predict = type(model).predict

    def watched(self: object, dialogues: Sequence[Dialogue]) -> Any:
        asked.append(dialogues)
        return predict(self, dialogues)

    monkeypatch.setattr(type(model), "predict", watched)
    text = "Nobody has said this before, I would not mind a table."
    records = [asyncio.run(agent.parse_message(text))["grice"] for agent in (first, second)]
    assert len(asked) == 1
    assert records[0] == records[1]
    assert set(records[0]) == KEYS | {"weight"}


def test_several_messages_and_no_tracker() -> None:
    """As `process` is called where there is no conversation."""
    component = IndirectTurnRewriter.load({"mode": "replace"}, None, None, ExecutionContext(GraphSchema({})))
    messages = [Message({TEXT: text}) for text in (INDIRECT, "/greet", "", "Please find me a cheap restaurant.")]
    assert component.process(messages) == messages
    analyses = [expected("replace", text, []) for text in (INDIRECT, "Please find me a cheap restaurant.")]
    assert [message.get(TEXT) for message in messages] == [analyses[0].text, "/greet", "", analyses[1].text]
    assert [(message.get("grice") or {}).get("reason") for message in messages] == ["indirect", None, None, "direct"]


def test_what_was_said_inside_a_form_is_history(load_agent: LoadAgent) -> None:
    agent = load_agent(NLU_PIPELINE)
    _, tracker = asyncio.run(talk(agent, [OPENING, "cheap please"], "in a form"))
    said = [turn.text for turn in dialogue_of("There are 5 of us", tracker, 10).history]
    assert said == [OPENING, QUESTION, "cheap please", "How many people will come?"]


def uttered(events: Sequence[object]) -> DialogueStateTracker:
    return DialogueStateTracker.from_events("a", list(events))


def test_history_is_what_was_said_and_still_holds() -> None:
    tracker = uttered(
        [
            UserUttered("forgotten"),
            Restarted(),
            UserUttered("/greet"),
            BotUttered("Hello."),
            BotUttered(None, {"custom": {"a": 1}}),
            BotUttered("   "),
            ActionExecuted("action_listen"),
            UserUttered("taken back"),
            UserUtteranceReverted(),
            UserUttered("EXTERNAL: reminder"),
            UserUttered("x" * (MAX_TEXT_CHARACTERS + 5)),
            BotUttered("half \ud83d"),
        ]
    )
    turns = [Turn("bot", "Hello."), Turn("user", "x" * MAX_TEXT_CHARACTERS), Turn("bot", "half ?"), Turn("user", "now")]
    assert list(dialogue_of("now", tracker, 10).turns) == turns
    assert list(dialogue_of("now", tracker, 2).turns) == turns[1:]
    assert dialogue_of("now", tracker, 0).history == ()
    assert dialogue_of("now", None, 10).history == ()


def test_what_rasa_would_take_for_a_command_is_no_rewrite(load_agent: LoadAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = load_agent(with_grice(mode="replace"))
    command = TurnAnalysis(INDIRECT, "/bye", "rewrite", "indirect")
    monkeypatch.setattr(Pipeline, "predict", lambda self, dialogues: [command])
    found = asyncio.run(agent.parse_message(INDIRECT))
    assert found["intent"]["name"] != "bye" or found["intent"]["confidence"] < 1
    assert (found["text"], found["grice"]["text"], found["grice"]["decision"]) == (INDIRECT, INDIRECT, "pass")


@pytest.mark.parametrize("key", ["rewriter_model", "directness_model", "meaning_model"])
def test_a_model_that_is_not_there_is_refused_when_the_bot_is_trained(train_bot: TrainBot, key: str) -> None:
    with pytest.raises(Exception, match=r"IndirectTurnRewriter: model 'no-such-model' not found; shipped models: .*directness"):
        train_bot(with_grice(**{key: "no-such-model"}), nlu_only=True, force=False)


def test_the_aligner_may_be_there_twice_or_without_the_rewriter(load_agent: LoadAgent) -> None:
    twice = load_agent((*with_grice(mode="replace"), {"name": ALIGNER}))
    once = load_agent(with_grice(mode="replace"))
    alone = load_agent((*NLU_PIPELINE, {"name": ALIGNER}))
    plain = load_agent(NLU_PIPELINE)
    for one, other in ((twice, once), (alone, plain)):
        assert _parsed(one, INDIRECT) == _parsed(other, INDIRECT)


def _parsed(agent: Agent, text: str) -> dict[str, Any]:
    found = asyncio.run(agent.parse_message(text))
    return {key: found[key] for key in ("text", "entities", "text_tokens")}


def test_the_name_in_the_configuration_is_that_of_the_class() -> None:
    assert f"grice.components.{IndirectTurnRewriter.__name__}" == REWRITER
