"""Language models that answer RecToM's questions, one run a task."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grice.benchmarks.core.benchmark import Options
from grice.benchmarks.core.results import Table
from grice.benchmarks.llm import LlmRun, Question, Sampling, answer_all
from grice.benchmarks.rectom.metrics import Answers, Questions
from grice.benchmarks.rectom.prompts import Prompt, Prompting
from grice.models.minds.questions import MindQuestion, Task

SAMPLING = Sampling(temperature=0.7)
"""The paper's, section "Baseline Models"."""


@dataclass(frozen=True)
class Asked:
    """What a language model answered, by task."""

    runs: dict[Task, LlmRun]

    @property
    def answers(self) -> Answers:
        """None where the model did not answer, or not in the format that was asked for."""
        return {
            task: [None if sample.prediction is None else frozenset(sample.prediction) for sample in run.samples]
            for task, run in self.runs.items()
        }

    @property
    def settings(self) -> dict[str, Any]:
        """How each task was asked."""
        return {task: run.settings for task, run in self.runs.items()}

    def usage(self, system: str) -> list[Table]:
        """What each task cost, and what has no answer."""
        return [run.usage(system) for run in self.runs.values()]


def asked(model: str, prompting: Prompting, questions: Questions, options: Options) -> Asked:
    """Ask `model` all questions.

    Raises:
        GriceError: as `answer_all`.
    """
    return Asked({task: _run(task, each, model, prompting, options) for task, each in questions.items()})


def _run(task: Task, questions: Sequence[MindQuestion], model: str, prompting: Prompting, options: Options) -> LlmRun:
    prompts = [Prompt(question, prompting) for question in questions]
    hashed = hashlib.sha256("\0".join(prompt.text for prompt in prompts).encode()).hexdigest()
    about = {"benchmark": "rectom", "prompting": prompting, "prompts_sha256": hashed}
    return answer_all([_question(prompt) for prompt in prompts], model, options, f"rectom-{task}-{prompting}", about, SAMPLING)


def _question(prompt: Prompt) -> Question:
    question = prompt.question
    sample_id = f"{question.task}/{question.question_id}"
    return Question(sample_id, question.dialogue_id, "".join(sorted(question.gold)), prompt.asked)
