"""What holds of the package as a whole: what may import what, and that a name means one thing."""

from __future__ import annotations

import ast
import importlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import grice.models

ROOT = Path(grice.models.__file__).resolve().parent.parent
PACKAGES = ("models", "middleware", "components", "integrations", "benchmarks")
CONCEPTS = (
    "behaviors",
    "directness",
    "face_acts",
    "meaning",
    "minds",
    "relations",
    "rewriter",
    "sentence_encoder",
    "slots",
    "text",
)
DATA = "grice.models.data"
READS_DATA = (
    *(DATA, "grice.models.training", "grice.models.export", "grice.benchmarks", "grice.middleware.authoring"),
    *("grice.middleware.cli.data", "grice.middleware.cli.train", "grice.middleware.cli.export", "grice.middleware.cli.health"),
)
"""Commands and tools that work on data sets; nothing that runs beside a dialogue is among them."""
MAY_IMPORT = {
    "models": ("models",),
    "middleware": ("models", "middleware"),
    "components": ("models", "middleware", "components"),
    "integrations": ("models", "middleware", "integrations"),
    "benchmarks": ("models", "middleware", "benchmarks"),
}
MOST_FILES_AT_A_ROOT = 10
"""What comes on top of these belongs into a folder of its own."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(("grice", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def is_below(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_nothing_at_run_time_imports_readers_of_data_sets() -> None:
    wrong = {
        name for name, tree in modules() if not is_below(name, READS_DATA) for each in imported(tree) if is_below(each, (DATA,))
    }
    assert not wrong


def test_dependencies_go_one_way() -> None:
    wrong = {
        (name, each)
        for name, tree in modules()
        for each in imported(tree)
        if each.startswith("grice.") and each.split(".")[1] not in MAY_IMPORT[name.split(".")[1]]
    }
    assert not wrong


@pytest.mark.parametrize("package", ["models", "middleware", "benchmarks"])
def test_a_concept_is_a_folder_and_no_prefix(package: str) -> None:
    files = [path.name for path in (ROOT / package).iterdir() if path.is_file()]
    assert len(files) <= MOST_FILES_AT_A_ROOT, files


def test_no_module_of_the_package_is_named_like_a_test() -> None:
    assert not [name for name, _ in modules() if name.rpartition(".")[2].startswith("test_")]


def names(tree: ast.Module) -> Iterator[str]:
    """Classes, and types that have a name: `Role = Literal[…]`."""
    yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Subscript, ast.BinOp)):
            yield from (
                each.id
                for each in node.targets
                if isinstance(each, ast.Name) and each.id.lstrip("_")[:1].isupper() and not each.id.isupper()
            )


def test_a_name_means_one_thing() -> None:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module, tree in modules():
        for name in names(tree):
            found[name].add(module)
    assert not {name: where for name, where in found.items() if len(where) > 1}


@pytest.mark.parametrize("concept", CONCEPTS)
def test_a_concept_says_what_is_public(concept: str) -> None:
    package = importlib.import_module(f"grice.models.{concept}")
    assert all(hasattr(package, name) for name in package.__all__)
    assert len(set(package.__all__)) == len(package.__all__)
