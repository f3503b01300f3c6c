"""Which turns of a dialogue the judge reads: two mitigations of Finch, Paek & Choi 2023, section 8."""

from __future__ import annotations

from dataclasses import dataclass

from grice.models.dialogue import Dialogue
from grice.models.results import PAIRED, Behavior


@dataclass(frozen=True)
class Context:
    """A part of the history.

    Attributes:
        places: its turns, by their place in `Dialogue.turns`.
        against: the place of the one turn that the response is held against; None: it is held against all of them.
    """

    places: tuple[int, ...]
    against: int | None = None


def contexts(dialogue: Dialogue, behavior: Behavior, window: int | None, pairing: bool) -> list[Context]:
    """The parts of the history that a question is asked about, one call each; the behaviour is shown if it is in any.

    With `pairing`, a response is held against each earlier turn that it could clash with: of the bot for a self contradiction, of
    the user for a partner contradiction, of either for a redundancy. The first two come with the turn before, which may be the
    question that gives them their sense; a repetition shows in the turn itself. Without such a turn it is one call about all of it.

    Args:
        window: turns of history that are read, the newest; None: all.
        pairing: whether the response is held against one turn at a time; for the behaviours in `PAIRED`, others ignore it.
    """
    count = len(dialogue.history)
    first = 0 if window is None else max(0, count - window)
    whole = [Context(tuple(range(first, count)))]
    if not pairing or behavior not in PAIRED:
        return whole
    speakers = {"!Sel": ("bot",), "!Par": ("user",), "Red": ("user", "bot")}[behavior]
    reach = 0 if behavior == "Red" else 1
    clashing = [place for place in range(first, count) if dialogue.turns[place].speaker in speakers]
    return [Context(tuple(range(max(first, place - reach), place + 1)), place) for place in clashing] or whole
