"""The built wheel, installed into an empty environment, rewrites a turn: everything that is needed is inside."""

import importlib.util
import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NEEDED = ("numpy", "numpy.libs", "onnxruntime", "tokenizers")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    files = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    for name in files:
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(ROOT / name, source / name) if os.stat(ROOT).st_dev == os.stat(folder).st_dev else (source / name).write_bytes(
                (ROOT / name).read_bytes()
            )
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
        str(source),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("grice-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and the three packages that the core needs, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True, symlinks=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel], check=True, capture_output=True)
    site = next((folder / "lib").glob("python*/site-packages"))
    for name in NEEDED:
        spec = importlib.util.find_spec(name.partition(".")[0])
        assert spec is not None
        assert spec.origin is not None
        source = Path(spec.origin).parent.parent / name
        if source.exists():
            (site / name).symlink_to(source)
    return folder


def test_wheel_holds_every_module_and_data_file_of_the_tree(wheel: Path) -> None:
    inside = {name.removeprefix("grice/") for name in zipfile.ZipFile(wheel).namelist() if name.startswith("grice/")}
    tree = {
        path.relative_to(ROOT).as_posix()
        for part in ("models", "middleware", "components", "integrations", "benchmarks")
        for path in (ROOT / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    tree |= {path.name for path in (ROOT / "grice").iterdir() if path.is_file()}  # the package's own names
    assert tree - inside == set()
    assert inside - tree == set()


def test_installed_command_rewrites_a_turn(installed: Path, tmp_path: Path) -> None:
    history = tmp_path / "history.txt"
    history.write_text("user: I am looking for a hotel in the north\nbot: There is an expensive one. Shall I book it?\n")
    command: list[str | Path] = [
        installed / "bin" / "grice",
        "rewrite",
        "I don't have that much money",
        "--history",
        history,
        "--json",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    analysis = json.loads(done.stdout)
    assert analysis["original"] == "I don't have that much money"
    assert analysis["directness"]["score"] < 0.5
    assert analysis["rewrite"]["text"]
    assert analysis["failures"] == []


def test_core_needs_nothing_else(installed: Path, tmp_path: Path) -> None:
    program = "import sys; from grice.models import *; from grice.middleware import *; print(*sys.modules)"
    done = subprocess.run([installed / "bin" / "python", "-c", program], check=True, capture_output=True, text=True, cwd=tmp_path)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert {"numpy", "onnxruntime", "tokenizers"} <= loaded
    assert not {"torch", "transformers", "pydantic", "fastapi", "redis", "rasa"} & loaded


@pytest.mark.parametrize(("arguments", "extra"), [(["serve"], "server"), (["train", "rewriter", "--data-dir", "."], "train")])
def test_missing_extra_says_the_install_line(installed: Path, tmp_path: Path, arguments: list[str], extra: str) -> None:
    done = subprocess.run([installed / "bin" / "grice", *arguments], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert f"pip install 'grice[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr
