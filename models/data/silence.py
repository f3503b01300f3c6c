"""Turns that a file has without a text: they keep their place, and say that nobody said anything."""

from __future__ import annotations

from grice.models.dialogue import Speaker, Turn

SILENCE = "…"
"""Stands for the missing text, so that the turns after it keep their index."""


def turn_or_silence(speaker: Speaker, text: str) -> Turn:
    """A turn of `text`, or of `SILENCE` if `text` is blank.

    Raises:
        InputError: the text is not usable for another reason.
    """
    return Turn(speaker, text if text.strip() else SILENCE)


def is_silent(turn: Turn) -> bool:
    """The file has no text for this turn."""
    return turn.text == SILENCE
