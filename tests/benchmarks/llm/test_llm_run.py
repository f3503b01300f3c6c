"""Questions of benchmarks to a language model behind a real server, which misbehaves."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from llm_run_fixtures import ABOUT, asked, even, number_of, question, thoughtful
from loopback_server import Answer, hanging, saying
from openai_server import chat, openai_server, refusing
from redis_process import eventually

from grice.benchmarks.llm import LlmOptions, LlmTask, Question, Sample, Sampling, answer_all, read_run, run_folders
from grice.benchmarks.llm.progress import HOPELESS, SpendingBar
from grice.benchmarks.llm.side_by_side import Once, answer_side_by_side
from grice.middleware.llm import ChatModel, ChatSettings, Message, Reply, ReplyCache
from grice.middleware.llm.pace import Pace
from grice.middleware.runtime.backoff import Backoff
from grice.models.errors import DataCorrupt, DataNotFound, DeadlineExceeded, InputError, JudgeError

AT_ONCE = "retry-after: 0\r\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy stands between the tests and loopback, and waits are short."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("grice.middleware.llm.chat_model.BACKOFF", Backoff(0.001, 1.0))


def right(request: dict[str, Any]) -> Answer:
    return chat(even(request))


def test_samples_come_in_order_with_what_was_asked_and_paid(tmp_path: Path) -> None:
    with openai_server(right) as server:
        run = asked(server.url, tmp_path, range(20))
    assert [sample.sample_id for sample in run.samples] == [f"n{number}" for number in range(20)]
    assert [sample.prediction for sample in run.samples] == ["yes", "no"] * 10
    (exchange,) = run.samples[3].exchanges
    assert exchange.messages == (Message("user", "Is 3 even?"),)
    assert (exchange.reply, exchange.prompt_tokens, exchange.completion_tokens, exchange.remembered) == ("no", 20, 5, False)
    assert run.usage("openai:m").rows == ((20, 20, 0, 400, 100, 0.0006, 0.0006, 0, 0),)
    assert ABOUT.items() <= run.settings["about"].items()
    assert {"python", "openai"} <= set(run.settings["versions"])


def test_unparsable_and_unanswered_are_counted_apart(tmp_path: Path) -> None:
    cut = json.dumps({"choices": [{"message": {"content": "yes"}}]}).encode()[:-9]
    answers: dict[int, Answer] = {
        0: chat("perhaps"),
        1: chat(""),
        2: chat(None, refusal="I would rather not."),
        3: saying(cut),
        4: refusing("400 No"),
    }
    with openai_server(lambda request: answers.get(number_of(request), right(request))) as server:
        run = asked(server.url, tmp_path)
    assert [sample.status for sample in run.samples] == ["unparsable", *["unanswered"] * 4, "answered"]
    errors = [sample.error or "" for sample in run.samples]
    assert errors[0] == errors[5] == ""
    assert errors[1] == "the model's answer is empty; it ended with stop"
    assert errors[2] == "the model refused to answer"
    assert "no chat completion" in errors[3]
    assert "400" in errors[4]
    assert run.samples[0].exchanges[0].reply == "perhaps"
    assert run.usage("m").rows[0][-2:] == (1, 4)


@pytest.mark.parametrize("trouble", ["429 Too Many Requests", "500 Oops", "hangs"])
def test_a_server_in_trouble_is_asked_again(tmp_path: Path, trouble: str) -> None:
    first = hanging(threading.Event()) if trouble == "hangs" else refusing(trouble, more=AT_ONCE)
    with openai_server([first, chat("yes")]) as server:
        run = asked(server.url, tmp_path, [0], llm_timeout_s=0.3)
    assert run.samples[0].status == "answered"


def test_a_prompt_that_is_asked_twice_is_paid_once(tmp_path: Path) -> None:
    same = [Question(f"{number}", "d", "yes", question(4).ask) for number in range(5)]
    with openai_server([chat("yes")]) as server:
        run = answer_all(same, "m", LlmOptions(tmp_path, llm_url=server.url, llm_price_in=1, llm_price_out=1), LlmTask("t", {}))
    assert [sample.prediction for sample in run.samples] == ["yes"] * 5
    assert run.usage("m").rows[0][1:7] == (5, 4, 100, 25, 0.000125, 0.000025)


def test_threads_wait_for_one_reply_and_share_its_failure() -> None:
    gate, calls, outcomes = threading.Event(), [0], []

    def complete(messages: object) -> Reply:
        calls[0] += 1
        assert gate.wait(20)
        raise JudgeError("down")

    once = Once(complete)

    def ask() -> None:
        try:
            once([Message("user", "x")])
        except JudgeError as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join(20)
    assert (calls, outcomes) == ([1], ["down"] * 4)


def test_a_question_may_ask_twice(tmp_path: Path) -> None:
    def answer(request: dict[str, Any]) -> Answer:
        return chat(f"{number_of(request)} it is" if len(request["messages"]) == 1 else even(request))

    with openai_server(answer) as server:
        run = asked(server.url, tmp_path, range(3), thoughtful)
    assert [sample.prediction for sample in run.samples] == ["yes", "no", "yes"]
    assert run.samples[2].exchanges[1].messages[1] == Message("assistant", "2 it is")


KILLED = """
import os, pathlib, signal, sys
sys.path.insert(0, sys.argv[3])
from llm_run_fixtures import asked, question
from grice.benchmarks.llm import Question

