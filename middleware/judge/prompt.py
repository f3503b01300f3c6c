"""What the judge reads: some of the turns, and a prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.dialogue import Dialogue, Speaker, Turn, plain_text
from grice.models.results import PAIRED, Behavior

NAMES: dict[Speaker, str] = {"user": "Speaker 1", "bot": "Speaker 2"}

_SPEAKER = re.compile(r"\bthe (user|bot)\b", re.IGNORECASE)
_NOTHING = "(Nothing has been said yet.)"
_REASON = (
    'First think the question through; begin that part with "Reasoning:". '
    'Then end with a line of its own that holds your decision: either "Decision: [YES]" or "Decision: [NO]".'
)
_ONLY = "No word other than YES or NO may stand in your decision."


def judge_prompt(dialogue: Dialogue, behavior: Behavior, places: Sequence[int] | None = None) -> str:
    """The prompt that asks whether the last turn of a dialogue shows a behaviour.

    The layout is that of Finch, Paek & Choi 2023, Table 13: the numbered dialogue, the behaviour's question, the target utterance,
    the behaviour's definition, reasoning before decision. The words are ours (`DEFINITIONS`). Line breaks within a turn become
    spaces, so that what was said cannot pass for a part of the prompt.

    Args:
        places: which turns of the history are shown, by their place, 0 the oldest; they keep their numbers. None: all.
    """
    definition = DEFINITIONS[behavior]
    shown = range(len(dialogue.history)) if places is None else places
    numbered = [f"{place + 1}. {_said(dialogue.turns[place])}" for place in shown]
    parts = (
        "DIALOGUE",
        "\n".join(numbered) or _NOTHING,
        _with_speakers(definition.question),
        _said(dialogue.last),
        _with_speakers(definition.definition),
        _REASON,
        _ONLY,
    )
    return "\n\n".join(parts)


def _said(turn: Turn) -> str:
    return f"{NAMES[turn.speaker]}: {plain_text(turn.text)}"


def _with_speakers(text: str) -> str:
    """The definitions speak of user and bot, the dialogue of two speakers, of whom nobody says which one is a machine."""
    return _SPEAKER.sub(lambda match: NAMES["user" if match[1].lower() == "user" else "bot"], text)


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
