"""Language models that answer RecToM's questions: how these are put to them, and how an answer is read.

The two ways are the paper's (section "Baseline Models"): asked for the answer alone, and to think step by step first (Kojima et al.
2022), with the answer in a fixed format at the end. The words are ours; the paper does not print its prompts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from grice.benchmarks.llm import Ask, LlmOptions, LlmRun, LlmTask, Question, Sampling, answer_all
from grice.benchmarks.rectom.metrics import Answers, QuestionsByTask
from grice.middleware.llm import Message
from grice.models.minds.questions import MindQuestion, Option, Task

PromptingName = Literal["zero-shot", "chain-of-thought"]
SAMPLING = Sampling(temperature=0.7)
"""The paper's, section "Baseline Models"."""

TEMPLATE = """\
Two people talk about movies. The recommender suggests what to watch, the seeker looks for something to watch.

Conversation so far:
{turns}

Question: {question}

Options:
{options}

{count}
{format}"""
ONE = "Exactly one option is right."
SEVERAL = "One option is right, or several are: name all that are, and no other."
FORMATS: Mapping[PromptingName, str] = {
    "zero-shot": 'Do not explain. Reply with one line only, in this form: "Answer: " and {example}.',
    "chain-of-thought": 'Let\'s think step by step. End with a line of its own, in this form: "Answer: " and {example}.',
}
ONE_EXAMPLE = "the letter of the option, such as Answer: B"
SEVERAL_EXAMPLE = "the letters of the options with commas between them, such as Answer: B or Answer: A, C"

_ANSWER = re.compile(r"^\W*answer\W*:(.*)$", re.IGNORECASE | re.MULTILINE)
_BETWEEN = re.compile(r"[\s.,;:&/+*_`'\"\[\](){}]+|\band\b")


@dataclass(frozen=True)
class Prompt:
    """A question as it is asked."""

    question: MindQuestion
    prompting: PromptingName

    @property
    def text(self) -> str:
        """The whole prompt."""
        several = self.question.has_several
        return TEMPLATE.format(
            turns="\n".join(f"{turn.role.capitalize()}: {turn.text}" for turn in self.question.turns),
            question=self.question.text,
            options="\n".join(f"{option.letter}. {option.text}" for option in self.question.options),
            count=SEVERAL if several else ONE,
            format=FORMATS[self.prompting].format(example=SEVERAL_EXAMPLE if several else ONE_EXAMPLE),
        )

    def ask(self, ask: Ask) -> str | None:
        """The letters that a model answers, in the order of the alphabet; None where its reply cannot be read."""
        found = letters_in(ask([Message("user", self.text)]), self.question.options)
        return "".join(sorted(found)) if found else None


def letters_in(reply: str, options: Sequence[Option]) -> frozenset[str] | None:
    """The letters in the last line of `reply` that begins with "Answer:", or in all of it if it is nothing but letters.

    The text of an option beside its letter does no harm.

    Returns:
        None where there is no such line, or where it says anything but letters of options.
    """
    lines = _ANSWER.findall(reply)
    said = lines[-1] if lines else reply
    for option in options:
        said = said.replace(option.text, "")
    found = frozenset("".join(_BETWEEN.split(said)))
    return found if found and found <= {option.letter for option in options} else None


def ask_all(model: str, prompting: PromptingName, questions: QuestionsByTask, options: LlmOptions) -> dict[Task, LlmRun]:
    """What `model` answers to all questions, one run a task.

    Raises:
        GriceError: as `answer_all`.
    """
    about = {"benchmark": "rectom", "prompting": prompting}
    asked = {task: [_question(Prompt(each, prompting)) for each in rows] for task, rows in questions.items()}
    return {
        task: answer_all(rows, model, options, LlmTask(f"rectom-{task}-{prompting}", about, SAMPLING))
        for task, rows in asked.items()
    }


def answers_in(runs: Mapping[Task, LlmRun]) -> Answers:
    """The letters that were answered; None where the model did not answer, or not in the format that was asked for."""
    return {
        task: [None if sample.prediction is None else frozenset(sample.prediction) for sample in run.samples]
        for task, run in runs.items()
    }


def _question(prompt: Prompt) -> Question:
    question = prompt.question
    sample_id = f"{question.task}/{question.question_id}"
    return Question(sample_id, question.dialogue_id, "".join(sorted(question.gold)), prompt.ask, prompt.text)
