"""Turns and dialogues: what every model reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from grice.models.errors import InputError

Speaker = Literal["user", "bot"]

SPEAKERS: tuple[str, ...] = get_args(Speaker)
MAX_TEXT_CHARACTERS = 10_000
"""Longest text of one turn. A spoken or typed turn has a few hundred characters; more is a pasted document."""


@dataclass(frozen=True)
class Turn:
    """One utterance.

    Raises:
        InputError: the speaker is unknown, the text is blank, longer than `MAX_TEXT_CHARACTERS`, or not valid Unicode
            (lone surrogates). Control characters are allowed; models read them as spaces.
    """

    speaker: Speaker
    text: str

    def __post_init__(self) -> None:
        if self.speaker not in SPEAKERS:
            raise InputError("speaker", self.speaker, " or ".join(SPEAKERS))
        check_text(self.text)


@dataclass(frozen=True)
class Dialogue:
    """Turns in order, oldest first; the last one is the turn that a model looks at.

    Raises:
        InputError: there is no turn, or something that is none.
    """

    turns: tuple[Turn, ...]

    def __post_init__(self) -> None:
        check_each(self.turns, Turn, "turns")
        if not self.turns:
            raise InputError("turns", "0 turns", "at least 1")
        if not isinstance(self.turns, tuple):
            object.__setattr__(self, "turns", tuple(self.turns))

    @classmethod
    def of(cls, text: str, history: Iterable[Turn | tuple[Speaker, str]] = (), speaker: Speaker = "user") -> Dialogue:
        """The dialogue that ends in `text`, after `history` (oldest first).

        Raises:
            InputError: a text or a speaker cannot be used, or `history` holds something else than turns.
        """
        if isinstance(history, (str, bytes)) or not isinstance(history, Iterable):
            raise InputError("history", history, "a list of turns, or of pairs of speaker and text")
        return cls((*map(_as_turn, history), Turn(speaker, text)))

    @classmethod
    def of_messages(cls, messages: Sequence[object]) -> Dialogue:
        """The dialogue of messages with `role` and `content`, or `speaker` and `text`; `grice.models.messages` has the mapping.

        Raises:
            InputError: a message cannot be used, or nothing was said.
        """
        from grice.models.messages import read_dialogue  # which knows dialogues

        return read_dialogue(messages)

    @property
    def last(self) -> Turn:
        """The turn that a model looks at."""
        return self.turns[-1]

    @property
    def history(self) -> tuple[Turn, ...]:
        """All turns before the last, oldest first."""
        return self.turns[:-1]


def check_text(text: object, what: str = "text") -> str:
    """Return `text` if it is usable as the text of a turn.

    Raises:
        InputError: not a string, blank, too long, or with lone surrogates.
    """
    if not isinstance(text, str):
        raise InputError(what, text, "a string")
    if len(text) > MAX_TEXT_CHARACTERS:
        raise InputError(what, text, f"at most {MAX_TEXT_CHARACTERS} characters")
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise InputError(what, text, "a text with at least one printable character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(what, text.encode("utf-8", "backslashreplace").decode(), "valid Unicode (no lone surrogates)") from error
    return text


def check_each(given: object, kind: type, what: str) -> None:
    """See to it that `given` is a list or tuple of `kind`.

    Raises:
        InputError: it is something else (a string, too, is a sequence), or one of them is.
    """
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)):
        raise InputError(what, given, f"a list of {kind.__name__} objects")
    for place, each in enumerate(given):
        if not isinstance(each, kind):
            raise InputError(f"{what}, at {place}", each, f"a {kind.__name__} object")


def plain_text(text: str) -> str:
    """`text` with control characters and runs of white space as single spaces: what models read."""
    if not text.isprintable():
        text = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(text.split())


def _as_turn(given: object) -> Turn:
    if isinstance(given, Turn):
        return given
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return Turn(*given)
    raise InputError("turn of the history", given, "a Turn, or a pair of speaker and text")
