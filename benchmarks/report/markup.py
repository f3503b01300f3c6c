"""HTML that is well formed and escaped, whatever a label holds."""

from __future__ import annotations

import html


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str | float) -> Markup:
    """`<name attributes>children</name>`; children that are no `Markup` are escaped. `class_` is `class`."""
    given = "".join(f' {_attribute(key)}="{html.escape(str(value))}"' for key, value in attributes.items())
    inside = "".join(child if isinstance(child, Markup) else html.escape(child) for child in children)
    return Markup(f"<{name}{given}>{inside}</{name}>")


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
