"""What is installed: locks with checksums and without addresses, that fit each other and what the image installs."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOCKS = ("image.txt", "build.txt")
PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


def text_of(name: str) -> str:
    return (ROOT / "requirements" / name).read_text(encoding="utf-8")


def pins(name: str) -> dict[str, str]:
    return {plain(package): version for package, version in PIN.findall(text_of(name))}


def plain(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_of_a_lock_has_checksums(name: str) -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", text_of(name).strip())
    assert len(entries) == len(pins(name)) > 0
    for entry in entries:
        hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})\b", entry)
        assert hashes, entry
        assert len(hashes) == entry.count("--hash="), entry


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "requirements").glob("*.txt")))
def test_no_file_names_an_address(name: str) -> None:
    assert not re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host", text_of(name))


def test_the_image_has_the_versions_that_the_suite_passes_with() -> None:
    tested = pins("main.txt")
    assert {package: version for package, version in pins("image.txt").items() if tested.get(package, version) != version} == {}


def test_the_image_has_all_that_its_extras_ask_for() -> None:
    (extras,) = re.findall(r"^\t\$\(LOCK\) (--extra .*) -o", (ROOT / "Makefile").read_text(), re.MULTILINE)
    chosen = set(extras.replace("--extra", "").split())
    assert chosen >= {"server", "redis", "otel"}
    needed = set()
    for line in importlib.metadata.requires("grice") or ():
        (package,) = re.findall(r"^[A-Za-z0-9._-]+", line)
        wanted = re.findall(r'extra == "([\w-]+)"', line)
        if not wanted or set(wanted) & chosen:
            needed.add(plain(package))
    assert len(needed) > 8
    assert needed <= set(pins("image.txt"))


def test_the_image_is_made_of_locks_alone() -> None:
    lines = re.findall(r"pip (?:install|wheel) (.*)", (ROOT / "Dockerfile").read_text())
    assert len(lines) == 4
    for line in lines:
        assert "--require-hashes" in line or ("--no-deps" in line and ("--no-index" in line or "--no-build-isolation" in line)), (
            line
        )


@pytest.mark.parametrize(
    ("does", "status", "said"),
    [
        ("echo '{}' > dist/audit.json", 0, False),
        ("echo '{}' > dist/audit.json; exit 1", 2, False),  # vulnerabilities were found: make fails with 2
        ("echo cannot resolve the name; exit 1", 2, True),
        ("exit 0", 2, True),
    ],
)
def test_what_could_not_be_audited_is_not_taken_for_sound(tmp_path: Path, does: str, status: int, said: bool) -> None:
    """`make audit` with something in place of pip-audit, which writes its report only where the database answered."""
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "audit.json").write_text("from the time before")
    stand_in = tmp_path / "release" / "bin" / "pip-audit"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text(f"#!/bin/sh\n{does}\n")
    stand_in.chmod(0o755)
    done = tmp_path / "release" / ".done"
    done.touch()
    command = [
        "make",
        "--file",
        str(ROOT / "Makefile"),
        f"--old-file={done}",
        "RELEASE=release",
        "--old-file=release/.done",
        "audit",
    ]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == status, ran.stderr
    assert ("NOT AUDITED" in ran.stderr) == said
