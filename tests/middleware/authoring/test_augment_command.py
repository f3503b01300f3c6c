"""`grice augment` on NLU files of ours, with the shipped rewriter."""

import json
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from grice.middleware.authoring.augment import NluFile, read_nlu
from grice.middleware.authoring.augment.borrowed import read_hints
from grice.middleware.cli import augment as command
from grice.middleware.cli import main
from grice.models import Turn

NLU = """\
version: "3.1"
# What visitors ask.

nlu:
  # where to eat
  - intent: find_restaurant   # the most frequent
    examples: |
      - Find me a [cheap](price) restaurant in the [centre](area)
      - I want a table for [four](people) on [Friday](day)

      - food

  - synonym: centre
    examples: |
      - middle of town
  - intent: ask_phone
    metadata: {topic: contact}
    examples:
      - text: What is the phone number of the restaurant?
        metadata:
          checked: yes, by hand
      - text: |
          Give me the number of the station in [Ely]{"entity": "city", "role": "of", "value": "ely"}
  - regex: phone
    examples: |
      - \\d{5}
# what the bot says
responses:
  utter_hello:
    - text: Hello!
"""


@pytest.fixture
def nlu(tmp_path: Path) -> Path:
    path = tmp_path / "nlu.yml"
    path.write_text(NLU, encoding="utf-8")
    return path


def intents(file: NluFile) -> dict[str, int]:
    return {item.intent: len(item.examples) for item in file.items}


def as_input(path: Path) -> NluFile:
    """A file of variants read as if it were somebody's own."""
    copy = path.with_name("copy.yml")
    copy.write_text(path.read_text(encoding="utf-8").split("\n", 1)[1], encoding="utf-8")
    return read_nlu(copy)


MENU = """\
intents:
  - {name: find_restaurant, examples: [find me a restaurant, I want to eat somewhere], slots: [price]}
  - {name: ask_phone, examples: [what is the phone number, "I would like to know the phone number of that place, I need to call"]}
slots: {price: {values: [cheap, expensive]}}
"""


