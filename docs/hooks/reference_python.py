"""The public names of the packages, for mkdocstrings, which reads their docstrings."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

COMPONENTS = Path(__file__).parents[2] / "components"
PACKAGES = {"grice": "grice", "models": "grice.models", "middleware": "grice.middleware"}


def python_pages() -> dict[str, str]:
    """A page a package: every name that it offers."""
    pages = {f"reference/python/{name}.md": _page(package, _names_of(package)) for name, package in PACKAGES.items()}
    return {**pages, "reference/python/components.md": _page("grice.components", _components())}


def _page(package: str, names: list[str]) -> str:
    return "\n".join([f"# {package}\n", *(f"::: {name}\n" for name in names)])


def _names_of(package: str) -> list[str]:
    """Where each public name is defined; names of plain values and of types have no page of their own."""
    module = importlib.import_module(package)
    found = ((name, getattr(module, name)) for name in module.__all__ if not name.startswith("__"))
    return [f"{each.__module__}.{each.__qualname__}" for _, each in found if hasattr(each, "__qualname__")]


def _components() -> list[str]:
    """The components of Rasa. Rasa is not at hand where the site is built, so they are found by name in the file."""
    text = (COMPONENTS / "__init__.py").read_text(encoding="utf-8")
    return [f"{module}.{name}" for module, name in re.findall(r"^from (grice\.components\.\w+) import (\w+)$", text, re.MULTILINE)]
