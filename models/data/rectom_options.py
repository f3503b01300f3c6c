"""The options of RecToM's questions and which label each stands for, told by a phrase that only its text has.

The texts come from the files: nothing is assumed of their order, which differs between files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grice.models.minds.labels import BELIEFS, DECISIONS, OTHER, Attitude, MindRole
from grice.models.minds.questions import Option, QuestionKind

_GREETING = "greetings"
_COARSE: Mapping[MindRole, Mapping[str, str]] = {
    "recommender": {
        "seeks feedback": "request",
        "responds to": "respond",
        "provides a recommendation": "recommend",
        "explains a recommendation": "explain",
        _GREETING: OTHER,
    },
    "seeker": {
        "give feedback": "give-feedback",
        "add more information": "add-details",
        "asks for a recommendation": "ask-for-recommendation",
        _GREETING: OTHER,
    },
}
_FINE: Mapping[MindRole, Mapping[str, str]] = {
    "recommender": {
        "requests for": "request-preference",
        "clarifying": "clarify",
        "other feedback": "respond-to-feedback",
        "answers": "answer",
        "showing it directly": "show-item",
        "by inquiring": "inquire-about-item",
        "non-personalized": "explain-item",
        "past preference": "explain-by-preference",
        "suggestive": "explain-suggestively",
        _GREETING: OTHER,
    },
    "seeker": {
        "first query": "first-query",
        "subsequent query": "further-query",
        "restates": "restate-query",
        "new query": "new-query",
        "specific preference": "give-preference",
        "answers": "answer",
        "personal opinions": "ask-opinion",
        "has seen": "seen",
        "seeker likes": "like",
        "dislikes": "dislike",
        "know more": "ask-about-item",
        "critiques": "criticise",
        "adds further constraints": "add-constraint",
        "not indicate": "no-preference",
        "similar": "ask-for-similar",
        _GREETING: OTHER,
    },
}


def options_of(kind: QuestionKind, role: MindRole, choices: Sequence[str] | Mapping[str, str]) -> tuple[Option, ...]:
    """The options of a question of that kind on the mind of `role`.

    Raises:
        ValueError: an option has no letter, or its text tells no label, or that of another option.
    """
    options = tuple(Option(letter, text, _label(kind, role, text)) for letter, text in _lettered(choices))
    for what, values in (("letter", [each.letter for each in options]), ("label", [each.label for each in options])):
        if len(set(values)) < len(values) or not values:
            raise ValueError(f"each option needs a {what} of its own, not {values}")
    return options


def strategy_of(role: MindRole, text: str) -> str:
    """The id of a strategy from its text.

    Raises:
        ValueError: the text tells none.
    """
    return _by_phrase(_COARSE[role], text)


def _lettered(choices: Sequence[str] | Mapping[str, str]) -> Iterator[tuple[str, str]]:
    pairs = choices.items() if isinstance(choices, Mapping) else (choice.split(":", 1) for choice in choices)
    for letter, text in pairs:
        if len(letter) != 1 or not "A" <= letter <= "Z":
            raise ValueError(f"an option has the letter {letter!r}, not one of A to Z")
        yield letter, text.strip()


def _label(kind: QuestionKind, role: MindRole, text: str) -> str:
    if kind == "fine-intention":
        return _by_phrase(_FINE[role], text)
    if kind in ("coarse-intention", "prediction"):
        return strategy_of(role, text)
    return _belief(text) if kind == "belief" else _decision(text)


def _by_phrase(labels: Mapping[str, str], text: str) -> str:
    found = [label for phrase, label in labels.items() if phrase in text.lower()]
    if len(found) != 1:
        raise ValueError(f"{text!r} has {len(found)} of the phrases {', '.join(labels)}, not 1")
    return found[0]


def _belief(text: str) -> str:
    said = text.lower()
    label = Attitude(
        "seeker" if "proposed by the seeker" in said else "recommender",
        seen="already seen" in said,
        liked="not accept" not in said and "not seem to like" not in said,
    ).label
    if "proposed by" not in said or label not in BELIEFS:
        raise ValueError(f"{text!r} is none of the attitudes {', '.join(BELIEFS)}")
    return label


def _decision(text: str) -> str:
    if text.lower() not in DECISIONS:
        raise ValueError(f"{text!r} is not {' or '.join(DECISIONS)}")
    return text.lower()
