"""Whose question it is reaches the judge, from the worker and from the service; what it takes away is told."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from fake_models import FakeBehaviors, fakes
from live_service import serving
from openai_server import chat, openai_server
from scored_fixtures import scored

from grice.middleware.access import ApiKey, KeyFile, digest_of
from grice.middleware.events.event import DialogueEvent
from grice.middleware.judge import LlmJudge
from grice.middleware.llm import ChatModel, ChatSettings, Limits, MemoryBudget, ReplyCache
from grice.middleware.monitor import Judgement, Monitor, ScoredResponse
from grice.middleware.monitor.escalation import Escalation
from grice.middleware.monitor.reports import JudgeQuestion, dialogue_of
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.middleware.stream.scoring import ScoredEvent, score
from grice.models.dialogue import Dialogue
from grice.models.results import BEHAVIORS

HELLO = Dialogue.of("Hello!", speaker="bot")
SECRET = "a-secret-of-the-test"


class Denying:
    """A judge that denies all, and notes for whom."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def judge(self, questions: Sequence[JudgeQuestion], tenants: Sequence[str] | None = None) -> list[Judgement]:
        self.asked += [(dialogue_of(about).last.text, tenant) for (about, _), tenant in zip(questions, tenants or (), strict=True)]
        return [Judgement(behavior, False) for _, behavior in questions]


def watched(judge: Denying) -> Monitor:
    return Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5), judge, Escalation("alarming", 0.1, ("!Fac", "!Com")))


def test_the_worker_tells_whose_response_it_is() -> None:
    judge = Denying()
    said = [("That is !Fac.", "default"), ("That is fine.", "shop"), ("That is !Com.", "shop")]
    events = [DialogueEvent(f"e{at}", "d", "bot", text, float(at), tenant=whose) for at, (text, whose) in enumerate(said)]
    asked = [(event, Dialogue.of(event.text, speaker="bot")) for event in events]
    found = score(watched(judge), asked, 1, lambda _: None)
    assert judge.asked == [("That is !Fac.", "default"), ("That is !Com.", "shop")]
    taken = [each.response.suppressed for each in found if isinstance(each, ScoredEvent)]
    assert taken == [("!Fac",), (), ("!Com",)]


def test_the_service_tells_whose_key_it_is(tmp_path: Path) -> None:
    judge, file = Denying(), KeyFile(tmp_path / "keys.json")
    file.add(ApiKey("bot", digest_of(SECRET), "shop", ("turns", "monitor")))
    with serving(create_app(fakes(responses=watched(judge)), ServiceSettings(keys_file=str(file.path)))) as client:
        headers = {"authorization": f"Bearer {SECRET}"}
        answer = client.post("/v1/responses", json={"text": "That is !Fac."}, headers=headers).json()
        metrics = client.get("/metrics", headers=headers).text
    assert judge.asked == [("That is !Fac.", "shop")]
    assert (answer["shown"], answer["suppressed"]) == ([], ["!Fac"])
    assert 'grice_judge_suppressed_alarms_total{behavior="!Fac"} 1.0' in metrics


def test_suppressed_alarms_travel_with_the_result_and_only_then() -> None:
    response = scored("Red", suppressed=("!Fac",))
    assert ScoredResponse.from_json(response.to_json()) == response
    assert "suppressed" not in scored("Red").to_json()
    assert ScoredResponse.from_json(scored("Red").to_json()).suppressed == ()


def test_tenants_share_neither_remembered_answers_nor_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with openai_server([chat("Decision: [NO]"), chat("Decision: [YES]")]) as server:
        cache, budget = ReplyCache(tmp_path / "replies"), MemoryBudget(Limits(1))
        with contextlib.closing(ChatModel(ChatSettings(server.url, "m", workers=1), cache, budget)) as model:
            judge = LlmJudge(model)
            found = judge.judge([(HELLO, "Ign")] * 4, ["default", "shop", "shop", "default"])
            more = judge.judge([(HELLO, "Red")], ["shop"])
    assert [(each.decision, each.cached) for each in found] == [(False, False), (True, False), (True, True), (False, True)]
    assert more[0].error == "BudgetExhausted"
