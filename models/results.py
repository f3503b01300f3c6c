"""What models find: frozen, and saying how much of the dialogue they read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Directness:
    """How plainly a turn says what is wanted.

    Attributes:
        score: 0 (indirect) to 1 (direct), calibrated: the share of turns of this score that people judge direct.
        history_read: turns of history that the model read.
        history_cut: older turns that did not fit and were left out.
        text_cut: the end of the turn itself did not fit and was left out.
    """

    score: float
    history_read: int = 0
    history_cut: int = 0
    text_cut: bool = False


@dataclass(frozen=True)
class Rewrite:
    """A turn in another form.

    Attributes:
        text: the rewritten turn, cased and spaced like written English.
        confidence: the mean probability of its tokens, 0 to 1 (the exponential of the mean log-probability).
        tokens: how many tokens were generated, the end token included.
        finished: the model ended the turn by itself, not by the length limit.
        history_read, history_cut, text_cut: as in `Directness`.
    """

    text: str
    confidence: float
    tokens: int
    finished: bool = True
    history_read: int = 0
    history_cut: int = 0
    text_cut: bool = False
