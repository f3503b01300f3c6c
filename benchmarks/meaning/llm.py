"""What a language model is asked about a turn: which option of the menu is meant, and which values of its slots."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from grice.benchmarks.llm import Ask, LlmOptions, LlmTask, Question, Sampling, answer_all
from grice.benchmarks.meaning.cases import MeaningAnswer, MeaningAnswers, MeaningCase
from grice.middleware.llm import Message
from grice.models.data.user_turns import DONT_CARE
from grice.models.meaning.menu import Menu
from grice.models.meaning.results import MeaningQuestion

SAMPLING = Sampling(0.0, 200)
SITUATION = (
    "You read what users of a bot mean, though they may not say it. Below are what a user can mean, the bot's slots with "
    "their values, and a conversation. Which option does the user's last turn mean? Which slots does that turn, or what it "
    "implies, give a value?"
)
FORM = (
    'Answer with one JSON object and nothing else: {"meaning": NUMBER, "slots": {"SLOT": "VALUE"}}. Leave out slots of which '
    f'the turn says nothing; "{DONT_CARE}" where the user does not mind.'
)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def prompt_of(question: MeaningQuestion) -> str:
    """What is asked about a turn."""
    options = [f"{number}. {option.texts[0]}" for number, option in enumerate(Menu.of(question.schema).meanings, start=1)]
    slots = [f"- {slot.name}: {slot.description} ({', '.join(slot.values) or 'free text'})" for slot in question.schema.slots]
    said = [f"{turn.speaker}: {turn.text}" for turn in question.dialogue.turns]
    listed = [SITUATION, "Options:", *options, *(["Slots:", *slots] if slots else []), "Conversation:", *said, FORM]
    return "\n".join(listed)


def answer_of_reply(question: MeaningQuestion, reply: str) -> dict[str, Any] | None:
    """Meaning and slots of a reply, as JSON values; None where it cannot be read."""
    found = _OBJECT.search(reply)
    try:
        told = json.loads(found.group()) if found else None
    except ValueError:
        return None
    meanings = Menu.of(question.schema).meanings
    if not isinstance(told, dict) or not isinstance(told.get("meaning"), int) or not 1 <= told["meaning"] <= len(meanings):
        return None
    chosen, slots = meanings[told["meaning"] - 1], told.get("slots", {})
    known = {slot.name for slot in question.schema.slots}
    filled = {name: str(value) for name, value in slots.items() if name in known} if isinstance(slots, dict) else {}
    return {"kind": chosen.kind, "name": chosen.name, "slots": filled}


def ask_all(cases: Sequence[MeaningCase], task: str, model: str, options: LlmOptions) -> MeaningAnswers:
    """Ask `model` about every case.

    Raises:
        GriceError: as `answer_all`.
    """
    questions = [_question(number, case) for number, case in enumerate(cases)]
    run = answer_all(questions, model, options, LlmTask(f"meaning {task}", {"benchmark": "meaning"}, SAMPLING))
    return [_answer(sample.prediction) for sample in run.samples]


def _question(number: int, case: MeaningCase) -> Question:
    prompt = prompt_of(case.question)
    return Question(f"{case.group}/{number}", case.group, list(case.gold), partial(_ask, case.question, prompt), prompt)


def _ask(question: MeaningQuestion, prompt: str, ask: Ask) -> dict[str, Any] | None:
    return answer_of_reply(question, ask([Message("user", prompt)]))


def _answer(prediction: Mapping[str, Any] | None) -> MeaningAnswer:
    if prediction is None:
        return MeaningAnswer(None, False, "", {})
    is_intent = prediction["kind"] == "intent"
    return MeaningAnswer(
        ("intent" if is_intent else "act", prediction["name"]),
        True,
        prediction["name"] if is_intent else "",
        prediction["slots"],
    )
