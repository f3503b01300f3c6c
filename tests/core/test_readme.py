"""What the README shows is what comes out."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from grice.middleware.cli import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


NUMBER = re.compile(r"\d+\.\d+")


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples(code: str) -> None:
    shown = "".join(f"{line.partition('# ')[2]}\n" for line in code.splitlines() if line.startswith("# "))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert shown
    assert printed.getvalue() == shown


def test_command_line_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (session,) = blocks("console")
    monkeypatch.chdir(tmp_path)
    shown = printed = ""
    for line in session.splitlines():
        if line.startswith("$ printf "):
            _, text, arrow, name = shlex.split(line[2:])
            assert arrow == ">"
            Path(name).write_text(text.replace("\\n", "\n"))
        elif line.startswith("$ grice "):
            assert main(shlex.split(line)[2:]) == 0
            printed += capsys.readouterr().out
        else:
            shown += f"{line}\n"
    assert shown
    assert NUMBER.sub("N", printed) == NUMBER.sub("N", shown)
    for got, told in zip(NUMBER.findall(printed), NUMBER.findall(shown), strict=True):
        assert float(got) == pytest.approx(float(told), abs=0.02)  # int8 products are not the same on every processor


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_files_that_are_named_are_there(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w.*-]+/)+[\w.*-]+\.(?:jsonl?|md|py|txt|ya?ml))`", text)
    patterns = {name: name.replace("NAME", "*").replace("BENCHMARK", "*") for name in named}
    assert [name for name, pattern in patterns.items() if not any(ROOT.glob(pattern))] == []
