"""RecToM's ten files of questions on what recommender and seeker have in mind (Li, Shi and Deng 2026).

Files: see `FILES`; each a list of {dialogue_id, utterance_pos, utterance_context, question, the options under `choice` or
`choices`, the letters of the right ones under `answer`, `answer_fine` or `answer_coarse`}. Options are a list of "LETTER: text"
or an object of letter to text. The files of fine intentions have both answers: letters are in `answer_fine`, names in
`answer_coarse`. "A" is no in the recommender's file of judgements and yes in the seeker's, so labels come from the texts of the
options. Contexts have a line a turn, "SEEKER says: …" or "RECOMMENDER says: …"; `utterance_pos` counts them. The turn that a
question on an intention is about is the last of its role, with the other's reply after it or not. One place of a dialogue may
have questions about several movies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grice.models.data.files import existing, in_format, read_json
from grice.models.dialogue import plain_text
from grice.models.errors import DataCorrupt
from grice.models.minds.labels import BELIEFS, DECISIONS, MIND_ROLES, OTHER, Attitude, MindRole
from grice.models.minds.questions import SEVERAL, TASKS, MindQuestion, Option, QuestionKind, RoleTurn, Task, kind_of, role_of

FOLDER = "rectom"

FILES: Mapping[Task, str] = {
    "fine-intention-recommender": "1_intent_rec.json",
    "coarse-intention-recommender": "1_coarse_intent_rec.json",
    "belief": "8_belief_rec_2_com.json",
    "prediction-recommender": "3_pred_rec.json",
    "judgement-recommender": "5_reverse_judge_rec.json",
    "fine-intention-seeker": "2_intent_seeker.json",
    "coarse-intention-seeker": "2_coarse_intent_seeker.json",
    "desire": "7_desire_seeker_com.json",
    "prediction-seeker": "4_pred_seeker.json",
    "judgement-seeker": "6_judge_seeker.json",
}

_INTENTION = re.compile(r'intention expressed by the (\w+) in the "(.*)" given the dialogue history', re.DOTALL | re.IGNORECASE)
_PATTERNS: Mapping[QuestionKind, re.Pattern[str]] = {
    "fine-intention": _INTENTION,
    "coarse-intention": _INTENTION,
    "belief": re.compile(r"the (recommender) believe the seeker's attitude about the (.*)\?$", re.DOTALL | re.IGNORECASE),
    "desire": re.compile(r"is the (seeker) likely to watch the (.*)\?$", re.DOTALL | re.IGNORECASE),
    "prediction": re.compile(r"strategy will (\w+) use next()", re.IGNORECASE),
    "judgement": re.compile(r'(\w+) will adopt "(.*)" strategy', re.DOTALL | re.IGNORECASE),
}
"""How each kind asks: whose mind, and about what."""

_TURN = re.compile(r"^(SEEKER|RECOMMENDER) says:", re.MULTILINE)

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
"""Phrases of options, each of which only one text has, and the label that it stands for; the order of options differs by file."""


def read(data_dir: Path, tasks: tuple[Task, ...] = TASKS) -> dict[Task, tuple[MindQuestion, ...]]:
    """The questions in `rectom/` by task, in file order.

    Raises:
        DataNotFound: a file is missing.
        DataCorrupt: a file is damaged; says which, and which question.
    """
    return {task: tuple(_questions(task, existing(data_dir / FOLDER, FILES[task]))) for task in tasks}


def _questions(task: Task, path: Path) -> Iterator[MindQuestion]:
    content = read_json(path)
    if not isinstance(content, list) or not content:
        raise DataCorrupt(f"{path}: not in the format of RecToM (a list of questions); fetch it again")
    seen: Counter[str] = Counter()
    for number, entry in enumerate(content):
        with in_format("RecToM", f"{path}, question {number}"):
            place = f"{entry['dialogue_id']}/{entry['utterance_pos']}"
            yield _question(task, f"{place}/{seen[place]}", entry)
        seen[place] += 1


def _question(task: Task, question_id: str, entry: Mapping[str, Any]) -> MindQuestion:
    turns = _turns(entry["utterance_context"])
    if len(turns) != entry["utterance_pos"]:
        raise ValueError(f"the context has {len(turns)} turns, not {entry['utterance_pos']} as utterance_pos says")
    kind = kind_of(task)
    options = options_of(kind, role_of(task), entry["choice"] if "choice" in entry else entry["choices"])
    about, place = _asked(task, entry["question"], turns)
    gold = _gold(entry, options)
    if len(gold) > 1 and kind not in SEVERAL:
        raise ValueError(f"{len(gold)} right options in a question that has one")
    return MindQuestion(question_id, task, str(entry["dialogue_id"]), turns, entry["question"], about, place, options, gold)


def _turns(context: str) -> tuple[RoleTurn, ...]:
    before, *found = _TURN.split(context)
    if before.strip() or not found:
        raise ValueError("a context has lines SEEKER says: … or RECOMMENDER says: …")
    roles: dict[str, MindRole] = {role.upper(): role for role in MIND_ROLES}
    return tuple(RoleTurn(roles[name], text.strip()) for name, text in zip(found[::2], found[1::2], strict=True))


def _asked(task: Task, question: str, turns: tuple[RoleTurn, ...]) -> tuple[str, int | None]:
    """What the question is about, and the place of the turn if it is about one."""
    kind, role = kind_of(task), role_of(task)
    found = _PATTERNS[kind].search(question)
    if found is None or found[1].lower() != role:
        raise ValueError(f"the question does not ask for {kind} of the {role}: {question!r}")
    if kind == "judgement":
        return strategy_of(role, found[2]), None
    if not kind.endswith("intention"):
        return found[2].strip(), None
    place = max((place for place, turn in enumerate(turns) if turn.role == role), default=None)
    if place is None or plain_text(turns[place].text) != plain_text(found[2]):
        raise ValueError(f"the question is not about the last turn of the {role}: {question!r}")
    return turns[place].text, place


def _gold(entry: Mapping[str, Any], options: tuple[Option, ...]) -> frozenset[str]:
    answers = [entry[name] for name in ("answer", "answer_fine", "answer_coarse") if name in entry]
    letters = frozenset(answers[0] if answers else ())
    if not letters or not letters <= {option.letter for option in options}:
        raise ValueError(f"the answer is {answers}, not letters of the options")
    return letters


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
