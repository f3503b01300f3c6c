"""The check that all frameworks ask: in process, behind the real service, and where things fail."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, Literal

import pytest
from fake_models import FakeDirectness, FakeRewriter, all_fakes, fake_monitor, fake_pipeline
from live_service import serving
from loopback_server import loopback, saying
from scripted_checks import WISH, asking_pipeline

from grice.integrations import CheckPolicy, ConversationCheck, ScoredReply, conversation_check
from grice.middleware.client import RemoteSettings
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import PipelineSettings
from grice.middleware.turns.pipeline import Pipeline
from grice.models.errors import DeadlineExceeded, SettingsError
from grice.models.schema import BotSchema

ROWS = [{"role": "user", "content": WISH}]
CALM = CheckPolicy(budget_ms=20_000, reply_budget_ms=20_000)
REWRITE = f"please: {WISH}"


def test_a_turn_and_a_reply_behind_the_service() -> None:
    """The service's own scores, with its thresholds; it counts the reply."""
    with serving(create_app(all_fakes())) as service:
        where = RemoteSettings(str(service.base_url).rstrip("/"), deadline_ms=20_000)
        check = ConversationCheck.load(where, CALM)
        found, scored = check.check_turn(ROWS), check.check_reply(ROWS, "That is Red.")
        rates = service.get("/v1/rates").json()["rates"]
    assert found.rewrites == {0: REWRITE}
    assert scored is not None
    assert scored.report.shown == ("Red",)
    assert max(each["scored"] for each in rates) == 1


def test_a_service_that_fails_leaves_turn_and_reply_alone() -> None:
    with loopback(saying({"detail": "no"}, "500 No"), healthy=False) as server:
        check = ConversationCheck.load(RemoteSettings(server.url), CALM)
        assert check.check_turn(ROWS).rewrites == {}
        assert check.check_reply(ROWS, "Fine.") is None


def test_what_failed_is_looked_at_again() -> None:
    """A failure is not remembered as the turn's analysis."""
    check = ConversationCheck(fake_pipeline(), policy=CALM)
    pipeline, check.pipeline = check.pipeline, Pipeline(FakeDirectness(), Broken())
    assert check.check_turn(ROWS).rewrites == {}
    check.pipeline = pipeline
    assert check.check_turn(ROWS).rewrites == {0: REWRITE}


class Broken(FakeRewriter):
    def predict(self, dialogues: Any) -> Any:
        raise RuntimeError("out of order")


def test_the_same_words_after_other_words_are_another_turn() -> None:
    check = ConversationCheck(fake_pipeline(), policy=CALM)
    check.check_turn(ROWS)
    other = [{"role": "assistant", "content": "It is cold."}, *ROWS]
    assert check.check_turn(other).rewrites == {1: f"{REWRITE} <bot: It is cold.>"}


def test_rows_are_not_changed() -> None:
    rows = [{"role": "user", "content": [{"type": "text", "text": WISH}]}]
    ConversationCheck(fake_pipeline(), policy=CALM).check_turn(rows)
    assert rows == [{"role": "user", "content": [{"type": "text", "text": WISH}]}]


@pytest.mark.parametrize(
    "rows", [[], [{}], [{"role": 7}], [{"role": "user"}], [{"role": "user", "content": 7}], [{"role": "tool", "content": "x"}]]
)
def test_what_cannot_be_read_is_left_alone(rows: Any) -> None:
    check = ConversationCheck(fake_pipeline(), fake_monitor(), CALM)
    assert check.check_turn(rows).analysis is None
    check.check_reply(rows, " ")


def test_a_question_of_the_menu_comes_before_the_general_one() -> None:
    policy = CheckPolicy(budget_ms=20_000, clarify=True, clarify_with="What do you mean?")
    assert ConversationCheck(asking_pipeline(), policy=policy).check_turn(ROWS).question == "What do you mean?"
    assert ConversationCheck(asking_pipeline(), policy=CALM).check_turn(ROWS).question == ""


def test_a_menu_goes_to_the_pipeline() -> None:
    asked: list[Any] = []

    class Noting:
        def predict(self, given: Any) -> Any:
            asked.extend(given)
            return fake_pipeline().predict([each.dialogue for each in given])

    menu = BotSchema.of({"intents": [{"name": "heat"}]})
    ConversationCheck(Noting(), policy=CALM, menu=menu).check_turn(ROWS)
    assert asked[0].schema == menu


