"""The client of language models, against a real server on loopback."""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback_server import dripping, hanging, saying
from openai_server import OpenAiServer, Script, chat, openai_server, refusing
from redis_process import eventually

from grice.middleware.llm import ChatModel, ChatSettings, Limits, MemoryBudget, Message, Reply, ReplyCache
from grice.middleware.runtime.backoff import Backoff
from grice.models.errors import (
    BudgetExhausted,
    CircuitOpen,
    DataCorrupt,
    DataNotFound,
    DeadlineExceeded,
    JudgeError,
    SettingsError,
    StoreError,
)

HELLO = [Message("system", "Be short."), Message("user", "How are you, 你好?")]
AT_ONCE = "retry-after: 0\r\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy stands between the tests and loopback, and waits are short."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("grice.middleware.llm.chat_model.BACKOFF", Backoff(0.001, 1.0))


@contextlib.contextmanager
def asking(
    script: Script, cache: ReplyCache | None = None, budget: object = None, is_live: bool = False, **settings: object
) -> Iterator[tuple[OpenAiServer, ChatModel]]:
    """A server with a script, and a model that asks it."""
    with openai_server(script) as server:
        chosen = ChatSettings(**{"url": server.url, "model": "parrot-1", **settings})  # type: ignore[arg-type]
        with contextlib.closing(ChatModel(chosen, cache, budget, is_live)) as model:  # type: ignore[arg-type]
            yield server, model


def test_a_question_and_its_reply() -> None:
    with asking([chat("Fine.", (12, 3))], api_key="secret-key", prompt_price=2.0, completion_price=8.0) as (server, model):
        assert model.complete(HELLO) == Reply("Fine.", "stop", False, 12, 3, (12 * 2.0 + 3 * 8.0) / 1e6, False)
    assert server.requests == [
        {
            "model": "parrot-1",
            "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "How are you, 你好?"}],
            "temperature": 0,
            "seed": 0,
        }
    ]
    assert server.keys == ["Bearer secret-key"]


def test_what_a_server_refuses_is_not_sent() -> None:
    with asking([chat("Fine.")], omit=("temperature", "seed"), max_tokens=7) as (server, model):
        model.complete(HELLO)
    assert sorted(server.requests[0]) == ["max_tokens", "messages", "model"]


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "12"}, {"prompt_tokens": True, "completion_tokens": -1}])
def test_tokens_that_the_server_does_not_count_are_not_known(usage: object) -> None:
    with asking([chat("Fine.", usage)], prompt_price=1, completion_price=1) as (_, model):
        reply = model.complete(HELLO)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost) == (None, None, None)


def test_without_prices_there_is_no_cost() -> None:
    with asking([chat("Fine.")]) as (_, model):
        assert model.complete(HELLO).cost is None


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (chat(None, refusal="I would rather not."), Reply("", "stop", True, 20, 5)),
        (chat("", finish_reason="content_filter"), Reply("", "content_filter", True, 20, 5)),
        (chat("It is", finish_reason="length"), Reply("It is", "length", False, 20, 5)),
    ],
)
def test_refused_and_cut_replies_say_so(answer: object, reply: Reply) -> None:
    with asking([answer]) as (_, model):  # type: ignore[list-item]
        assert model.complete(HELLO) == reply


@pytest.mark.parametrize(
    "status", ["429 Too Many Requests", "500 Internal Server Error", "503 Service Unavailable", "408 Request Timeout"]
)
def test_a_busy_server_is_asked_again(status: str) -> None:
    with asking([refusing(status), refusing(status, more=AT_ONCE), chat("Fine.")]) as (server, model):
        assert model.complete(HELLO).text == "Fine."
    assert len(server.requests) == 3


def test_retry_after_is_waited_for_and_closing_ends_the_wait() -> None:
    with asking([refusing("429 Too Many Requests", more="retry-after: 3600\r\n")], deadline_s=7200) as (server, model):
        errors: list[str] = []

        def ask() -> None:
            with pytest.raises(JudgeError) as caught:
                model.complete(HELLO)
            errors.append(str(caught.value))

        asker = threading.Thread(target=ask)
        asker.start()
        eventually(lambda: len(server.requests) == 1)
        time.sleep(0.5)  # the answer is on its way, and the wait begins
        model.close()
        asker.join(20)
    assert len(errors) == 1
    assert errors[0].endswith("attempts: 1")