def test_with_the_menu_neither_confidence_nor_way_back_decides(nlu: Path, capsys: pytest.CaptureFixture[str]) -> None:
    menu = nlu.with_name("menu.yaml")
    menu.write_text(MENU, encoding="utf-8")
    strict = ["--min-confidence", "1", "--min-way-back", "1", "--out", str(nlu.with_name("out.yml")), "--json"]
    assert main(["augment", str(nlu), *strict]) == 0
    assert json.loads(capsys.readouterr().out)["variants"] == {}
    assert main(["augment", str(nlu), *strict, "--schema", str(menu), "--borrowed", "0"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["variants"]["ask_phone"] >= 1
    assert not {"uncertain", "way back"} & set(found["refused"])


def test_with_the_menu_turns_of_other_bots_users_are_borrowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hints = [each for each in read_hints() if "bill" in each.direct or "order" in each.direct][:60]
    monkeypatch.setattr(command, "read_hints", lambda: hints)
    path, menu = tmp_path / "nlu.yml", tmp_path / "menu.yaml"
    intents = {"explain_bill": "Why is my bill so high?", "track_order": "Where is my order?"}
    path.write_text(
        'version: "3.1"\nnlu:\n' + "".join(f"- intent: {name}\n  examples: |\n    - {text}\n" for name, text in intents.items()),
        encoding="utf-8",
    )
    menu.write_text(
        json.dumps({"intents": [{"name": name, "examples": [text]} for name, text in intents.items()]}), encoding="utf-8"
    )
    arguments = ["augment", str(path), "--out", str(tmp_path / "out.yml"), "--overwrite", "--json", "--schema", str(menu)]
    assert main([*arguments, "--borrowed", "0"]) == 0
    without = json.loads(capsys.readouterr().out)["variants"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)["variants"]
    assert all(found[name] >= without.get(name, 0) + 2 for name in intents), (without, found)
    written = {example.text for item in as_input(tmp_path / "out.yml").items for example, _ in item.examples}
    assert len(written & {each.text for each in hints}) == sum(found.values()) - sum(without.values())


def test_a_menu_that_is_not_there_is_said(nlu: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["augment", str(nlu), "--schema", str(nlu.with_name("none.yml"))]) == 2
    assert "none.yml" in capsys.readouterr().err


def test_variants_go_into_a_file_of_their_own(nlu: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["augment", str(nlu)]) == 0
    out = nlu.with_name("nlu.indirect.yml")
    said = capsys.readouterr()
    assert said.out == f"written: {out}\n"
    assert said.err.startswith("5 examples, ")
    assert re.search(r"^ +\d+  ask_phone$", said.err, re.MULTILINE)
    assert re.search(r"^ +\d+  way back: it may mean something else", said.err, re.MULTILINE)
    assert nlu.read_text(encoding="utf-8") == NLU
    written = as_input(out)
    assert written.version == "3.1"
    assert set(intents(written)) == {"find_restaurant", "ask_phone"}
    first = [example for example, _ in written.items[0].examples]
    assert all({"price", "area"} == {e.entity for e in example.entities} for example in first if "centre" in example.text)
    assert all(
        example.text[e.start : e.end] in ("cheap", "centre", "four", "Friday") for example in first for e in example.entities
    )
    assert written.items[1].metadata == {"topic": "contact"}
    assert {"checked": "yes, by hand"} in [metadata for _, metadata in written.items[1].examples]
    named = [example for example, _ in written.items[1].examples if example.entities]
    assert named
    assert all(e.label == ("city", "ely", "of", None) for example in named for e in example.entities)
    assert all(example.text[e.start : e.end] == "Ely" for example in named for e in example.entities)


def test_another_run_gives_the_same_file_and_does_not_read_its_own(nlu: Path) -> None:
    assert main(["augment", str(nlu.parent)]) == 0
    first = nlu.with_name("nlu.indirect.yml").read_bytes()
    assert main(["augment", str(nlu.parent)]) == 0
    assert nlu.with_name("nlu.indirect.yml").read_bytes() == first
    assert main(["augment", str(nlu.with_name("nlu.indirect.yml"))]) == 2
    assert sorted(path.name for path in nlu.parent.iterdir()) == ["nlu.indirect.yml", "nlu.yml"]


def test_in_place_adds_a_section_and_changes_nothing_else(nlu: Path) -> None:
    nlu.chmod(0o640)
    before = read_nlu(nlu)
    assert main(["augment", str(nlu), "--in-place"]) == 0
    text = nlu.read_text(encoding="utf-8")
    start, end = text.index("  # Indirect variants"), text.index("# what the bot says")
    assert text[:start] + text[end:] == NLU
    assert stat.S_IMODE(nlu.stat().st_mode) == 0o640
    assert read_nlu(nlu).items == before.items
    assert main(["augment", str(nlu), "--in-place"]) == 0
    assert nlu.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "text",
    [
        "nlu:\n- intent: a\n  examples: |\n    - Where is the station?",
        "nlu:\r\n- intent: a\r\n  examples: |\r\n    - Where is the station?\r\n\r\n# the end\r\n",
        "nlu:\n- intent: a\n  examples: |+\n    - Where is the station?\n\n\nstories: []\n",
        "nlu:\n    - intent: a\n      examples:\n      - text: Where is the station?\n    # last\nversion: '3.1'\n",
        "nlu:\n- intent: a\n  examples: >\n    - Where is the station?\n",
        "\ufeffnlu:\n- intent: é\n  examples: |\n    - Where is the café?\n",
    ],
)
def test_in_place_fits_the_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "nlu.yaml"
    path.write_bytes(text.encode("utf-8"))
    assert main(["augment", str(path), "--in-place"]) == 0
    written = path.read_bytes().decode("utf-8")
    assert "Indirect variants" in written
    section = re.compile(r"^ *# Indirect variants.*^ *# End of[^\r\n]*\r?\n", re.MULTILINE | re.DOTALL)
    assert section.sub("", written) in (text, text + "\n")
    assert written.count("\r") == (written.count("\n") if "\r" in text else 0)


def test_out_takes_all_files_and_dash_prints(nlu: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = nlu.with_name("more.yml")
    other.write_text("nlu:\n- intent: ask_taxi\n  examples: |\n    - I need a taxi at [5pm](time)\n", encoding="utf-8")
    out = nlu.with_name("all.yml")
    assert main(["augment", str(nlu), str(other), "--out", str(out), "--per-example", "1"]) == 0
    assert {"find_restaurant", "ask_taxi"} <= set(intents(as_input(out)))
    capsys.readouterr()
    assert main(["augment", str(nlu), str(other), "--out", "-", "--per-example", "1"]) == 0
    assert capsys.readouterr().out == out.read_text(encoding="utf-8")


def test_rewrites_of_the_variants_are_added_for_a_bot_that_rewrites(nlu: Path) -> None:
    out = nlu.with_name("nlu.indirect.yml")
    assert main(["augment", str(nlu)]) == 0
    variants = [example.text for item in as_input(out).items for example, _ in item.examples]
    assert main(["augment", str(nlu), "--rewritten"]) == 0
    both = [example.text for item in as_input(out).items for example, _ in item.examples]
    assert set(variants) < set(both)


def test_history_in_the_metadata_of_an_example_is_read(tmp_path: Path) -> None:
    path = tmp_path / "nlu.yml"
    turns = "[{speaker: bot, text: Would you like Thai food?}]"
    path.write_text(f"nlu:\n- intent: a\n  examples:\n  - text: yes\n    metadata: {{history: {turns}}}\n", encoding="utf-8")
    ((example, metadata),) = read_nlu(path).items[0].examples
    assert example.history == (Turn("bot", "Would you like Thai food?"),)
    assert metadata == {"history": [{"speaker": "bot", "text": "Would you like Thai food?"}]}


def test_only_the_intents_that_are_named(nlu: Path) -> None:
    assert main(["augment", str(nlu), "--intents", "ask_phone"]) == 0
    assert set(intents(as_input(nlu.with_name("nlu.indirect.yml")))) == {"ask_phone"}


def test_no_variant_leaves_an_empty_list(nlu: Path) -> None:
    assert main(["augment", str(nlu), "--min-confidence", "1"]) == 0
    assert as_input(nlu.with_name("nlu.indirect.yml")).items == ()


def test_nothing_of_others_is_overwritten(nlu: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = nlu.with_name("nlu.indirect.yml")
    out.write_text("version: '3.1'\nnlu: []\n", encoding="utf-8")
    assert main(["augment", str(nlu)]) == 2
    assert "allowed: a new file, or one that `grice augment` wrote" in capsys.readouterr().err
    assert main(["augment", str(nlu), "--overwrite"]) == 0
    edited = out.read_text(encoding="utf-8").replace("I ", "We ", 1)
    out.write_text(edited, encoding="utf-8")
    assert main(["augment", str(nlu)]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == edited
    assert main(["augment", str(nlu), "--out", str(nlu)]) == 2
    assert nlu.read_text(encoding="utf-8") == NLU


def test_an_edited_section_is_not_overwritten(nlu: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["augment", str(nlu), "--in-place"]) == 0
    edited = nlu.read_text(encoding="utf-8").replace("- I am", "- We are", 1)
    nlu.write_text(edited, encoding="utf-8")
    assert main(["augment", str(nlu), "--in-place"]) == 2
    assert f"variants in {nlu}: got 'edited ones'; allowed: as `grice augment` wrote them" in capsys.readouterr().err
    assert nlu.read_text(encoding="utf-8") == edited
    assert main(["augment", str(nlu), "--in-place", "--overwrite"]) == 0
    assert "- We are" not in nlu.read_text(encoding="utf-8")


BLOCK = "nlu:\n- intent: a\n  examples: |\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nlu:\n- intent: [a\n", "line 3: not valid YAML"),
        ("nlu:\n- intent: a\n  intent: b\n", "line 3: not valid YAML"),
        ("stories: []\n", "line 1: got 'a CommentedMap'; allowed: Rasa 3 training data"),
        ("nlu: hello\n", "line 1: got 'hello'; allowed: under `nlu:` a list"),
        ("nlu:\n- greet\n", "line 2: got 'greet'; allowed: an entry with `intent:`"),
        ("nlu:\n- intent: 3\n  examples: ''\n", "line 2, intent: got 3; allowed: a name"),
        ("nlu:\n- intent: a\n", "line 2, examples of a: got 'nothing'; allowed: a block of lines"),
        ("nlu:\n- intent: a\n  examples:\n  - hello\n", "line 4: got 'hello'; allowed: an entry with `text:`"),
        (f"{BLOCK}    - hello\n\n    hi there\n", "line 6: got 'hi there'; allowed: a line that begins with `- `"),
        (
            f"{BLOCK}    - hello\n    - to [Ely]{{'entity': 'city'}}\n",
            "line 5: annotation: got \"{'entity': 'city'}\"; allowed: [text]",
        ),
        (f"{BLOCK}    - {'x' * 10_001}\n", "line 4: text: got"),
        ("nlu: [{intent: a, examples: '- Where is it?'}]\n", "a list of lines"),
        (
            "nlu:\n- intent: a\n  examples:\n  - text: hello\n    metadata: {history: [{who: bot, text: Hi}]}\n",
            "line 4, history: got [{'who': 'bot', 'text': 'Hi'}]; allowed: a list of turns",
        ),
        (f"{BLOCK}    - C:\\user\n", "write the character itself"),
    ],
)
def test_what_is_malformed_is_said_with_its_line(
    tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "nlu.yml"
    path.write_text(text, encoding="utf-8")
    assert main(["augment", str(path), "--in-place", "--min-way-back", "0", "--min-confidence", "0"]) == 2
    error = capsys.readouterr().err
    assert str(path) in error
    assert message in error
    assert error.count("\n") == 1
    assert path.read_text(encoding="utf-8") == text
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.yml"], "nothing.yml: no such file or folder"),
        (["."], "no YAML file with `nlu:`"),
        (["nlu.yml", "--intents", "ask_fone"], "intents: got 'ask_fone'; allowed: ask_phone, find_restaurant"),
        (["nlu.yml", "--per-example", "17"], "setting per_example: got 17; allowed: whole numbers 1 to 16"),
        (["nlu.yml", "--out", "no-folder/out.yml"], "cannot be written"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if arguments[0] == "nlu.yml":
        Path("nlu.yml").write_text(NLU, encoding="utf-8")
    assert main(["augment", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_escapes_of_an_ascii_file_are_read_as_rasa_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "nlu.yml"
    path.write_text(f"{BLOCK}    - is the caf\\u00e9 open\n", encoding="utf-8")
    (item,) = read_nlu(path).items
    assert item.examples[0][0].text == "is the café open"


def test_without_ruamel_the_extra_is_named(nlu: Path) -> None:
    call = f"from grice.middleware.cli import main; sys.exit(main(['augment', {str(nlu)!r}]))"
    code = f"import sys; sys.modules['ruamel.yaml'] = None; {call}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'grice[rasa]'" in done.stderr
