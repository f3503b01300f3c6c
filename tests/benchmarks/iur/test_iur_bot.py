"""`grice iur test` runs a bot's NLU over indirect requests, without Grice and with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from iur_fixtures import GARDEN, PRICE, ScriptedResolver, by_words
from plain_nlu_server import PlainNlu, nlu_server

from grice.benchmarks.core.results import Result
from grice.benchmarks.iur import check
from grice.benchmarks.iur.bots import server_bot
from grice.benchmarks.iur.outcomes import BotOutcome, BotUnderTest, run_bot_test
from grice.benchmarks.iur.report import results_of, rows_of, tables_of
from grice.middleware.authoring.indirect_requests import BotSlot, RequestSlot, direct_request
from grice.middleware.cli import main
from grice.middleware.turns.analysis import TurnAnalysis
from grice.models.data.indirect_requests import AMBIGUOUS, IndirectRequest
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError, NluError, SettingsError

MAPPING = {
    "price": BotSlot("cost", names={"inexpensive": ("cheap",), "luxury": ("posh",)}),
    "has_garden": BotSlot(intents={"outside": "True", "inside": "False"}),
}
VALUES = ("cheap", "inexpensive", "moderate", "posh", "luxury")


def request(number: int, text: str, target: str, slot: RequestSlot = PRICE) -> IndirectRequest:
    return IndirectRequest(
        f"r-{number}",
        text,
        slot.situation,
        slot.service,
        slot.name,
        slot.description,
        slot.values,
        slot.phrasings,
        target,
        5.0,
    )


REQUESTS = [
    request(1, "Nothing posh, my rent is due", "inexpensive"),  # the NLU falls for a word
    request(2, "Money is tight", "inexpensive"),  # the pipeline's rewrite helps
    request(3, "Lobster for everyone", "luxury"),  # the resolver helps
    request(4, "Something in between", "moderate"),  # nothing helps
    request(5, "As you like it", AMBIGUOUS),
    request(6, "I want to hear the birds", "True", GARDEN),
]


def parsed(text: str) -> dict[str, Any]:
    """A bot that knows some words for prices, and that trees are outside."""
    words = text.lower().replace(",", "").replace(".", "").split()
    cost = [{"entity": "cost", "value": word, "start": 0, "end": 1} for word in words if word in VALUES]
    return {"intent": {"name": "outside" if "trees" in words or "garden" in words else "inform"}, "entities": cost}


class Rewrites:
    """A pipeline that knows one rewrite."""

    def predict(self, dialogues: Sequence[Dialogue]) -> list[TurnAnalysis]:
        return [
            TurnAnalysis(text, f"{text}. I want a cheap place", "rewrite", "indirect")
            if text == "Money is tight"
            else TurnAnalysis(text, text, "pass", "direct")
            for text in (dialogue.last.text for dialogue in dialogues)
        ]


RESOLVER = ScriptedResolver(by_words(luxury="lobster|in between", inexpensive="nothing posh", moderate="in between"))


@pytest.fixture
def nlu() -> Iterator[PlainNlu]:
    with nlu_server() as server:
        server.answer = lambda text: (200, json.dumps(parsed(text)).encode())
        yield server


def outcomes_on(server: PlainNlu, requests: Sequence[IndirectRequest] = REQUESTS) -> list[BotOutcome]:
    strategies = ["justification" if "rent" in each.utterance else "simple elaboration" for each in requests]
    bot = BotUnderTest(MAPPING, server_bot(server.url), Rewrites(), RESOLVER)
    return run_bot_test(requests, strategies, bot)  # type: ignore[arg-type]


def test_what_is_heard_directly_plainly_and_with_grice(nlu: PlainNlu) -> None:
    found = outcomes_on(nlu)
    heard = [{condition: (heard.value, heard.by) for condition, heard in each.heard.items()} for each in found]
    assert heard == [
        {"direct": ("inexpensive", "nlu"), "plain": ("luxury", "nlu"), "grice": ("luxury", "nlu")},
        {"direct": ("inexpensive", "nlu"), "plain": (None, None), "grice": ("inexpensive", "nlu")},
        {"direct": ("luxury", "nlu"), "plain": (None, None), "grice": ("luxury", "resolver")},
        {"direct": ("moderate", "nlu"), "plain": (None, None), "grice": (None, None)},
        {"plain": (None, None), "grice": (None, None)},
        {"direct": ("True", "nlu"), "plain": (None, None), "grice": (None, None)},
    ]
    assert [each.right("grice") for each in found] == [False, True, True, False, True, False]
    assert found[4].right("direct") is None
    assert len(nlu.texts) == len(set(nlu.texts))


def figure(results: Sequence[Result], task: str, system: str, metric: str) -> tuple[float | None, int, int]:
    (found,) = [each for each in results if (each.task, each.system, each.metric) == (task, system, metric)]
    return None if found.value is None else round(found.value, 1), found.n, found.unscored


def test_the_figures_have_n_and_intervals(nlu: PlainNlu) -> None:
    results = results_of(outcomes_on(nlu), seed=0)
    assert figure(results, "all", "direct", "accuracy") == (100.0, 5, 1)
    assert figure(results, "all", "plain", "accuracy") == (16.7, 6, 0)
    assert figure(results, "all", "grice", "accuracy") == (50.0, 6, 0)
    assert figure(results, "all", "plain", "lost") == (100.0, 5, 1)
    assert figure(results, "all", "grice", "fixed") == (33.3, 6, 0)
    assert figure(results, "all", "grice", "broken") == (0.0, 6, 0)
    assert figure(results, "ambiguity: ambiguous", "grice", "accuracy") == (100.0, 1, 0)
    assert figure(results, "ambiguity: ambiguous", "direct", "accuracy") == (None, 0, 1)
    assert figure(results, "slot: price", "grice", "accuracy") == (60.0, 5, 0)
    assert figure(results, "value: price = inexpensive", "grice", "accuracy") == (50.0, 2, 0)
    assert figure(results, "strategy: justification", "plain", "accuracy") == (0.0, 1, 0)
    (all_plain,) = [each for each in results if (each.task, each.system, each.metric) == ("all", "grice", "accuracy")]
    assert all_plain.low is not None
    assert all_plain.low < 50 < (all_plain.high or 0)


def test_tables_and_rows(nlu: PlainNlu) -> None:
    found = outcomes_on(nlu)
    tables = tables_of(results_of(found, seed=0))
    assert [table.header[0] for table in tables] == ["all", "ambiguity", "slot", "value", "strategy"]
    assert tables[0].header[1:] == ("direct", "plain", "grice", "lost", "fixed", "broken", "n")
    assert tables[0].rows[0][0] == "all"
    assert tables[0].rows[0][-1] == 6
    row = rows_of(found)[2]
    assert row["id"] == "r-3"
    assert row["heard"]["grice"] == {
        "text": "Lobster for everyone",
        "value": "luxury",
        "by": "resolver",
        "error": None,
        "right": True,
    }


def test_a_text_that_the_bot_fails_on_is_not_scored(nlu: PlainNlu) -> None:
    answer = nlu.answer
    nlu.answer = lambda text: (500, b"{}") if text == "Lobster for everyone" else answer(text)
    found = outcomes_on(nlu)
    assert found[2].heard["plain"].error == "the NLU server answered 500"
    assert found[2].heard["grice"].value is None  # not the resolver's either: nothing was found out
    assert figure(results_of(found, 0), "all", "plain", "accuracy") == (20.0, 5, 1)


def test_a_bot_that_answers_nothing_is_an_error(nlu: PlainNlu) -> None:
    nlu.answer = lambda text: (200, b"[]")
    with pytest.raises(NluError, match="instead of an object with intent and entities"):
        outcomes_on(nlu)


def test_slots_that_the_mapping_does_not_have(nlu: PlainNlu) -> None:
    other = RequestSlot("Bar_1", "mood", "Mood", ("calm", "wild"), "User wants a drink")
    with pytest.raises(InputError, match="slot of request r-7: got 'mood'; allowed: one that the mapping has: price, has_garden"):
        outcomes_on(nlu, [request(7, "Quiet please", "calm", other)])
    assert nlu.texts == []


@pytest.mark.parametrize("url", ["127.0.0.1:5005", "ftp://127.0.0.1", ""])
def test_what_is_no_address_of_a_bot(url: str) -> None:
    with pytest.raises(SettingsError, match="nlu_url"):
        server_bot(url)


def test_direct_forms() -> None:
    assert direct_request(REQUESTS[0]) == "The price should be inexpensive, please."
    assert direct_request(REQUESTS[5]) == "I want to be sure that the place has a garden."


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Items and a mapping, as the command reads them."""
    rows = [
        {
            "utterance": each.utterance,
            "situation": each.situation,
            "service": each.service,
            "slot_description": each.slot_description,
            "possible_slot_values": repr(list(each.values)),
            "bool_rephrased_slot_values": repr(list(each.phrasings)),
            "target_slot_value": each.target,
            "mean_world_understanding": 5,
            "creation_date": "2026-03-01",
            "slot": each.slot,
        }
        for each in REQUESTS
    ]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "map.yml").write_text(
        "slots:\n"
        "  price: {entity: cost, values: {inexpensive: cheap, luxury: [posh]}}\n"
        "  Diner_1.has_garden: {intents: {outside: true, inside: false}}\n"
    )
    return tmp_path


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command's resolver is ours."""
    monkeypatch.setattr(check, "load_slot_resolver", lambda *_, **__: RESOLVER)