def test_a_listener_that_fails_does_not_take_the_scores_away() -> None:
    def fail(_: ScoredReply) -> None:
        raise RuntimeError("out of order")

    check = ConversationCheck(fake_pipeline(), fake_monitor(), CALM, tell=fail)
    assert check.check_reply(ROWS, "That is Red.") is not None


def test_a_late_turn_passes() -> None:
    directness = FakeDirectness()
    directness.gate.clear()
    check = ConversationCheck(Pipeline(directness, FakeRewriter(), PipelineSettings()), policy=CheckPolicy(budget_ms=30))
    assert check.check_turn(ROWS).analysis is None
    directness.gate.set()


class Late(FakeDirectness):
    """Is late whenever it is asked."""

    def predict(self, dialogues: Any) -> Any:
        self.enter(dialogues)
        raise DeadlineExceeded("directness did not answer within 30 ms")


@pytest.mark.parametrize("on_error", ["raise", "pass_through"])
def test_a_late_turn_is_waited_for_once(on_error: Literal["raise", "pass_through"]) -> None:
    """A framework's hooks ask of the same turn one after the other: before the agent, and before the model."""
    directness = Late()
    check = ConversationCheck(Pipeline(directness, FakeRewriter(), PipelineSettings(on_error=on_error)), policy=CALM)
    first = check.check_turn(ROWS)
    assert first.rewrites == {}
    assert [check.check_turn(ROWS) for _ in range(2)] == [first] * 2
    assert len(directness.batches) == 1
    check.check_turn([*ROWS, {"role": "assistant", "content": "How much?"}, {"role": "user", "content": "I wish I knew."}])
    assert len(directness.batches) == 2


def test_what_was_late_is_looked_at_again_after_some_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation_check, "LATE_S", 0.0)
    check = ConversationCheck(Pipeline(Late(), FakeRewriter(), PipelineSettings(on_error="raise")), policy=CALM)
    check.check_turn(ROWS)
    check.pipeline = fake_pipeline()
    assert check.check_turn(ROWS).rewrites == {0: REWRITE}


def test_earlier_turns_are_read_as_before_where_the_new_one_is_late() -> None:
    """Or the provider would not know the beginning of the conversation any more."""
    directness = FakeDirectness()
    check = ConversationCheck(Pipeline(directness, FakeRewriter(), PipelineSettings(deadline_ms=20_000)), policy=CALM)
    check.check_turn(ROWS)
    directness.gate.clear()
    check.policy = CheckPolicy(budget_ms=30)
    found = check.check_turn([*ROWS, {"role": "assistant", "content": "How much?"}, {"role": "user", "content": "I wish I knew."}])
    directness.gate.set()
    assert found.analysis is None
    assert found.rewrites == {0: REWRITE}


@pytest.mark.parametrize(("field", "value"), [("mode", "blend"), ("budget_ms", 0), ("longest", 0), ("reply_budget_ms", -1)])
def test_policies_are_checked(field: str, value: object) -> None:
    with pytest.raises(SettingsError, match=f"setting {field}"):
        CheckPolicy(**{field: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("langchain", "langchain", "langchain"),
        ("openai_agents", "agents", "openai-agents"),
        ("livekit", "livekit", "livekit"),
        ("pipecat", "pipecat", "pipecat"),
        ("mcp.server", "mcp", "mcp"),
    ],
)
def test_a_framework_that_is_not_there_is_named_with_its_extra(module: str, package: str, extra: str) -> None:
    code = f"import sys; sys.modules['{package}'] = None; import grice.integrations.{module}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"pip install 'grice[{extra}]'" in ran.stderr


def test_the_check_needs_the_core_alone() -> None:
    blocked = ("pydantic", "fastapi", "starlette", "httpx", "torch", "transformers", "redis", "urllib3")
    code = f"import sys; sys.modules.update(dict.fromkeys({blocked}))\nfrom grice.integrations import ConversationCheck"
    subprocess.run([sys.executable, "-c", code], check=True)
