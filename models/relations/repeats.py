"""Words that were said before: found by comparing words, with the reasons that make saying them again fine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from grice.models.dialogue import Turn
from grice.models.relations.results import QuotedSpan
from grice.models.relations.sentences import sentence_places
from grice.models.relations.values import ValueKind, stated_values
from grice.models.text.wording import FUNCTION_WORDS

LEAST_WORDS = 5
LEAST_CONTENT = 3
NEAR = 0.8
"""Of the runs of three words in both, the share from which on sentences are nearly the same."""

MOST = 0.6
"""Of the words of a response, the share that must have been said before; with less it says something new too."""

RepeatReason = Literal["", "asked for", "confirms", "unanswered", "says more"]

_WORD = re.compile(r"[a-z0-9]+")
_ASKS_AGAIN = re.compile(
    r"\b(again|repeat|say that|remind|pardon|sorry\?|what did you|what was|didn'?t (?:catch|hear|get|understand)|once more|recap|"
    r"summar|read (?:it|that) back|come again|you said|said what)\b|^(?:what|huh|sorry|hm+)\s*\?*$",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(
    r"\b(to confirm|just to be sure|let me (?:confirm|check|repeat|recap)|to recap|to sum up|so (?:that'?s|that is|you)|you said|"
    r"is that (?:right|correct)|correct\?|right\?|confirmed|booked|as i said|as you said)\b",
    re.IGNORECASE,
)
_ASKED_FOR: tuple[tuple[re.Pattern[str], tuple[ValueKind, ...]], ...] = (
    (re.compile(r"\b(?:which|what) (?:day|date)\b", re.IGNORECASE), ("date",)),
    (re.compile(r"\b(?:which|what) time\b", re.IGNORECASE), ("time",)),
    (re.compile(r"\bhow many\b", re.IGNORECASE), ("number",)),
)


@dataclass(frozen=True)
class Repeat:
    """A sentence of the response that was said before.

    Attributes:
        exact: word for word. reason: why it is fine to say it again; "" where there is no reason.
        about: the words as they were said before. words: the response's.
        answer: of a question that the user has just answered, the answer.
    """

    exact: bool
    reason: RepeatReason
    about: QuotedSpan
    words: QuotedSpan
    answer: QuotedSpan | None = None


def find_repeat(turns: Sequence[Turn], response: str) -> Repeat | None:
    """The longest sentence of the response that one of the turns before it has, in the same or nearly the same words.

    Args:
        turns: before the response, oldest first.
    """
    earlier = [
        (place, number, start, end, _words(turn.text[start:end]))
        for place, turn in enumerate(turns)
        for number, (start, end) in enumerate(sentence_places(turn.text))
    ]
    found: list[tuple[int, Repeat]] = []
    repeated = 0
    for own_number, (own_start, own_end) in enumerate(sentence_places(response)):
        said = _words(response[own_start:own_end])
        if len(said) < LEAST_WORDS or len(set(said) - FUNCTION_WORDS) < LEAST_CONTENT:
            continue
        for place, number, start, end, words in reversed(earlier):
            if (likeness := _likeness(said, words)) >= NEAR:
                about = QuotedSpan(turns[place].speaker, place, number, start, end, turns[place].text[start:end])
                own = QuotedSpan("response", len(turns), own_number, own_start, own_end, response[own_start:own_end])
                answer = _answer(turns, place, own.text)
                reason = "" if answer else _reason(turns, place, own.text)
                found.append((len(said), Repeat(likeness == 1.0, reason, about, own, answer)))
                repeated += len(said)
                break
    if not found:
        return None
    longest = max(found, key=lambda each: each[0])[1]
    if not longest.reason and repeated < MOST * len(_words(response)):
        return replace(longest, reason="says more")
    return longest


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower().replace("'", "").replace("’", "")))


def _likeness(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """1 where they are the same; else the share of runs of three words that both have."""
    if one == other:
        return 1.0
    if len(other) < LEAST_WORDS:
        return 0.0
    runs = [{words[at : at + 3] for at in range(len(words) - 2)} for words in (one, other)]
    return min(0.99, len(runs[0] & runs[1]) / max(len(runs[0] | runs[1]), 1))


def _reason(turns: Sequence[Turn], place: int, words: str) -> RepeatReason:
    last = turns[-1]
    if last.speaker == "user" and _ASKS_AGAIN.search(last.text):
        return "asked for"
    if _CONFIRMS.search(words):
        return "confirms"
    if words.endswith("?"):
        return "confirms" if turns[place].speaker == "user" else "unanswered"
    return ""


def _answer(turns: Sequence[Turn], place: int, words: str) -> QuotedSpan | None:
    """The user's last turn, where it answers a question that the bot has just asked, for a day, a time or a number.

    Questions for anything else, and those of long ago, may be open again; whether they are is not told by words.
    """
    last = turns[-1]
    if not words.endswith("?") or place != len(turns) - 2 or turns[place].speaker != "bot" or last.speaker != "user":
        return None
    if _ASKS_AGAIN.search(last.text) or last.text.rstrip().endswith("?"):
        return None
    wanted = next((kinds for pattern, kinds in _ASKED_FOR if pattern.search(words)), ())
    if not any(value.kind in wanted for value in stated_values(last.text)):
        return None
    return QuotedSpan("user", len(turns) - 1, 0, 0, len(last.text), last.text)
