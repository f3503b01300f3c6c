"""`grice bench rasa-nlu --bot` on the support bot of `rasa_project/`; needs the environment that `make test-rasa` builds."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from bench_fixtures import bench, check_shape

from grice.benchmarks.rasa.bot import BotReading, read_turns, reading_of
from grice.benchmarks.rasa.host import RasaHost
from grice.benchmarks.rasa.nlu import RasaOptions, evaluate
from grice.middleware.authoring.augment.example import letters
from grice.middleware.authoring.augment.nlu_file import find_nlu_files, read_nlu
from grice.middleware.schemas import read_schema
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt, DataNotFound, InputError

ROOT = Path(__file__).parents[3]
SUPPORT = ROOT / "rasa_project" / "support"
PYTHON = ROOT / ".venv-rasa" / "bin" / "python"
needs_rasa = pytest.mark.skipif(not PYTHON.exists(), reason="no Rasa environment; `make test-rasa` builds it")


def test_the_turns_are_of_the_bots_menu_and_of_none_of_its_examples() -> None:
    turns, menu = read_turns(SUPPORT / "turns.yml"), read_schema(SUPPORT)
    assert len(turns) >= 60
    assert {turn.kind for turn in turns} == {"indirect", "direct", "courtesy"}
    assert {turn.intent for turn in turns} == {intent.name for intent in menu.intents}
    for turn in turns:
        for entity, value in turn.slots:
            assert value in {each.casefold() for each in menu.slot(entity).values}
    examples = {
        letters(example.text)
        for path in find_nlu_files([SUPPORT / "data"])
        for item in read_nlu(path).items
        for example, _ in item.examples
    }
    assert not examples & {letters(turn.text) for turn in turns if turn.kind == "indirect"}


def test_a_turn_has_its_history(tmp_path: Path) -> None:
    path = tmp_path / "turns.yml"
    path.write_text('- {kind: direct, intent: affirm, text: "Yes.", slots: {day: Friday}, before: [{user: "Hm"}, {bot: "So?"}]}')
    (turn,) = read_turns(path)
    assert turn.history == (Turn("user", "Hm"), Turn("bot", "So?"))
    assert turn.slots == {("day", "friday")}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("kind: direct", "holds dict; allowed: a list of turns"),
        ("- {kind: direct, text: hi}", "turn 1 is .*intent"),
        ("- {kind: direct, intent: a, text: hi}\n- {kind: direct, intent: a, text: hi, mood: bad}", "turn 2 is .*mood"),
        ("- {kind: rude, intent: a, text: hi}", "kind is 'rude'; allowed: indirect, direct, courtesy"),
        ("- {kind: direct, intent: a, text: hi, before: [hello]}", "turn 1 is .*allowed: {kind"),
    ],
)
def test_a_turn_that_is_not_in_the_format_is_named(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "turns.yml").write_text(content)
    with pytest.raises(DataCorrupt, match=said):
        read_turns(tmp_path / "turns.yml")


def test_what_rasa_found_is_compared_without_case() -> None:
    parsed = {"intent": {"name": "inform"}, "entities": [{"entity": "day", "value": "Friday", "start": 0, "end": 6}]}
    assert reading_of(parsed) == BotReading("inform", frozenset({("day", "friday")}))
    assert reading_of({"intent": {"name": None}, "entities": []}) == BotReading("", frozenset())


def test_systems_of_the_other_task_are_refused() -> None:
    with pytest.raises(InputError, match="with --bot: plain, grice"):
        bench("rasa-nlu", "--bot", str(SUPPORT), "--system", "lr")
    with pytest.raises(InputError, match="with --bot; without it: diet"):
        evaluate(RasaOptions(ROOT, systems=("plain",)))


def test_a_folder_that_is_no_bot_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=re.escape(f"{tmp_path}/config.yml: no such file; a bot's folder has config.yml")):
        RasaHost(PYTHON, tmp_path / "work").train_bot(tmp_path, "config.yml")


@pytest.fixture
def small_bot(tmp_path: Path) -> Path:
    """The support bot with six examples an intent and a third of its turns: trained and read in a fraction of the time."""
    bot = shutil.copytree(SUPPORT, tmp_path / "support")
    nlu, turns = bot / "data" / "nlu.yml", bot / "turns.yml"
    nlu.write_text(re.sub(r"((?: {4}- .*\n){6})(?: {4}- .*\n)+", r"\1", nlu.read_text("utf-8")), "utf-8")
    turns.write_text("\n".join([line for line in turns.read_text("utf-8").splitlines() if line.startswith("- ")][::3]), "utf-8")
    return bot


@needs_rasa
def test_the_bot_without_grice_and_with_it(small_bot: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    arguments = ["--bot", str(small_bot), "--rasa-python", str(PYTHON), "--work", str(tmp_path / "work"), "--out", str(out)]
    assert bench("rasa-nlu", *arguments) == 0
    results = check_shape(out)
    turns = read_turns(small_bot / "turns.yml")
    assert results["support", "grice", "right"]["n"] == len(turns)
    assert results["support/direct", "plain", "right"]["value"] > 50
    assert results["support/indirect", "grice", "right"]["value"] > results["support/indirect", "plain", "right"]["value"]
    assert results["support/courtesy", "grice", "broken"]["value"] == 0
    assert ("support", "plain", "fixed") not in results
