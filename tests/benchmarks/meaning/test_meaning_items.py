"""`grice bench meaning --items`: the format and its errors, what is counted, samples, the shipped reader and a language model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench_fixtures import bench, check_shape
from loopback_server import Answer
from meaning_fixtures import item, write_items
from openai_server import Request, chat, openai_server

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.meaning.cases import NOTHING, MeaningAnswer, MeaningCase, NamedMeaning
from grice.benchmarks.meaning.items import read_items
from grice.benchmarks.meaning.own_items import add_decisions
from grice.benchmarks.meaning.scores import add_meaning
from grice.middleware import TurnAnalysis
from grice.middleware.cli import main
from grice.middleware.turns.clarification import Clarification, ClarifyOption
from grice.models.dialogue import Dialogue
from grice.models.errors import DataNotFound, InputError
from grice.models.manifest import FILE, sha256
from grice.models.meaning.results import MeaningQuestion
from grice.models.schema import BotSchema, IntentSpec

FLOORS = ("cosine", "lexical", "majority")
RENEW: NamedMeaning = ("intent", "renew_loan")
HOURS: NamedMeaning = ("intent", "opening_hours")
THANKS = item(2, text="Thank you!", kind="courtesy", gold_intent=None, gold_direct="Thank you!")
HARBOUR = item(3, text="Harbour.", kind="direct", gold_intent=None, gold_slots={"branch": "harbour"}, domain="branches")


def test_the_items_of_a_file(tmp_path: Path) -> None:
    path = write_items(
        tmp_path / "items.jsonl", item(1, note="kept", intents=[*item(1)["intents"], {"name": "a", "description": "", "x": 1}])
    )
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    (found,) = read_items(path)
    assert found.fields["note"] == "kept"
    assert (found.case.gold, found.case.kind, found.case.part, found.case.slots) == (RENEW, "indirect", "library", {})
    assert [turn.speaker for turn in found.case.question.dialogue.turns] == ["bot", "user"]
    assert [intent.name for intent in found.case.question.schema.intents] == ["renew_loan", "opening_hours", "a"]


OF_THE_TURN = ("id", "history", "text", "kind", "gold_intent", "gold_slots", "gold_direct")


def _bot(*turns: dict[str, Any], **given: Any) -> dict[str, Any]:
    """A line of a bot with turns, of items of the same bot."""
    bot = {key: value for key, value in item(1).items() if key not in OF_THE_TURN}
    return {**bot, "turns": [{key: turn[key] for key in OF_THE_TURN if key in turn} for turn in turns], **given}


def test_a_line_may_be_a_bot_with_its_turns(tmp_path: Path) -> None:
    alone = item(3, text="When do you close?", gold_intent="opening_hours", kind="direct")
    path = write_items(tmp_path / "items.jsonl", _bot(item(1), THANKS, service="of the town"), alone)
    found = read_items(path)
    assert [each.fields["id"] for each in found] == ["library-1", "library-2", "library-3"]
    assert [each.fields.get("service") for each in found] == ["of the town", "of the town", None]
    assert [each.case for each in found] == [
        each.case for each in read_items(write_items(tmp_path / "one_a_line.jsonl", item(1), THANKS, alone))
    ]


def test_a_bots_turns_without_id_are_told_apart_by_their_place(tmp_path: Path) -> None:
    nameless = [{key: value for key, value in each.items() if key != "id"} for each in (item(1), THANKS)]
    path = write_items(tmp_path / "items.jsonl", _bot(*nameless), _bot(*nameless, id="b", domain="museum"))
    assert [each.case.group for each in read_items(path)] == ["library/1", "library/2", "museum/b-1", "museum/b-2"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"turns": "hi"}, "turns: got 'hi'; allowed: a list"),
        ({"turns": []}, r"turns: got \[\]; allowed: a list of at least one turn"),
        ({"turns": ["hi"]}, "turn 1: got 'hi'; allowed: an object"),
        ({"turns": [{}]}, "turn 1, history: got 'no such field'; allowed: a list"),
        ({"slots": []}, r"turn 1, slots: got \[\]; allowed: an object"),
        ({"intents": "renew_loan"}, "turn 1, intents: got 'renew_loan'; allowed: a list"),
    ],
)
def test_a_bot_with_turns_that_is_wrong(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    path = write_items(tmp_path / "items.jsonl", item(1), _bot(item(2), **given))
    with pytest.raises(InputError, match=rf"items\.jsonl, line 2, {message}"):
        read_items(path)


@pytest.mark.parametrize("name", list(item(1)))
def test_a_field_that_is_missing(tmp_path: Path, name: str) -> None:
    path = write_items(tmp_path / "items.jsonl", item(1), {key: value for key, value in item(2).items() if key != name})
    with pytest.raises(InputError, match=rf"items\.jsonl, line 2, {name}: got 'no such field'; allowed: (a|null)"):
        read_items(path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"id": 7}, "id: got 7; allowed: a text"),
        ({"text": None}, "text: got None; allowed: a text"),
        ({"text": " "}, "text: got"),
        ({"kind": "rude"}, "kind: got 'rude'; allowed: indirect, direct, courtesy, out_of_scope"),
        ({"gold_intent": "pay"}, "gold_intent: got 'pay'; allowed: renew_loan, opening_hours, null"),
        ({"gold_intent": 3}, "gold_intent: got 3; allowed: a text or null"),
        ({"gold_slots": []}, r"gold_slots: got \[\]; allowed: an object"),
        ({"gold_slots": {"branch": 1}}, "gold_slots, branch: got 1; allowed: a text"),
        ({"gold_slots": {"floor": "x"}}, "gold_slots: got 'floor'; allowed: branch"),
        ({"slots": {}, "gold_slots": {"floor": "x"}}, "gold_slots: got 'floor'; allowed: none: the item has no slots"),
        ({"slots": {"branch": {"description": "x"}}}, "slots, branch, values: got 'no such field'; allowed: a list"),
        ({"slots": {"branch": {"description": "x", "values": [1]}}}, "values of slot branch"),
        ({"slots": {"branch": None}}, "slots, branch: got None; allowed: an object with description, values"),
        ({"intents": {}}, "intents: got {}; allowed: a list"),
        ({"intents": ["a"]}, "intents: got 'a'; allowed: an object with name, description"),
        ({"intents": [{"name": "a"}]}, "intents, description: got 'no such field'; allowed: a text"),
        (
            {"intents": [{"name": "renew_loan", "description": ""}] * 2},
            "schema, intents: got .*renew_loan.*; allowed: each name once",
        ),
        ({"history": [{"speaker": "agent", "text": "Hi"}]}, "history, speaker: got .*agent.*; allowed: user or bot"),
        ({"history": [{"speaker": "bot"}]}, "history, text: got 'no such field'; allowed: a text"),
    ],
)
def test_a_field_that_is_wrong(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    path = write_items(tmp_path / "items.jsonl", item(1, **given))
    with pytest.raises(InputError, match=rf"items\.jsonl, line 1, {message}"):
        read_items(path)


def test_a_line_that_is_no_object(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 1: got '{'; allowed: one JSON object"):
        read_items(_written(tmp_path, "{"))
    with pytest.raises(InputError, match=r"line 1: got \[\]; allowed: an object with id, domain"):
        read_items(_written(tmp_path, "[]"))
    with pytest.raises(DataNotFound, match="no item in it"):
        read_items(_written(tmp_path, "\n"))
    with pytest.raises(DataNotFound, match=r"nowhere\.jsonl"):
        read_items(tmp_path / "nowhere.jsonl")


def _written(folder: Path, text: str) -> Path:
    path = folder / "items.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_counted(tmp_path: Path) -> None:
    wants = {"gold_slots": {"branch": "Harbour"}}
    items = [
        (item(1), MeaningAnswer(RENEW, True, "renew_loan", {})),
        (item(2, **wants), MeaningAnswer(HOURS, True, "opening_hours", {"branch": "main"})),
        (item(3, **wants), MeaningAnswer(RENEW, False, "renew_loan", {"branch": "harbour"})),
        (item(4, gold_intent=None), MeaningAnswer(("act", "yes"), True, "renew_loan", {})),
        (THANKS, MeaningAnswer(RENEW, True, "renew_loan", {"branch": "main"})),
        (HARBOUR, MeaningAnswer(RENEW, False, "renew_loan", {})),
        (item(5, kind="out_of_scope", gold_intent=None), MeaningAnswer(NOTHING, True, "renew_loan", {})),
    ]
    cases = [read.case for read in read_items(write_items(tmp_path / "items.jsonl", *(given for given, _ in items)))]
    sheet = Sheet("meaning", [], 0)
    add_meaning(sheet, "meaning", "grice", cases, [answer for _, answer in items])
    found = {(result.task, result.metric): (result.value, result.n) for result in sheet.results}
    assert {metric: value for (task, metric), value in found.items() if task == "meaning"} == {
        "intent_accuracy": (75.0, 4),
        "precision": (pytest.approx(66.67, abs=0.01), 3),
        "coverage": (75.0, 4),
        "intent_precision": (50.0, 2),
        "intent_coverage": (50.0, 4),
        "misread": (50.0, 2),
        "left_alone": (100.0, 1),
        "slot_accuracy": (50.0, 2),
        "false_fills": (25.0, 4),
    }
    assert found["meaning/branches", "misread"] == (0.0, 1)
    assert found["meaning/branches", "intent_accuracy"] == (None, 0)


def test_which_option_is_chosen_is_counted_where_one_is(tmp_path: Path) -> None:
    (read,) = read_items(write_items(tmp_path / "items.jsonl", item(1)))
    cases = [replace(read.case, option=option) for option in (1, 2, 2, None)]
    answers = [MeaningAnswer(("act", "option"), True, "renew_loan", {}, said) for said in (1, 1, None, 3)]
    sheet = Sheet("meaning", [], 0)
    add_meaning(sheet, "meaning", "grice", cases, answers)
    found = {result.metric: (result.value, result.n) for result in sheet.results if result.task == "meaning"}
    assert found["option_accuracy"] == (50.0, 2)
    assert found["option_coverage"] == (pytest.approx(66.67, abs=0.01), 3)


def test_floors_on_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRICE_DATA_DIR", raising=False)
    items, out = (
        write_items(tmp_path / "items.jsonl", item(1, text="Until when is the library open?"), THANKS, HARBOUR),
        tmp_path / "o.json",
    )
    assert bench("meaning", "--items", str(items), "--system", *FLOORS, "--out", str(out)) == 0
    results = check_shape(out)
    assert {task for task, _, _ in results} == {"meaning", "meaning/library", "meaning/branches"}
    assert {system for _, system, _ in results} == set(FLOORS)
    assert results["meaning", "lexical", "intent_accuracy"]["value"] == 0.0
    assert results["meaning", "lexical", "false_fills"]["value"] == 0.0
    assert results["meaning", "majority", "slot_accuracy"]["value"] is None
    with pytest.raises(InputError, match=r"--samples: got .*; allowed: with the system grice"):
        bench("meaning", "--items", str(items), "--system", "lexical", "--samples", str(tmp_path / "s.jsonl"))


def test_the_shipped_reader_and_pipeline_with_samples(tmp_path: Path) -> None:
    items = write_items(tmp_path / "items.jsonl", item(1, note="kept"), THANKS, HARBOUR)
    out, samples = tmp_path / "o.json", tmp_path / "samples.jsonl"
    assert bench("meaning", "--items", str(items), "--system", "grice", "--out", str(out), "--samples", str(samples)) == 0
    results = check_shape(out)
    metrics = {metric for task, _, metric in results if task == "meaning"}
    assert {"intent_accuracy", "precision", "coverage", "slot_accuracy", "false_fills"} <= metrics
    assert {metric for task, _, metric in results if task == "turns"} == {
        "rewritten",
        "harmed",
        "clarified",
        "clarified_right",
        "bothered",
    }
    assert results["turns", "grice", "harmed"]["n"] == 2
    assert results["turns/library", "grice", "harmed"]["n"] == 1
    rows = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["library-1", "library-2", "library-3"]
    assert rows[0]["note"] == "kept"
    for row in rows:
        assert row["decision"] in ("pass", "rewrite", "clarify")
        assert (row["rewrite"] != row["text"]) == (row["decision"] == "rewrite")
        assert (row["question"] is not None) == (row["decision"] == "clarify")
        assert {"kind", "meaning", "confidence", "margin", "possible", "slots"} <= set(row["meaning"])
        best = row["meaning"]["possible"][0]
        assert max(row["scores"], key=row["scores"].get) == f"{best['kind']}/{best['name']}"
        assert {"intent/renew_loan", "act/none"} <= set(row["scores"])
    content = json.loads(out.read_text(encoding="utf-8"))["run"]
    assert set(content["models"]) == {"meaning"}
    assert list(content["data"]) == ["items.jsonl"]


def test_a_reader_of_ones_own_also_analyses_the_turns(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    items = write_items(tmp_path / "items.jsonl", item(1), HARBOUR)
    own = tmp_path / "own"
    assert main(["calibrate", "meaning", "--items", str(items), "--out", str(own)]) == 0
    out, samples = tmp_path / "o.json", tmp_path / "s.jsonl"
    arguments = ["--reader", str(own), "--system", "grice", "--out", str(out), "--samples", str(samples)]
    assert bench("meaning", "--items", str(items), *arguments) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["run"]["models"] == {"meaning": sha256(own / FILE)}


@pytest.mark.parametrize(
    ("options", "slot", "wanted", "right"),
    [
        ((("intent", "renew_loan"), ("act", "yes")), "", {}, True),
        ((("intent", "opening_hours"), ("act", "yes")), "", {}, False),
        ((("act", "no"), ("act", "yes")), "", {"gold_intent": None}, True),
        ((("value", "main"), ("value", "harbour")), "branch", {"gold_slots": {"branch": "harbour"}}, True),
        ((("value", "main"), ("value", "harbour")), "branch", {"gold_slots": {}}, False),
    ],
)
def test_whether_a_question_offers_what_is_meant(
    tmp_path: Path, options: Sequence[Any], slot: str, wanted: dict[str, Any], right: bool
) -> None:
    (read,) = read_items(write_items(tmp_path / "items.jsonl", item(1, **wanted)))
    question = Clarification(slot, tuple(ClarifyOption(kind, name, name, 0.4) for kind, name in options), "Which?")
    sheet = Sheet("meaning", [], 0)
    text = read.case.question.dialogue.last.text
    add_decisions(sheet, [read], [TurnAnalysis(text, text, "clarify", "unknown", clarification=question)])
    found = {result.metric: (result.value, result.n) for result in sheet.results if result.task == "turns"}
    assert found["clarified"] == (100.0, 1)
    assert found["clarified_right"] == (100.0 if right else 0.0, 1)
    assert found["bothered"] == (None, 0)


def test_a_language_model(tmp_path: Path) -> None:
    items, out = write_items(tmp_path / "items.jsonl", item(1), HARBOUR, item(4)), tmp_path / "o.json"

    def reply(request: Request) -> Answer:
        prompt = request["messages"][-1]["content"]
        if "user: Harbour." in prompt:
            return chat('It is {"meaning": 10, "slots": {"branch": "harbour", "floor": "2"}}.')
        return chat('{"meaning": 1, "slots": {}}' if len(server.requests) < 3 else "no idea")

    with openai_server(reply) as server:
        arguments = ["--system", "openai:m", "--llm-url", server.url, "--llm-workers", "1", "--out", str(out)]
        assert bench("meaning", "--items", str(items), *arguments) == 0
    results = check_shape(out)
    assert results["meaning", "openai:m", "intent_accuracy"]["value"] == 100.0  # the same prompt twice is asked once
    assert results["meaning", "openai:m", "false_fills"]["value"] == 0.0
    assert "1. renew loan: keep a borrowed book for longer" in server.prompts[0]
    assert "- branch: which building (main, harbour)" in server.prompts[0]


def test_samples_need_items(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--samples: got .*; allowed: with --items"):
        bench("meaning", "--data-dir", str(tmp_path), "--samples", str(tmp_path / "s.jsonl"))


@pytest.mark.parametrize(
    ("gold", "said", "right"),
    [
        (("intent", "renew_loan"), ("intent", "renew_loan"), True),
        (("intent", "renew_loan"), ("act", "yes"), False),
        (("act", "yes"), ("act", "yes"), True),
        (("act", "yes"), ("act", "yes-but"), False),
        (("act", "answer"), ("act", "courtesy"), True),
        (("act", "answer"), ("act", "no"), False),
        (NOTHING, ("act", "no"), True),
        (NOTHING, ("intent", "renew_loan"), False),
        (("act", "answer"), None, False),
    ],
)
def test_what_is_right(gold: NamedMeaning, said: NamedMeaning | None, right: bool) -> None:
    question = MeaningQuestion(Dialogue.of("Mine is due."), BotSchema((IntentSpec("renew_loan"),)))
    assert MeaningCase(question, "library", gold).is_right(said) is right
