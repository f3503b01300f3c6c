"""Questions of benchmarks through the batch API of a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from llm_run_fixtures import asked, even, number_of, thoughtful
from openai_batches import MAKING, OpenAiBatches
from openai_server import OpenAiServer, completion, openai_server

from grice.benchmarks.llm import LlmRun
from grice.middleware.llm import batch_model
from grice.models.errors import DataCorrupt, InputError, JudgeError


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy stands between the tests and loopback, and nobody waits between two looks."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(batch_model, "POLL_S", 0.0)


def right(request: dict[str, Any]) -> tuple[int, object]:
    return 200, completion(even(request))


@contextmanager
def batching(lines: Any = right) -> Iterator[tuple[OpenAiServer, OpenAiBatches]]:
    """A server that answers nothing but batches."""
    batches = OpenAiBatches(lines)
    with openai_server([], batches) as server:
        yield server, batches


def batched(server: OpenAiServer, folder: Path, *more: Any, **options: Any) -> LlmRun:
    return asked(server.url, folder, *more, llm_batch=True, llm_out=folder / "out", **options)


def predictions(run: LlmRun) -> list[object]:
    return [sample.prediction for sample in run.samples]


def test_all_questions_are_one_batch_and_the_next_run_asks_nothing(tmp_path: Path) -> None:
    with batching() as (server, batches):
        run = batched(server, tmp_path)
        again = batched(server, tmp_path)
    assert predictions(run) == predictions(again) == ["yes", "no"] * 3
    assert len(batches.batches) == 1
    assert len(batches.requests) == 6
    assert run.usage("m").rows == ((6, 6, 0, 120, 30, 0.00018, 0.00018, 0, 0),)
    assert again.usage("m").rows[0][2] == 6
    assert again.usage("m").rows[0][6] == 0
    assert list((tmp_path / "out" / "replies.sqlite.batches").iterdir()) == []


def test_a_reply_is_remembered_for_questions_one_by_one(tmp_path: Path) -> None:
    with batching() as (server, _):
        batched(server, tmp_path)
        assert predictions(asked(server.url, tmp_path, llm_out=tmp_path / "out")) == ["yes", "no"] * 3


def test_two_phases_are_two_batches(tmp_path: Path) -> None:
    def lines(request: dict[str, Any]) -> tuple[int, object]:
        return 200, completion("Let me see." if len(request["messages"]) == 1 else even(request))

    with batching(lines) as (server, batches):
        run = batched(server, tmp_path, range(4), thoughtful)
    assert predictions(run) == ["yes", "no"] * 2
    assert [batch["request_counts"]["total"] for batch in batches.batches.values()] == [4, 4]
    assert [len(sample.exchanges) for sample in run.samples] == [2] * 4
    assert run.usage("m").rows[0][:3] == (4, 8, 0)


def test_a_prompt_that_is_asked_twice_is_in_the_batch_once(tmp_path: Path) -> None:
    from grice.benchmarks.llm import LlmOptions, LlmTask, Question, answer_all

    same = [Question(str(number), "d", "yes", thoughtful(4).ask) for number in range(3)]
    with batching(lambda _: (200, completion("yes"))) as (server, batches):
        options = LlmOptions(
            tmp_path, llm_url=server.url, llm_batch=True, llm_cache=tmp_path / "replies", llm_price_in=1, llm_price_out=1
        )
        run = answer_all(same, "m", options, LlmTask("t", {}))
    assert len(batches.requests) == 2
    assert run.usage("m").rows[0][1:3] == (6, 4)
    assert [sample.paid for sample in run.samples] == [pytest.approx(0.00005), 0, 0]


@pytest.mark.parametrize("moment", ["waiting", "making", "making, and its answer is lost"])
def test_an_interrupted_batch_is_picked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with batching() as (server, batches), monkeypatch.context() as patched:
        if moment == "waiting":
            patched.setattr(batch_model.time, "sleep", interrupt)
        else:
            batches.troubles[MAKING] = "lost" if "lost" in moment else "500"
        with pytest.raises((KeyboardInterrupt, JudgeError)):
            batched(server, tmp_path)
        patched.undo()
        monkeypatch.setattr(batch_model, "POLL_S", 0.0)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert predictions(batched(server, tmp_path)) == ["yes", "no"] * 3
    assert len(batches.batches) == 1
    assert len(batches.requests) == 6


def test_a_batch_that_the_server_has_forgotten_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with batching() as (server, batches):
        with monkeypatch.context() as patched:
            patched.setattr(batch_model.time, "sleep", interrupt)
            with pytest.raises(KeyboardInterrupt):
                batched(server, tmp_path)
        batches.batches.clear()
        assert predictions(batched(server, tmp_path)) == ["yes", "no"] * 3


def test_requests_that_fail_within_a_batch_are_unanswered(tmp_path: Path) -> None:
    def lines(request: dict[str, Any]) -> tuple[int, object]:
        odd = {1: (500, {"error": "oops"}), 2: (200, {"choices": []}), 3: (200, completion("")), 4: (200, completion("perhaps"))}
        return odd.get(number_of(request), right(request))

    with batching(lines) as (server, batches):
        batches.spoilt = b'{"custom_id": "cut\n7\n'
        run = batched(server, tmp_path)
    assert [sample.status for sample in run.samples] == ["answered", *["unanswered"] * 3, "unparsable", "answered"]
    assert run.samples[1].error == "the server answered 500 in the batch"
    assert "no chat completion" in str(run.samples[2].error)
    assert "empty" in str(run.samples[3].error)


def test_what_an_expired_batch_left_is_asked_by_the_next_run(tmp_path: Path) -> None:
    with batching() as (server, batches):
        batches.ends = "expired"
        run = batched(server, tmp_path)
        assert [sample.status for sample in run.samples] == ["answered"] * 3 + ["unanswered"] * 3
        assert run.samples[5].error == "the batch ended without an answer"
        batches.ends = "completed"
        assert predictions(batched(server, tmp_path)) == ["yes", "no"] * 3
    assert len(batches.requests) == 6


def test_a_refused_batch_ends_the_run_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with batching() as (server, batches):
        batches.ends = "failed"
        with pytest.raises(JudgeError, match=r"batch batch_1 was refused \(token_limit_exceeded\)"):
            batched(server, tmp_path)
        batches.ends = "completed"
        assert predictions(batched(server, tmp_path)) == ["yes", "no"] * 3


def test_large_batches_are_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_model, "LARGEST_BATCH", 4)
    with batching() as (server, batches):
        run = batched(server, tmp_path, range(10))
    assert predictions(run) == ["yes", "no"] * 5
    assert [batch["request_counts"]["total"] for batch in batches.batches.values()] == [4, 4, 2]


def test_large_files_are_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_model, "LARGEST_FILE", 100)
    with batching() as (server, batches):
        run = batched(server, tmp_path, range(2))
    assert predictions(run) == ["yes", "no"]
    assert [batch["request_counts"]["total"] for batch in batches.batches.values()] == [1, 1]


def test_a_batch_needs_a_place_for_its_replies(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--llm-batch: got .*allowed: one of them"):
        asked("http://127.0.0.1:9/v1", tmp_path, llm_batch=True)


@pytest.mark.parametrize("content", ["", "[]", json.dumps({"url": "x"})])
def test_a_damaged_note_is_said(tmp_path: Path, content: str) -> None:
    notes = tmp_path / "replies.batches"
    notes.mkdir()
    (notes / "abc.json").write_text(content)
    with batching() as (server, _), pytest.raises(DataCorrupt, match=r"abc\.json: no note of a batch"):
        asked(server.url, tmp_path, llm_batch=True, llm_cache=tmp_path / "replies")
