"""What the README shows is what comes out, with the core alone."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from grice.middleware.runtime.deadline import TimedWorkers

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    within = TimedWorkers.within  # what it shows must not depend on a busy machine
    monkeypatch.setattr(TimedWorkers, "within", lambda workers, _, what, work: within(workers, 600_000, what, work))
    monkeypatch.chdir(ROOT)
    shown = "".join(f"{line.partition('# ')[2]}\n" for line in code.splitlines() if line.startswith("# "))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert shown
    assert printed.getvalue() == shown


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_files_that_are_named_are_there(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w.*-]+/)+[\w.*-]+\.(?:jsonl?|md|py|txt|ya?ml))`", text)
    patterns = {name: name.replace("NAME", "*").replace("BENCHMARK", "*") for name in named}
    assert [name for name, pattern in patterns.items() if not any(ROOT.glob(pattern))] == []
