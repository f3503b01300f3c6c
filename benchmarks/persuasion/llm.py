"""Language models that say what the speaker of an utterance intends, with a reason first or without.

The layout of the prompts is that of the paper on intention detection in persuasive dialogues, Tables 11 (a reason, then an
option) and 12 (an option); the words are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from grice.benchmarks.llm import Ask, LlmRun, LlmTask, Question, Sampling, WindowedOptions, answer_all
from grice.benchmarks.persuasion.annotations import AnnotatedUtterance
from grice.benchmarks.persuasion.questions import LETTERS, IntentionQuestion
from grice.middleware.llm import Message
from grice.models.results import PersuasionRole

SAMPLING = Sampling(temperature=0.0, max_tokens=1024)
"""The paper's, appendix E."""
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


def ask_with_reason(question: IntentionQuestion, ask: Ask, window: int | None = None) -> str | None:
    """The letter that a model chooses after it gave its reason."""
    reason = ask([Message("user", reason_prompt(question, window))])
    return letter_of(ask([Message("user", select_prompt(question, reason, window))]))


def ask_plainly(question: IntentionQuestion, ask: Ask, window: int | None = None) -> str | None:
    """The letter that a model chooses at once."""
    return letter_of(ask([Message("user", plain_prompt(question, window))]))


@dataclass(frozen=True)
class Prompting:
    """A way of asking.

    Attributes:
        name: for people.
        ask: asks once or twice, and returns a letter; it is given the question, what asks, and how much history is shown.
        prompt: the first prompt.
    """

    name: str
    ask: Callable[[IntentionQuestion, Ask, int | None], str | None]
    prompt: Callable[[IntentionQuestion, int | None], str]


PROMPTINGS: Mapping[str, Prompting] = {
    "openai": Prompting("zero-shot", ask_plainly, plain_prompt),
    "openai-cot": Prompting("chain-of-thought", ask_with_reason, reason_prompt),
}
"""By the family of systems that they make."""


def ask_all(family: str, model: str, task: str, questions: Sequence[IntentionQuestion], options: WindowedOptions) -> LlmRun:
    """Ask `model` all questions; predictions are letters.

    Raises:
        GriceError: as `answer_all`.
    """
    prompting, window = PROMPTINGS[family], options.llm_window
    about = {"benchmark": "persuasion", "prompting": prompting.name, "window": window}
    rows = [_question(prompting, each, window) for each in questions]
    return answer_all(rows, model, options, LlmTask(f"persuasion {task} {prompting.name}", about, SAMPLING))


def _question(prompting: Prompting, question: IntentionQuestion, window: int | None) -> Question:
    ask, prompt = partial(_ask, prompting, question, window), prompting.prompt(question, window)
    return Question(question.question_id, question.dialogue_id, LETTERS[question.gold], ask, prompt)


def _ask(prompting: Prompting, question: IntentionQuestion, window: int | None, ask: Ask) -> str | None:
    return prompting.ask(question, ask, window)


def places(run: LlmRun) -> list[int | None]:
    """The chosen options; None for a question without an answer that can be read."""
    return [None if sample.prediction is None else LETTERS.index(sample.prediction) for sample in run.samples]
