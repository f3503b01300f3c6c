"""The navigation, fitted to the pages that there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

REST_OF_THE_PAGES = "More"
Nav = Sequence[Any]
"""As `nav` of `mkdocs.yml`: pages, and titles with a page or with more of the like."""


def fit_nav(nav: Nav, pages: Sequence[str]) -> list[Any]:
    """The navigation without pages that are not there, and with those that it forgot, under "More"."""
    kept = _keep(nav, set(pages))
    forgotten = sorted(set(pages) - set(_listed(kept)))
    return [*kept, {REST_OF_THE_PAGES: forgotten}] if forgotten else kept


def _listed(nav: Nav) -> list[str]:
    found: list[str] = []
    for entry in nav:
        for target in entry.values() if isinstance(entry, dict) else [entry]:
            found += [target] if isinstance(target, str) else _listed(target)
    return found


def _keep(nav: Nav, pages: set[str]) -> list[Any]:
    kept: list[Any] = []
    for entry in nav:
        ((title, target),) = entry.items() if isinstance(entry, dict) else [(None, entry)]
        left = _keep(target, pages) if isinstance(target, list) else target
        if left and (isinstance(left, list) or left in pages):
            kept.append({title: left} if title else left)
    return kept
