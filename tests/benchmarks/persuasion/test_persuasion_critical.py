"""Dialogues with reproaches: their prompts, what is read of a reply, and who finds a reproach in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai_server import chat, openai_server

from grice.benchmarks.llm import WindowedOptions
from grice.benchmarks.persuasion import critical
from grice.benchmarks.persuasion.annotations import AnnotatedDialogue, read_annotations
from grice.benchmarks.persuasion.critical import CHOICES, MessageFinding
from grice.benchmarks.persuasion.questions import LETTERS, IntentionQuestion
from grice.middleware.cli import main
from grice.models.errors import InputError
from grice.models.results import FACE_ACTS

REPLY = """\
Here is the scene:

Persuader: Good evening!
Persuadee: Good evening.
Persuader: Please give a dollar.
Persuadee: No: I need it.
Persuader [critical]: You waste more than that on sweets.
**They pause.**
Persuader [critical]:  And you   sleep well?
Persuadee [critical]: You are rude.
"""


def test_prompts_differ_and_take_turns() -> None:
    prompts = critical.prompts()
    assert len(prompts) == len(set(prompts.values())) == 20
    assert [name.partition("-")[0] for name in prompts][:4] == ["spending", "inaction", "spending", "inaction"]
    for prompt in prompts.values():
        assert "{" not in prompt
        assert "Persuader [critical]: " in prompt


def test_messages_are_read_from_a_reply() -> None:
    said = critical.written(REPLY)
    assert said is not None
    assert len(said) == 7
    assert said[3] == ("persuadee", "No: I need it.", False)
    assert said[5] == ("persuader", "And you sleep well?", True)
    assert critical.written(REPLY.replace("Persuader [critical]", "Persuader")) is None
    assert critical.written("Persuader [critical]: Shame.\nPersuadee: Well.") is None


def dialogue() -> AnnotatedDialogue:
    said = critical.written(REPLY)
    assert said is not None
    return critical.marked_dialogue("spending-00", said)


def test_only_marked_messages_of_the_persuader_are_asked_about() -> None:
    asked = critical.critical_questions([dialogue()])
    assert [each.question_id for each in asked] == ["spending-00:4", "spending-00:5"]
    assert {frozenset(option.id for option in each.options) for each in asked} == {frozenset(CHOICES)}
    assert {each.answer.id for each in asked} == {"er-criticizes"}
    assert [len(each.history) for each in asked] == [4, 5]


def test_agreement_counts_pairs_of_findings() -> None:
    asked = critical.critical_questions([dialogue()])[0]
    found = [
        MessageFinding(asked, "er-criticizes", "hpos-"),
        MessageFinding(asked, "er-motivates", "hpos-"),
        MessageFinding(asked, "er-motivates", "spos+"),
        MessageFinding(asked, None, "hneg-"),
    ]
    rows = {row[0]: row[1:] for row in critical.agreement(found).rows}
    assert rows["er-criticizes"] == (1, 0, 1)
    assert rows["er-motivates"] == (1, 1, 2)
    assert rows["no answer"] == (0, 1, 1)
    assert critical.agreement([MessageFinding(asked, None, None)]).header == ("judge \\ detector", "not asked", "all")


class Seer:
    """A predictor that finds every message critical."""

    def __init__(self) -> None:
        self.about: dict[str, Any] = {}

    def labels(self, spoken: Any) -> Any:
        return ["hpos-"] * len(spoken)

    def probabilities(self, questions: Sequence[IntentionQuestion]) -> Any:
        return np.array([[float(label == "hpos-") for label in FACE_ACTS]] * len(questions))


def test_without_a_judge_the_detector_is_asked_alone() -> None:
    asked = critical.critical_questions([dialogue()])
    run, found = critical.findings(asked, None, Seer(), WindowedOptions(Path()))
    assert run is None
    assert [(each.judge, each.detector) for each in found] == [(None, "hpos-")] * 2


def test_a_whole_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    written = critical.prompts()
    first, second = list(written.values())[:2]

    def answer(request: dict[str, Any]) -> Any:
        prompt = request["messages"][-1]["content"]
        if prompt in (first, second):
            return chat(REPLY if prompt == first else "I would rather not.")
        if prompt.endswith("step by step."):
            return chat("Hm.")
        options = [prompt.index(f"({letter}) ") for letter in LETTERS]
        place = prompt.index("The persuader reproaches")
        return chat(LETTERS[max(number for number, start in enumerate(options) if start < place)])

    path = tmp_path / "critical.jsonl"
    with openai_server(answer) as server:
        command = ["persuasion", "critical", "--generator", "w", "--judge", "j", "--llm-url", server.url]
        assert main([*command, "--dialogues", "2", "--llm-workers", "1", "--out", str(path)]) == 0
        assert {request["model"] for request in server.requests} == {"w", "j"}
        assert len(server.requests) == 2 + 2 * 2
    err = capsys.readouterr().err
    assert "2 messages that were to be critical" in err
    assert [line.split() for line in err.splitlines() if line.startswith("er-criticizes")] == [["er-criticizes", "2", "2"]]
    (found,) = read_annotations(path)
    assert [each.face_act for each in found.utterances] == [None] * 4 + ["hpos-"] * 2 + [None]
    entries = json.loads(path.read_text())["utterances"]
    assert entries[4]["judge"] == "er-criticizes"
    assert entries[4]["detector"] is None


@pytest.mark.parametrize("count", [0, 21])
def test_there_are_not_more_dialogues_than_prompts(count: int) -> None:
    with pytest.raises(InputError, match=r"dialogues: got .*1 to 20"):
        critical.generated("m", count, WindowedOptions(Path(), llm_url="http://127.0.0.1:1/v1"))
