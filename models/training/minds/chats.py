"""Chats about movies that we wrote, with how the seeker stands to each: the mind model learns attitudes from them beside RecToM's.

Each line of the file is a chat that ends in the seeker's reaction: `turns` ([role, text]) and `movies`, from title to attitude.
"""

from __future__ import annotations

import json
from pathlib import Path

from grice.models.minds.labels import BELIEFS
from grice.models.minds.questions import MindQuestion, Option, RoleTurn

WRITTEN = Path(__file__).parent / "chats.jsonl"
PREFIX = "ours-"
OPTIONS = tuple(Option(chr(ord("A") + number), label, label) for number, label in enumerate(BELIEFS))


def is_ours(question: MindQuestion) -> bool:
    """Whether a question is one of `written`."""
    return question.dialogue_id.startswith(PREFIX)


def written() -> list[MindQuestion]:
    """A question about the recommender's belief for each movie, in file order."""
    questions = []
    for number, line in enumerate(WRITTEN.read_text(encoding="utf-8").splitlines()):
        chat = json.loads(line)
        turns = tuple(RoleTurn(role, text) for role, text in chat["turns"])
        for place, (movie, attitude) in enumerate(chat["movies"].items()):
            gold = frozenset(option.letter for option in OPTIONS if option.label == attitude)
            name = f"{PREFIX}{number}"
            questions.append(MindQuestion(f"{name}/{place}", "belief", name, turns, "", movie, None, OPTIONS, gold))
    return questions
