"""Asking a language model what the speaker of an utterance intends, with reasons first or without.

The layout of the prompts is that of the paper on intention detection in persuasive dialogues, Tables 11 (a reason, then an
option) and 12 (an option); the words are ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grice.benchmarks.llm import Ask
from grice.benchmarks.persuasion.annotations import AnnotatedUtterance
from grice.benchmarks.persuasion.questions import LETTERS, IntentionQuestion
from grice.middleware.llm import Message
from grice.models.results import PersuasionRole

NAMES: dict[PersuasionRole, str] = {"persuader": "Persuader", "persuadee": "Persuadee"}

SITUATION = (
    "Two crowd workers chat with each other. One is the persuader, the other one the persuadee. They talk about Save the Children, "
    "a charity that was founded in Britain in 1919 and works for children all over the world. The persuader wants the persuadee to "
    "give money to it.\n\nRead the conversation and find out what the speaker of its last utterance really intends."
)
REASON = (
    "Does the last utterance say plainly what its speaker intends? If it does, what is the intention? If it does not, why is it "
    "put in that way, and what does it imply? Considering this, which of the options A to D describes the intention of the last "
    "utterance best?"
)
PLAIN = "What does the speaker intend with the last utterance?"
STEP_BY_STEP = "Let's think step by step."
"""Kojima et al. 2022."""
SELECT = "So, out of A to D, the answer is"

_LETTER = re.compile(rf"(?<![A-Za-z])[{LETTERS}](?![A-Za-z])")


def conversation(said: Sequence[AnnotatedUtterance]) -> str:
    """One line an utterance."""
    return "\n".join(f"{NAMES[each.role]}: {each.text}" for each in said)


def reason_prompt(question: IntentionQuestion, window: int | None = None) -> str:
    """What asks for a reason; of the history the newest `window` utterances are shown, all if it is None."""
    return f"{SITUATION}\n\n{_asked(question, REASON, window)} {STEP_BY_STEP}"


def select_prompt(question: IntentionQuestion, reason: str, window: int | None = None) -> str:
    """What asks for an option, after the model's own reason."""
    return f"{reason_prompt(question, window)}\n\n{reason.strip()}\n\n{SELECT}"


def plain_prompt(question: IntentionQuestion, window: int | None = None) -> str:
    """What asks for an option at once."""
    return _asked(question, PLAIN, window)


def _asked(question: IntentionQuestion, what: str, window: int | None) -> str:
    history = question.history if window is None else question.history[-window:]
    options = " ".join(f"({letter}) {option.text}" for letter, option in zip(LETTERS, question.options, strict=True))
    return f"{conversation((*history, question.utterance))}\n\nQ: {what} Options: {options}\n\nA:"


def letter_of(reply: str) -> str | None:
    """The first capital letter A to D that is no part of a word; None where there is none."""
    found = _LETTER.search(reply)
    return found.group() if found else None


def asked_with_reason(question: IntentionQuestion, ask: Ask, window: int | None = None) -> str | None:
    """The letter that a model chooses after it gave its reason."""
    reason = ask([Message("user", reason_prompt(question, window))])
    return letter_of(ask([Message("user", select_prompt(question, reason, window))]))


def asked_plainly(question: IntentionQuestion, ask: Ask, window: int | None = None) -> str | None:
    """The letter that a model chooses at once."""
    return letter_of(ask([Message("user", plain_prompt(question, window))]))
