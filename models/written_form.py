"""Placeholder, replaced by helper."""

from collections.abc import Sequence


def written_form(text: str, sources: Sequence[str]) -> str:
    return text