@pytest.mark.usefixtures("scripted")
def test_the_command_prints_tables_and_writes_json(nlu: PlainNlu, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = files / "report.json"
    options = ["--items", str(files / "items.jsonl"), "--mapping", str(files / "map.yml"), "--out", str(out)]
    assert main(["iur", "test", "--nlu-url", f"{nlu.url}/model/parse", *options]) == 0
    printed = capsys.readouterr().out
    assert "Understood, by strategy (%)" in printed
    assert "6 requests." in printed
    content = json.loads(out.read_text(encoding="utf-8"))
    assert content["run"]["n"] == 6
    assert set(content["run"]["files"]) == {"items.jsonl", "map.yml"}
    assert [row["id"] for row in content["items"]] == [f"items-{number}" for number in range(1, 7)]
    assert {"task", "system", "metric", "value", "low", "high", "n", "unscored"} <= set(content["results"][0])
    (plain,) = [row for row in content["results"] if (row["task"], row["system"], row["metric"]) == ("all", "plain", "accuracy")]
    assert plain["n"] == 6
    assert main(["iur", "test", "--nlu-url", nlu.url, *options[:4], "--limit", "2"]) == 0
    assert "2 requests." in capsys.readouterr().out


@pytest.mark.usefixtures("scripted")
def test_the_token_of_the_bot_comes_from_the_environment(nlu: PlainNlu, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRICE_NLU_TOKEN", "secret")
    mapping = ["--mapping", str(files / "map.yml")]
    assert main(["iur", "test", "--nlu-url", nlu.url, "--items", str(files / "items.jsonl"), *mapping, "--limit", "1"]) == 0
    assert set(nlu.tokens) == {"secret"}


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--items", "nowhere.jsonl"], "nowhere.jsonl: no such file"),
        (["--out", "nowhere/report.json"], "--out: got 'nowhere/report.json'"),
        (["--limit", "0"], "--limit: got 0; allowed: 1 or more"),
        (["--mapping", "nowhere.yml"], "nowhere.yml: No such file"),
        (["--mapping", "items.jsonl"], "not valid YAML"),
    ],
)
def test_options_that_cannot_be(
    files: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    assert main(["iur", "test", "--nlu-url", "http://127.0.0.1:1", "--items", "items.jsonl", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("scripted")
def test_a_model_that_is_not_there(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = ["--items", str(files / "items.jsonl")]
    assert main(["iur", "test", "--model", str(files / "bot.tar.gz"), *items]) == 2
    assert "no such model; `rasa train` makes one" in capsys.readouterr().err
    (files / "bot.tar.gz").write_bytes(b"")
    assert main(["iur", "test", "--model", str(files / "bot.tar.gz"), "--rasa-python", sys.executable, *items]) == 2
    assert "ended with status" in capsys.readouterr().err
