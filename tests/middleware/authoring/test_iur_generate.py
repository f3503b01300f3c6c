"""Indirect requests are generated offline and with a language model, filtered, and written in three formats."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from iur_fixtures import GARDEN, PRICE, ScriptedResolver, by_words, write_domain, write_schema
from openai_server import OpenAiServer, Request, chat, openai_server, refusing

from grice.benchmarks.iur import generate as generate_command
from grice.middleware.authoring.indirect_requests import (
    Candidate,
    CandidateJudges,
    Generated,
    Generation,
    GenerationSettings,
    LocalCriteria,
    OfflineWriter,
    RequestSlot,
    StrategyLabeller,
    Thesaurus,
    default_bot_slots,
    generate,
    item_lines,
    nlu_text,
    read_mapping,
    stories_text,
    writing_settings,
)
from grice.middleware.cli import main
from grice.middleware.llm import ChatSettings
from grice.models import load_rewriter
from grice.models.data.indirect_requests import AMBIGUOUS, STRATEGIES, IndirectRequest, read_file
from grice.models.errors import GriceError, JudgeError, NoDecision, SettingsError
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder
from grice.models.text.verbatim import says

BUDGET = "My purse is nearly empty"


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return load_sentence_encoder()


class Writes:
    """Writes what a test says, for the first value of a slot."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def write(self, slot: RequestSlot, value: str) -> list[Candidate]:
        return [Candidate(slot, value, text, "template") for text in self.texts] if value == slot.values[0] else []


class Says:
    """Criteria that know the texts by heart; 5 for what they do not know."""

    name = "heart"

    def __init__(
        self, implied: dict[str, tuple[str, ...]] | None = None, fits: dict[str, float | GriceError] | None = None
    ) -> None:
        self._implied, self._fits = implied or {}, fits or {}
        self.judged: list[str] = []

    def appropriateness(self, requests: Sequence[Candidate]) -> list[float | GriceError]:
        self.judged += [request.utterance for request in requests]
        return [self._fits.get(request.utterance, 5.0) for request in requests]

    def implied(self, requests: Sequence[Candidate]) -> list[tuple[str, ...]]:
        return [self._implied.get(request.utterance, (request.target,)) for request in requests]

    def world_understanding(self, requests: Sequence[Candidate]) -> list[float]:
        return [5.0 for _ in requests]


def made_of(
    encoder: SentenceEncoder, *texts: str, criteria: Says | None = None, settings: GenerationSettings | None = None
) -> Generation:
    return generate([PRICE], Writes(*texts), CandidateJudges(criteria or Says(), StrategyLabeller(encoder)), settings)


def texts_of(generation: Generation) -> list[str]:
    return [request.candidate.utterance for request in generation.requests]


def test_what_says_the_value_or_is_there_already_is_not_even_judged(encoder: SentenceEncoder) -> None:
    criteria = Says()
    found = made_of(
        encoder, BUDGET, "Something Inexpensive, please", f"{BUDGET.upper()}!", "", "See [this](price)", criteria=criteria
    )
    assert texts_of(found) == criteria.judged == [BUDGET]
    assert found.refused == {"verbatim": 1, "duplicate": 1, "unusable": 2}
    assert found.empty == (("price", "moderate"), ("price", "luxury"))


def test_the_criteria_drop_what_does_not_fit_or_mean_the_value(encoder: SentenceEncoder) -> None:
    implied = {"b": ("luxury",), "c": ("moderate", "luxury"), "d": ()}
    criteria = Says(implied, {"a": 2.0, "e": NoDecision("no number")})
    found = made_of(encoder, "a", "b", "c", "d", "e", "f", criteria=criteria)
    assert texts_of(found) == ["f"]
    assert found.refused == {"inappropriate": 1, "other value": 1, "ambiguous": 2, "unjudged": 1}


def test_ambiguous_ones_may_be_kept_as_such(encoder: SentenceEncoder) -> None:
    criteria = Says({"c": ("moderate", "luxury"), "d": ()})
    found = made_of(encoder, "c", "d", "e", criteria=criteria, settings=GenerationSettings(keep_ambiguous=True))
    assert [(request.candidate.utterance, request.target) for request in found.requests] == [
        ("c", AMBIGUOUS),
        ("d", AMBIGUOUS),
        ("e", "inexpensive"),
    ]


def test_a_judge_that_does_not_answer_stops_the_run_and_one_that_does_not_decide_does_not(encoder: SentenceEncoder) -> None:
    with pytest.raises(JudgeError, match="is down"):
        made_of(encoder, "a", criteria=Says(fits={"a": JudgeError("the server is down")}))
    assert made_of(encoder, "a", criteria=Says(fits={"a": NoDecision("no number")})).refused == {"unjudged": 1}
    some = Says(fits={"a": JudgeError("this one was refused")})
    assert texts_of(made_of(encoder, "a", "b", criteria=some)) == ["b"]


