"""Names of dialogues, as stores, routes and events know them."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote

from grice.models.errors import InputError

DIALOGUE_ID_PATTERN = r"^[^\s/]*\w[^\s/]*$"
"""No white space, no slash, at least one letter or digit: a name that can stand in a path."""
MAX_DIALOGUE_ID = 200

_USABLE = re.compile(DIALOGUE_ID_PATTERN)


def check_dialogue_id(name: object) -> str:
    """Return `name` if it is usable as the name of a dialogue.

    Raises:
        InputError: it is not.
    """
    if not isinstance(name, str) or not _usable(name):
        raise InputError(
            "dialogue_id",
            name if not isinstance(name, str) else _encodable(name),
            f"1 to {MAX_DIALOGUE_ID} characters, no white space, no slash, at least one letter or digit",
        )
    return name


def dialogue_id_of(sender: str) -> str:
    """The dialogue of a bot platform's `sender`: the same name where it is usable, percent-encoded where not.

    A sender id is what a channel makes it; some hold slashes or spaces. A name that is too long ends in a hash of the whole.
    """
    if _usable(sender):
        return sender
    encoded = quote(_encodable(sender), safe="")
    if len(encoded) <= MAX_DIALOGUE_ID and _usable(encoded):
        return encoded
    return f"{encoded[:100]}~{hashlib.sha256(encoded.encode()).hexdigest()}"


def _usable(name: str) -> bool:
    return len(name) <= MAX_DIALOGUE_ID and name == _encodable(name) and _USABLE.fullmatch(name) is not None


def _encodable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()
