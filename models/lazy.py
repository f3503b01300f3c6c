"""Packages that import what they offer only when it is asked for, so that a part of them needs no more than that part does."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def offer(package: str, names: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package (PEP 562).

        __getattr__, __dir__ = offer(__name__, {"grice.models.dialogue": ("Dialogue", "Turn")})

    Args:
        package: its name.
        names: what it offers, by the module that has it.
    """
    place = {name: module for module, offered in names.items() for name in offered}

    def find(name: str) -> Any:
        if name not in place:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(place[name]), name)

    return find, lambda: sorted(place)