def test_another_slot_may_be_asked_for_in_the_same_words(encoder: SentenceEncoder) -> None:
    other = RequestSlot("Bar_1", "price", PRICE.description, PRICE.values, PRICE.situation)
    found = generate([PRICE, other], Writes(BUDGET), CandidateJudges(Says(), StrategyLabeller(encoder)))
    assert texts_of(found) == [BUDGET, BUDGET]


def test_a_limit_leaves_many_strategies(encoder: SentenceEncoder) -> None:
    chatty = [Candidate(PRICE, "inexpensive", f"line {number}", "llm", strategy) for strategy in STRATEGIES for number in range(9)]
    chatty = [Candidate(PRICE, "inexpensive", f"{each.strategy} {each.utterance}", "llm", each.strategy) for each in chatty]

    class Chatty:
        def write(self, slot: RequestSlot, value: str) -> list[Candidate]:
            return chatty if value == "inexpensive" else []

    settings = GenerationSettings(per_value=6)
    found = generate([PRICE], Chatty(), CandidateJudges(Says(), StrategyLabeller(encoder)), settings)
    assert len(found.requests) == 6
    assert {request.strategy for request in found.requests} == set(STRATEGIES)
    assert found.refused["surplus"] == 39
    again = generate([PRICE], Chatty(), CandidateJudges(Says(), StrategyLabeller(encoder)), settings)
    assert again == found
    other = generate([PRICE], Chatty(), CandidateJudges(Says(), StrategyLabeller(encoder)), GenerationSettings(per_value=6, seed=3))
    assert other.requests != found.requests


