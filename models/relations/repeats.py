"""Words that were said before: found by comparing words, with the reasons that make saying them again fine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from grice.models.dialogue import Turn
from grice.models.relations.results import QuotedSpan
from grice.models.relations.sentences import sentence_places
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


@dataclass(frozen=True)
class Repeat:
    """A sentence of the response that was said before.

    Attributes:
        exact: word for word. reason: why it is fine to say it again; "" where there is no reason.
        about: the words as they were said before. words: the response's.
    """

    exact: bool
    reason: RepeatReason
    about: QuotedSpan
    words: QuotedSpan


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
                found.append((len(said), Repeat(likeness == 1.0, _reason(turns, place, own.text), about, own)))
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