def make(number):
    if number < 7:
        return question(number)
    return Question(f"n{number}", "d", "yes", lambda ask: os.kill(os.getpid(), signal.SIGKILL))

asked(sys.argv[1], pathlib.Path(sys.argv[2]), range(10), make, llm_workers=1, llm_out=pathlib.Path(sys.argv[2]) / "out")
"""


def test_a_run_that_was_killed_goes_on_without_asking_again(tmp_path: Path) -> None:
    with openai_server(right) as server:
        command = [sys.executable, "-c", KILLED, server.url, str(tmp_path), str(Path(__file__).parents[2] / "fixtures")]
        assert subprocess.run(command, check=False).returncode == -9
        assert len(server.requests) == 7
        assert run_folders(tmp_path / "out") == []
        run = asked(server.url, tmp_path, range(10), llm_out=tmp_path / "out")
        assert sorted(map(number_of, server.requests)) == list(range(10))
    assert run.usage("m").rows[0][:3] == (10, 10, 7)
    assert [sample.paid > 0 for sample in run.samples] == [False] * 7 + [True] * 3


def test_what_failed_is_asked_again_by_the_next_run(tmp_path: Path) -> None:
    with openai_server([chat("yes"), refusing("400 No"), chat("no")]) as server:
        first = asked(server.url, tmp_path, range(2), llm_workers=1, llm_cache=tmp_path / "replies")
        second = asked(server.url, tmp_path, range(2), llm_workers=1, llm_cache=tmp_path / "replies")
    assert [sample.status for sample in first.samples] == ["answered", "unanswered"]
    assert [sample.prediction for sample in second.samples] == ["yes", "no"]


def test_a_folder_gives_the_run_back(tmp_path: Path) -> None:
    answers = {1: chat("a line\u2028break"), 2: refusing("400 No")}
    with openai_server(lambda request: answers.get(number_of(request), right(request))) as server:
        run = asked(server.url, tmp_path, llm_out=tmp_path / "out", task="a/b", llm_temperature=0.7)
    (folder,) = run_folders(tmp_path / "out")
    assert folder.name == "a%2Fb--m"
    assert run_folders(folder) == [folder]
    assert read_run(folder) == run
    described = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert (described["n"], described["unparsable"], described["unanswered"]) == (6, 1, 1)
    assert described["settings"]["temperature"] == 0.7
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("samples.jsonl", lambda text: text[:-9]),
        ("run.json", lambda text: text[:-9]),
        ("run.json", lambda text: text.replace('"format": 1', '"format": 2')),
        ("run.json", lambda text: "[]"),
    ],
)
def test_a_damaged_folder_is_refused(tmp_path: Path, file: str, change: Any) -> None:
    with openai_server(right) as server:
        asked(server.url, tmp_path, llm_out=tmp_path)
    path = run_folders(tmp_path)[0] / file
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(DataCorrupt, match="run the benchmark again"):
        read_run(path.parent)


def test_a_folder_without_a_run_and_one_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match="give a folder that --llm-out wrote"):
        read_run(tmp_path)
    (tmp_path / "file").write_text("")
    with openai_server([]) as server, pytest.raises(InputError, match="--llm-out"):
        asked(server.url, tmp_path, llm_out=tmp_path / "file")


def test_a_server_that_answers_nothing_ends_the_run(tmp_path: Path) -> None:
    with openai_server(lambda _: refusing("401 Unauthorized")) as server:
        with pytest.raises(JudgeError, match=rf"{HOPELESS} questions in a row were not answered, .* answered 401"):
            asked(server.url, tmp_path, range(10 * HOPELESS), llm_workers=2)
        assert len(server.requests) < 10 * HOPELESS
        with pytest.raises(JudgeError, match="2 questions in a row"):
            asked(server.url, tmp_path, range(2))


def test_the_paper_says_how_and_the_options_have_the_last_word(tmp_path: Path) -> None:
    with openai_server([chat("yes")] * 3) as server:
        options = LlmOptions(tmp_path, llm_url=server.url, seed=3)
        answer_all([question(0)], "m", options, LlmTask("t", {}, Sampling(0.7, 50)))
        own = LlmOptions(tmp_path, llm_url=server.url, llm_temperature=0.0, llm_max_tokens=9)
        answer_all([question(0)], "m", own, LlmTask("t", {}, Sampling(0.7, 50)))
        bare = LlmOptions(tmp_path, llm_url=server.url, llm_omit=("temperature", "seed"))
        run = answer_all([question(0)], "m", bare, LlmTask("t", {}))
    sent = [[request.get(name) for name in ("temperature", "seed", "max_tokens")] for request in server.requests]
    assert sent == [[0.7, 3, 50], [0.0, 0, 9], [None, None, 1024]]
    assert not {"temperature", "seed"} & set(run.settings)


def test_questions_have_names_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="same sample_id"):
        asked("http://127.0.0.1:9/v1", tmp_path, [1, 1])


def test_no_more_questions_at_a_time_than_workers(tmp_path: Path) -> None:
    gate, lock, busy, most = threading.Semaphore(0), threading.Lock(), [0], [0]

    def slow(connection: Any, raw: bytes) -> bool:
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        assert gate.acquire(timeout=20)
        with lock:
            busy[0] -= 1
        return chat("yes")(connection, raw)

    with openai_server(lambda _: slow) as server:
        runs: list[object] = []
        runner = threading.Thread(target=lambda: runs.append(asked(server.url, tmp_path, range(9), llm_workers=3)))
        runner.start()
        eventually(lambda: busy[0] == 3)
        gate.release(9)
        runner.join(20)
    assert len(runs) == 1
    assert most[0] == 3


def test_what_is_under_way_when_a_person_stops_the_run_is_remembered(tmp_path: Path) -> None:
    asked_second, stopped = threading.Event(), threading.Event()

    def answer(request: dict[str, Any]) -> Answer:
        def when_its_time_has_come(connection: Any, raw: bytes) -> bool:
            if number_of(request) == 0:
                assert asked_second.wait(20)
            else:
                asked_second.set()
                assert stopped.wait(20)
            return right(request)(connection, raw)

        return when_its_time_has_come

    class Stopping:
        def count(self, sample: Sample) -> None:
            stopped.set()
            raise KeyboardInterrupt

    cache = ReplyCache(tmp_path / "replies")
    with openai_server(answer) as server, contextlib.closing(ChatModel(ChatSettings(server.url, "m", workers=2), cache)) as model:
        with pytest.raises(KeyboardInterrupt):
            answer_side_by_side([question(number) for number in range(9)], model, Stopping())  # type: ignore[arg-type]
        asked_then = len(server.requests)
        assert model.complete([Message("user", "Is 1 even?")]).cached
        assert len(server.requests) == asked_then < 9


def test_turns_are_evenly_apart_and_none_is_saved_up() -> None:
    now = [100.0]
    pace = Pace(30, lambda: now[0])
    assert [pace.take() for _ in range(4)] == [0, 2, 4, 6]
    now[0] = 103.0
    assert pace.take() == 5
    now[0] = 200.0
    assert [pace.take() for _ in range(3)] == [0, 2, 4]


def test_a_question_whose_turn_is_too_late_is_not_asked() -> None:
    with openai_server([chat("yes")]) as server:
        model = ChatModel(ChatSettings(server.url, "m", per_minute=1, deadline_s=10))
        model.complete([Message("user", "first")])
        with pytest.raises(DeadlineExceeded, match="its turn in the rate of requests was too late"):
            model.complete([Message("user", "second")])
        model.close()


def test_every_attempt_takes_a_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[Pace] = []

    def take(pace: Pace) -> float:
        taken.append(pace)
        return 0.0

    monkeypatch.setattr(Pace, "take", take)
    with openai_server([refusing("500 Oops", more=AT_ONCE), chat("yes"), chat("no")]) as server:
        asked(server.url, tmp_path, range(2), llm_rpm=60, llm_workers=1)
    assert len(taken) == 3


def test_the_bar_says_what_it_cost(tmp_path: Path) -> None:
    with openai_server([chat("yes"), chat("perhaps")]) as server:
        run = asked(server.url, tmp_path, range(2), llm_workers=1)
    with SpendingBar("m even", 2) as progress:
        for sample in run.samples:
            progress.count(sample)
        assert progress.text == "$0.0001, 1 unparsable"