@pytest.mark.parametrize("wrong", [{"per_value": 0}, {"min_appropriateness": 11}, {"seed": -1}])
def test_settings_out_of_range(wrong: dict[str, int]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        GenerationSettings(**wrong)  # type: ignore[arg-type]


OURS = by_words(
    inexpensive="cheap|affordable|pocket|pay only|saving|rule out moderate and luxury|anything but moderate",
    moderate="neither the bottom",
    luxury="anniversary|finest",
    **{"True": "suit me|counting on|hardly manage", "False": "without it|stay away|ruined"},
)


@pytest.fixture(scope="module")
def offline(encoder: SentenceEncoder) -> Generation:
    """What templates and the shipped rewriter make."""
    writer = OfflineWriter(Thesaurus(encoder), load_rewriter(form="indirect", beams=8), load_rewriter(form="direct", beams=8))
    return generate(
        [PRICE, GARDEN], writer, CandidateJudges(LocalCriteria(ScriptedResolver(OURS), encoder), StrategyLabeller(encoder))
    )


def test_offline_generation_says_what_was_meant_in_other_words(offline: Generation) -> None:
    assert offline.empty == ()
    for request in offline.requests:
        assert not says(request.candidate.utterance, request.target)
        assert request.implied == (request.target,)
        assert request.candidate.way in ("template", "rewriter")
        assert request.candidate.model is None
        assert 1 <= request.world_understanding <= 10
    assert {"synonym swap", "justification", "simple elaboration", "small talk"} <= {each.strategy for each in offline.requests}
    assert any("the place has a garden" in text for text in texts_of(offline))


def test_words_near_a_value(encoder: SentenceEncoder) -> None:
    thesaurus = Thesaurus(encoder)
    near = thesaurus.words_for("inexpensive", ["moderate", "expensive"])
    assert "cheap" in near
    assert not any(word.startswith("expen") for word in near)
    assert thesaurus.words_for("2", ["3", "4"]) == []


def test_lines_are_read_back_by_the_reader_of_the_data_set(offline: Generation, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("".join(item_lines(offline.requests, "2026-03-01")), encoding="utf-8")
    found = read_file(path, "items")
    assert found == [as_read(request, row.request_id) for request, row in zip(offline.requests, found, strict=True)]
    assert len({row.request_id for row in found}) == len(found)
    row = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert row["made_by"] == "grice iur generate"
    assert row["origin"]["way"] == "template"
    assert row["criteria"]["by"] == "local"
    assert row["creation_date"] == "2026-03-01"


def as_read(request: Generated, request_id: str) -> IndirectRequest:
    asked = request.candidate.asked
    return IndirectRequest(
        request_id,
        request.candidate.utterance,
        asked.situation,
        asked.service,
        asked.name,
        asked.description,
        asked.values,
        asked.phrasings,
        request.target,
        round(request.world_understanding, 2),
        request.strategy,
    )


def test_rasa_files_have_each_request_once(offline: Generation) -> None:
    slots = default_bot_slots([PRICE, GARDEN], "tell")
    stories, nlu = stories_text(offline.requests, slots), nlu_text(offline.requests, slots)
    assert stories.count("- story:") == nlu.count("\n    - ") == len(offline.requests)
    assert stories.count("intent: tell") == len(offline.requests)
    assert "- has_garden: true" in stories
    assert "action:" not in stories
    assert stories_text(offline.requests, slots, "utter_found").count("\n  - action: utter_found\n") == len(offline.requests)


def test_the_command_says_that_templates_and_rewriter_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading = by_words(
        large="anything but small|rule out small", small="little|anything but large", light="but dark", dark="but light"
    )
    monkeypatch.setattr(generate_command, "load_slot_resolver", lambda *_, **__: ScriptedResolver(reading))
    out, stories = tmp_path / "items.jsonl", tmp_path / "test_items.yml"
    domain = ["--domain", str(write_domain(tmp_path)), "--slot", "roast", "--stories", str(stories), "--action", "coffee_form"]
    assert main(["iur", "generate", *domain, "--out", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert {row["target_slot_value"] for row in rows} == {"light", "dark"}
    assert {row["origin"]["way"] for row in rows} <= {"template", "rewriter"}
    assert all(row["made_by"] == "grice iur generate" and row["service"] == "bot" for row in rows)
    assert "- action: coffee_form" in stories.read_text(encoding="utf-8")
    printed = capsys.readouterr()
    assert f"written: {stories}" in printed.out
    assert "candidates that were not taken:" in printed.err


def test_nothing_is_written_where_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate_command, "load_slot_resolver", lambda *_, **__: ScriptedResolver(by_words()))
    out = tmp_path / "items.jsonl"
    assert main(["iur", "generate", "--domain", str(write_domain(tmp_path)), "--slot", "roast", "--out", str(out)]) == 1
    assert "values without a request: roast=light, roast=dark\nno request is left" in capsys.readouterr().err
    assert not out.exists()


def test_without_a_writer_of_yaml_the_run_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    schema = ["--schema", str(write_schema(tmp_path)), "--out", str(tmp_path / "items.jsonl")]
    assert main(["iur", "generate", *schema, "--nlu", str(tmp_path / "nlu.yml")]) == 2
    assert "pip install 'grice[rasa]'" in capsys.readouterr().err


def answers(request: Request) -> object:
    """What a model says: three facts; a request that names its strategy; no doubts."""
    prompt = request["messages"][-1]["content"]
    fields = dict(line.partition(": ")[::2] for line in prompt.splitlines())
    if prompt.endswith("Facts:"):
        return chat("- It is for misers.\n- It is for students.\n")
    if prompt.endswith("Indirect User Request:"):
        return chat(f'"Hint at {len(fields["Target Slot Value"])} by {fields["Strategy"].partition(":")[0]}, {fields["Fact"]}"')
    if prompt.endswith("Slot Values Implied:"):
        size = fields["Utterance"].split()[2]
        return chat(next(value for value in fields["Possible Values"].split(", ") if str(len(value)) == size))
    return chat("8")


def generate_with(server: OpenAiServer, folder: Path, *more: str) -> int:
    files = ["--out", str(folder / "items.jsonl"), "--stories", str(folder / "test_items.yml"), "--nlu", str(folder / "nlu.yml")]
    llm = ["--llm-url", server.url, "--llm-model", "m"]
    schema = ["--schema", str(write_schema(folder)), "--service", "Diner_1", "--slot", "price"]
    return main(["iur", "generate", *schema, *files, *llm, *more])


def test_generation_with_a_language_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with openai_server(answers) as server:  # type: ignore[arg-type]
        assert generate_with(server, tmp_path, "--seed", "7", "--mapping", str(tmp_path / "map.yml")) == 0
        asked = len(server.requests)
        assert generate_with(server, tmp_path, "--seed", "7", "--overwrite") == 0
        assert len(server.requests) == asked  # all of it is remembered
    rows = read_file(tmp_path / "items.jsonl", "items")
    assert len(rows) == 3 * len(STRATEGIES)
    assert {row.strategy for row in rows} == set(STRATEGIES)
    first = json.loads((tmp_path / "items.jsonl").read_text().splitlines()[0])
    assert first["origin"]["model"] == "m"
    assert first["origin"]["fact"] in ("It is for misers.", "It is for students.")
    assert first["origin"]["strategy_by"] == "writer"
    assert first["criteria"] == {"by": "m", "appropriateness": 8.0, "implied": ["inexpensive"]}
    assert read_mapping(tmp_path / "map.yml") == default_bot_slots([PRICE])
    assert "15 requests" in capsys.readouterr().err


def test_how_a_language_model_is_asked(tmp_path: Path) -> None:
    with openai_server(answers) as server:  # type: ignore[arg-type]
        assert generate_with(server, tmp_path, "--seed", "7") == 0
    kinds = {request["messages"][-1]["content"].rpartition("\n")[2]: request for request in server.requests}
    drawn = kinds["Indirect User Request:"]
    sampling = {"temperature": 0.5, "top_p": 0.9, "top_k": 50, "max_tokens": 128, "stop": ["\n"], "seed": 7}
    assert {name: drawn[name] for name in sampling} == sampling
    assert "stop" not in kinds["Facts:"]
    assert kinds["Rating:"]["temperature"] == 0
    prompt = drawn["messages"][0]["content"]
    assert "Possible Slot Values: inexpensive, moderate, luxury\nTarget Slot Value: luxury\nFact: " in prompt
    assert prompt.endswith("Do Not Mention Keywords In: luxury\nIndirect User Request:")
    assert prompt.count("Indirect User Request: ") == 2


def test_drawing_as_the_server_does() -> None:
    writing, thinking = writing_settings(ChatSettings("http://127.0.0.1:1/v1", "m"), "server", 3)
    assert (writing.omit, writing.seed, writing.top_k, writing.stop) == (("temperature",), 3, None, ())
    assert thinking == writing


def test_an_interrupted_run_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left = 20

    def breaks(request: Request) -> object:
        nonlocal left
        left -= 1
        return answers(request) if left >= 0 else refusing("400 Bad Request")

    with openai_server(breaks) as server:  # type: ignore[arg-type]
        assert generate_with(server, tmp_path) == 2
        assert "400" in capsys.readouterr().err
        assert not (tmp_path / "items.jsonl").exists()
        server.script = answers  # type: ignore[assignment]
        before = len(server.requests)
        assert generate_with(server, tmp_path) == 0
        assert len(server.requests) - before < 3 * (1 + 4 * len(STRATEGIES)) - 15
    assert len(read_file(tmp_path / "items.jsonl", "items")) == 15


def test_a_model_that_repeats_itself_or_says_nothing(tmp_path: Path) -> None:
    def lazy(request: Request) -> object:
        prompt = request["messages"][-1]["content"]
        if prompt.endswith("Facts:"):
            return chat("It is for misers.")
        if prompt.endswith("Indirect User Request:"):
            return chat("" if "small talk" in prompt.rpartition("Strategy:")[2] else "Indirect User Request: Same as ever")
        return chat("inexpensive" if prompt.endswith("Implied:") else "5")

    with openai_server(lazy) as server:  # type: ignore[arg-type]
        assert generate_with(server, tmp_path) == 0
    (row,) = read_file(tmp_path / "items.jsonl", "items")
    assert (row.utterance, row.target) == ("Same as ever", "inexpensive")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--llm-url", "http://127.0.0.1:1/v1"], "--llm-url and --llm-model: got 'one of them'"),
        (["--criteria", "llm"], "--criteria: got 'llm'; allowed: local"),
        (["--service", "Bar_1"], "service: got 'Bar_1'; allowed: Diner_1, Film_1"),
        (["--nlu", "a.yml", "--mapping", "a.yml"], "output files: got 'items.jsonl, a.yml, a.yml'"),
        (["--per-value", "0"], "setting per_value: got 0"),
        (["--seed", "-1"], "setting seed: got -1"),
        (["--stories", "nowhere/test_x.yml"], "output file: got 'nowhere/test_x.yml'; allowed: a file in a folder that exists"),
        (["--llm-url", "ftp://x", "--llm-model", "m"], "setting url"),
    ],
)
def test_options_that_cannot_be(
    tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_schema(tmp_path)
    assert main(["iur", "generate", "--schema", str(path), "--out", "items.jsonl", *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "items.jsonl").exists()


def test_a_domain_is_one_service_and_files_are_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "items.jsonl"
    domain = ["iur", "generate", "--domain", str(write_domain(tmp_path)), "--out", str(out)]
    assert main([*domain, "--service", "Bar_1"]) == 2
    assert "--service: got 'Bar_1'; allowed: with --schema alone" in capsys.readouterr().err
    assert main([*domain, "--stories", str(tmp_path / "test_a.yml"), "--action", "sing"]) == 2
    assert "--action: got 'sing'; allowed: coffee_form" in capsys.readouterr().err
    out.write_text("mine")
    assert main(domain) == 2
    assert "a new file; or say --overwrite" in capsys.readouterr().err
    assert out.read_text() == "mine"