@pytest.mark.parametrize("after", ["3600", "Sat, 01 Jan 2950 00:00:00 GMT"])
def test_a_wait_that_is_too_long_is_not_begun(after: str) -> None:
    with (
        asking([refusing("429 Too Many Requests", more=f"retry-after: {after}\r\n")], deadline_s=60) as (_, model),
        pytest.raises(DeadlineExceeded, match=r"the server answered 429 \(some_error\), and another attempt would be too late"),
    ):
        model.complete(HELLO)


@pytest.mark.parametrize("after", ["soon", "-1", "nan", "inf", "", "Thu, 01 Jan 1970 00:00:00 GMT"])
def test_a_wait_that_cannot_be_read_is_our_own(after: str) -> None:
    with asking([refusing("429 Too Many Requests", more=f"retry-after: {after}\r\n"), chat("Fine.")]) as (_, model):
        assert model.complete(HELLO).text == "Fine."


def test_attempts_are_bounded() -> None:
    with asking([refusing("500 Oops")] * 3, attempts=3) as (_, model), pytest.raises(JudgeError, match=r"500 .*; attempts: 3"):
        model.complete(HELLO)


@pytest.mark.parametrize("status", ["400 Bad Request", "401 Unauthorized", "404 Not Found", "422 Unprocessable Entity"])
def test_a_refusal_is_final_and_quotes_nothing(status: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    answer = refusing(status, "invalid_request", "wrong key secret-key in 'How are you, 你好?'")
    with asking([answer], api_key="secret-key") as (_, model), pytest.raises(JudgeError) as caught:
        model.complete(HELLO)
    assert str(caught.value) == f"the server answered {status[:3]} (invalid_request, some_error); attempts: 1"
    assert caught.value.__cause__ is None
    assert "secret-key" not in caplog.text + repr(model.settings)


def test_an_empty_account_is_no_reason_to_wait() -> None:
    with (
        asking([refusing("429 Too Many Requests", "insufficient_quota")]) as (_, model),
        pytest.raises(JudgeError, match="insufficient_quota"),
    ):
        model.complete(HELLO)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>not here</html>",
        b"{}",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b'{"choices": null}',
    ],
)
def test_garbage_is_an_error(body: bytes) -> None:
    with asking([saying(body)]) as (_, model), pytest.raises(JudgeError, match=r"no chat completion|without text"):
        model.complete(HELLO)


def test_a_server_that_hangs_is_left_and_asked_again() -> None:
    cut = threading.Event()
    with asking([hanging(cut), chat("Fine.")], timeout_s=0.3, deadline_s=60) as (_, model):
        assert model.complete(HELLO).text == "Fine."
        assert cut.wait(20)


def test_a_server_that_drips_is_left() -> None:
    start = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"
    with (
        asking([dripping(start, threading.Event())], timeout_s=0.3, attempts=1) as (_, model),
        pytest.raises(JudgeError, match=r"did not answer within 0\.3 s; attempts: 1"),
    ):
        model.complete(HELLO)


def test_a_connection_that_breaks_is_made_again() -> None:
    def breaking(connection: object, _: bytes) -> bool:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")  # type: ignore[attr-defined]
        return False

    with asking([breaking, chat("Fine.")]) as (_, model):
        assert model.complete(HELLO).text == "Fine."


def test_nobody_listens() -> None:
    with asking([]) as (server, model):
        url = server.url
    with (
        contextlib.closing(ChatModel(ChatSettings(url, "m", attempts=2))) as model,
        pytest.raises(JudgeError, match="connection failed"),
    ):
        model.complete(HELLO)


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies")
    with asking([chat("Fine.", (12, 3))], cache, prompt_price=1, completion_price=1) as (_, model):
        first = model.complete(HELLO)
    # The cache is keyed by the address too, so the second model has the address of the first server, where nobody is any more.
    with contextlib.closing(ChatModel(model.settings, ReplyCache(tmp_path / "replies"))) as again:
        second = again.complete(HELLO)
    assert not first.cached
    assert second == Reply("Fine.", "stop", False, 12, 3, 15 / 1e6, cached=True)


@pytest.mark.parametrize(
    ("changes", "messages"),
    [
        ({"model": "parrot-2"}, HELLO),
        ({"max_tokens": 5}, HELLO),
        ({"omit": ("seed",)}, HELLO),
        ({}, HELLO[1:]),
        ({}, [Message("user", "Be short."), HELLO[1]]),
    ],
)
def test_another_question_is_asked_anew(tmp_path: Path, changes: dict[str, object], messages: list[Message]) -> None:
    cache = ReplyCache(tmp_path / "replies")
    with asking([chat("Fine."), chat("Better.")], cache) as (server, model):
        model.complete(HELLO)
        with contextlib.closing(ChatModel(ChatSettings(**{"url": server.url, "model": "parrot-1", **changes}), cache)) as other:  # type: ignore[arg-type]
            assert other.complete(messages).text == "Better."


