"""What `make check` refuses: faults that came in before it did."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from browser import PICTURES

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", ["middleware/judge/some.py", "tests/middleware/judge/test_some.py"])
@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("import time\n\n\nasync def wait() -> None:\n    time.sleep(1)\n", "ASYNC251"),
        ("def look(other: object) -> object:\n    return other._inside\n", "SLF001"),
        ("try:\n    print()\nexcept Exception:\n    print()\n", "BLE001"),
        ("def add(a: int, b: int, c: int, d: int, e: int, f: int) -> int:\n    return a + b + c + d + e + f\n", "PLR0913"),
    ],
)
def test_lint_finds(name: str, code: str, rule: str) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise", "--stdin-filename", name, "-"]
    found = subprocess.run(command, cwd=ROOT, input=code, capture_output=True, text=True)
    assert (found.returncode, rule in found.stdout) == (1, True), found.stdout + found.stderr


def test_pictures_of_the_page_stay_out_of_git_and_ci_says_where_they_are() -> None:
    folder = PICTURES.relative_to(ROOT)
    assert f"/{folder.parts[0]}/" in (ROOT / ".gitignore").read_text().splitlines()
    run = (ROOT / ".ci" / "run").read_text()
    assert f'$PWD/{folder}"' in run
    assert f"rm -rf {folder}" in run  # none is older than the run


@pytest.mark.parametrize(
    ("code", "said"), [("from typing import Protocol", "Success"), ("from typing import Self", 'has no attribute "Self"')]
)
def test_types_are_those_of_python_3_10(code: str, said: str, tmp_path: Path) -> None:
    some = tmp_path / "some.py"
    some.write_text(f"{code}\n")
    command = [sys.executable, "-m", "mypy", "--cache-dir", os.devnull, str(some)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert said in found.stdout, found.stdout + found.stderr