def test_what_failed_or_is_empty_is_not_remembered(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies")
    with asking([refusing("400 No"), chat(""), chat("Fine.")], cache) as (_, model):
        with pytest.raises(JudgeError):
            model.complete(HELLO)
        assert model.complete(HELLO).text == ""
        assert model.complete(HELLO).text == "Fine."


@pytest.mark.parametrize("entry", ["", "not json", "[]", "[1, 2, 3, 4, 5]", '["Fine.", "stop", false, "x", 1]', b"\x00\xff"])
def test_a_damaged_entry_is_none_and_is_written_anew(tmp_path: Path, entry: object) -> None:
    cache = ReplyCache(tmp_path / "replies")
    with asking([chat("Fine."), chat("Better.")], cache) as (_, model):
        model.complete(HELLO)
        with contextlib.closing(sqlite3.connect(cache.path)) as database, database:
            assert database.execute("UPDATE replies SET reply = ?", (entry,)).rowcount == 1
        assert model.complete(HELLO).text == "Better."
        assert model.complete(HELLO) == Reply("Better.", "stop", False, 20, 5, cached=True)


def test_the_cache_is_its_owners(tmp_path: Path) -> None:
    assert ReplyCache(tmp_path / "replies").path.stat().st_mode & 0o077 == 0


def test_a_file_that_is_no_cache_is_refused_and_kept(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("dear diary, " * 100)
    with pytest.raises(DataCorrupt, match=r"notes\.txt: .*delete the file or give another path"):
        ReplyCache(notes)
    assert notes.read_text().startswith("dear diary")
    with pytest.raises(DataNotFound, match="folder that is there"):
        ReplyCache(tmp_path / "nowhere" / "replies")


def test_a_cache_that_fails_later_is_done_without(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = ReplyCache(tmp_path / "replies")
    cache.path.write_text("overwritten by somebody " * 100)
    with asking([chat("Fine.")], cache) as (_, model):
        assert model.complete(HELLO).text == "Fine."
    assert "cannot be read: DatabaseError" in caplog.text
    assert "cannot be written: DatabaseError" in caplog.text


def test_processes_share_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "replies"
    code = (
        "import sys, pathlib; from grice.middleware.llm import Reply, ReplyCache\n"
        "cache = ReplyCache(pathlib.Path(sys.argv[1]))\n"
        "for n in range(15): cache.write(f'{sys.argv[2]} {n}', Reply(sys.argv[2])); cache.write('all', Reply('x' * 5000))\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), str(number)]) for number in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    cache = ReplyCache(path)
    assert all(cache.read(f"{number} {n}") == Reply(str(number), cached=True) for number in range(3) for n in range(15))
    assert cache.read("all") == Reply("x" * 5000, cached=True)


def test_several_questions_keep_their_order_and_fail_alone() -> None:
    def answer(request: dict[str, object]) -> object:
        text = request["messages"][-1]["content"]  # type: ignore[index]
        return refusing("400 No") if text == "3" else chat(text * 2)

    with asking(answer, workers=3) as (_, model):  # type: ignore[arg-type]
        replies = model.complete_all([[Message("user", str(number))] for number in range(8)])
    assert [reply.text if isinstance(reply, Reply) else type(reply) for reply in replies] == [
        "00",
        "11",
        "22",
        JudgeError,
        "44",
        "55",
        "66",
        "77",
    ]


def test_no_more_questions_at_a_time_than_workers() -> None:
    gate, busy, most = threading.Semaphore(0), [0], [0]

    def answer(request: dict[str, object]) -> object:
        def slow(connection: object, raw: bytes) -> bool:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
            assert gate.acquire(timeout=20)
            busy[0] -= 1
            return chat("Fine.")(connection, raw)  # type: ignore[arg-type]

        return slow

    with asking(answer, workers=2) as (_, model):  # type: ignore[arg-type]
        found: list[object] = []
        caller = threading.Thread(target=lambda: found.extend(model.complete_all([[Message("user", str(n))] for n in range(6)])))
        caller.start()
        eventually(lambda: busy[0] == 2)
        gate.release(6)
        caller.join(20)
    assert len(found) == 6
    assert most[0] == 2


def test_questions_that_are_late_are_given_up() -> None:
    hung = threading.Event()
    script = lambda request: chat("Fine.") if request["messages"][-1]["content"] == "quick" else hanging(hung)  # noqa: E731
    with asking(script, workers=2) as (server, model):
        replies = model.complete_all(
            [[Message("user", each)] for each in ("quick", "slow", "slow", "slow", "slow")], deadline_s=0.5
        )
        assert isinstance(replies[0], Reply)
        assert all(isinstance(reply, DeadlineExceeded) for reply in replies[1:])
        assert len(server.requests) <= 3


def test_the_budget_is_asked_and_told(tmp_path: Path) -> None:
    budget = MemoryBudget(Limits(calls_per_hour=2, usd_per_day=1.0))
    with asking([chat("Fine.", (100, 100))] * 2, ReplyCache(tmp_path / "replies"), budget, prompt_price=1, completion_price=1) as (
        _,
        model,
    ):
        model.complete(HELLO)
        model.complete(HELLO)
        model.complete(HELLO[1:])
        assert model.complete(HELLO).cached
        with pytest.raises(BudgetExhausted, match="the budget of 2 calls an hour is used up"):
            model.complete([Message("user", "One more?")])


def test_dollars_of_replies_use_up_the_budget() -> None:
    budget = MemoryBudget(Limits(usd_per_day=0.0003))
    with asking([chat("Fine.", (100, 100))] * 2, budget=budget, prompt_price=1, completion_price=1) as (_, model):
        model.complete(HELLO)
        model.complete(HELLO)
        with pytest.raises(BudgetExhausted, match=r"the budget of 0\.0003 US dollars a day is used up"):
            model.complete(HELLO)


def test_a_budget_that_cannot_be_reached_lets_nothing_through() -> None:
    class Lost:
        def take(self, tenant: str = "default") -> None:
            raise StoreError("away")

    with asking([], budget=Lost()) as (_, model), pytest.raises(StoreError):
        model.complete(HELLO)


def test_a_reply_that_is_paid_for_is_not_lost_with_the_budget(caplog: pytest.LogCaptureFixture) -> None:
    class Losing:
        def take(self, tenant: str = "default") -> None:
            return

        def spend(self, usd: float, tenant: str = "default") -> None:
            raise StoreError("away")

    with asking([chat("Fine.")], budget=Losing(), prompt_price=1, completion_price=1) as (_, model):
        assert model.complete(HELLO).text == "Fine."
    assert "what a reply cost is missing in the budget: away" in caplog.text


def test_nobody_waits_for_a_server_that_is_down_and_it_is_asked_once_it_is_back() -> None:
    with asking([refusing("500 Oops"), refusing("500 Oops"), chat("Fine.")], attempts=2, is_live=True) as (server, model):
        server.healthy = False
        with pytest.raises(JudgeError):
            model.complete(HELLO)
        with pytest.raises(CircuitOpen, match="the model parrot-1 is not asked until it answers again"):
            model.complete(HELLO)
        server.healthy = True

        def answers() -> bool:
            with contextlib.suppress(CircuitOpen):
                return model.complete(HELLO).text == "Fine."
            return False

        eventually(answers)


def test_a_refused_question_says_nothing_of_the_server() -> None:
    with asking([refusing("400 No"), chat("Fine.")], is_live=True) as (_, model):
        with pytest.raises(JudgeError):
            model.complete(HELLO)
        assert model.complete(HELLO).text == "Fine."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"url": "ftp://secret@x"}, "url: got 'a value that is not shown'; allowed: a base URL"),
        ({"url": "http://["}, "url: got"),
        ({"url": "http://x:port"}, "url: got"),
        ({"url": "http:///v1"}, "url: got"),
        ({"model": ""}, "model: got ''; allowed: the name of a model"),
        ({"api_key": "ключ"}, "api_key: got 'a value that is not shown'"),
        ({"omit": ("top_p",)}, "omit: got 'top_p'; allowed: temperature, seed"),
        ({"attempts": 0}, "attempts: got 0"),
        ({"workers": 65}, "workers: got 65; allowed: 1 to 64"),
        ({"timeout_s": 0}, "timeout_s: got 0"),
        ({"deadline_s": float("nan")}, "deadline_s: got nan"),
        ({"max_tokens": 0}, "max_tokens: got 0"),
        ({"prompt_price": -1}, "prompt_price: got -1"),
    ],
)
def test_bad_settings_are_named(changes: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        ChatSettings(**{"url": "http://x", "model": "m", **changes})  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_cache_entries_hold_no_question(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies")
    with asking([chat("Fine.")], cache) as (_, model):
        model.complete(HELLO)
    with contextlib.closing(sqlite3.connect(cache.path)) as database:
        rows = database.execute("SELECT name, reply FROM replies").fetchall()
    assert [len(name) for name, _ in rows] == [64]
    assert json.loads(rows[0][1])[0] == "Fine."
