"""Language models that answer multiple-choice questions on intentions, with a reason first or without."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from grice.benchmarks.core.benchmark import Options
from grice.benchmarks.llm import Ask, LlmRun, Question, Sampling, answer_all
from grice.benchmarks.persuasion.prompts import asked_plainly, asked_with_reason, plain_prompt, reason_prompt
from grice.benchmarks.persuasion.questions import LETTERS, IntentionQuestion

SAMPLING = Sampling(temperature=0.0, max_tokens=1024)
"""The paper's, appendix E."""


@dataclass(frozen=True)
class Prompting:
    """A way of asking.

    Attributes:
        name: for people.
        asked: asks once or twice, and returns a letter; it is given the question, what asks, and how much history is shown.
        prompt: the first prompt.
    """

    name: str
    asked: Callable[[IntentionQuestion, Ask, int | None], str | None]
    prompt: Callable[[IntentionQuestion, int | None], str]


PROMPTINGS: Mapping[str, Prompting] = {
    "openai": Prompting("zero-shot", asked_plainly, plain_prompt),
    "openai-cot": Prompting("chain-of-thought", asked_with_reason, reason_prompt),
}
"""By the family of systems that they make."""


def asked(family: str, model: str, task: str, questions: Sequence[IntentionQuestion], options: Options) -> LlmRun:
    """Ask `model` all questions; predictions are letters.

    Raises:
        GriceError: as `answer_all`.
    """
    prompting, window = PROMPTINGS[family], options.llm_window
    prompts = hashed(prompting.prompt(question, window) for question in questions)
    about = {
        "benchmark": "persuasion",
        "prompting": prompting.name,
        "window": window,
        "prompts_sha256": prompts,
    }
    rows = [
        Question(each.question_id, each.dialogue_id, LETTERS[each.gold], partial(_ask, prompting, each, window))
        for each in questions
    ]
    return answer_all(rows, model, options, f"persuasion {task} {prompting.name}", about, SAMPLING)


def hashed(prompts: Iterable[str]) -> str:
    """One sha256 of all prompts."""
    return hashlib.sha256("\0".join(prompts).encode()).hexdigest()


def _ask(prompting: Prompting, question: IntentionQuestion, window: int | None, ask: Ask) -> str | None:
    return prompting.asked(question, ask, window)


def places(run: LlmRun) -> list[int | None]:
    """The chosen options; None for a question without an answer that can be read."""
    return [None if sample.prediction is None else LETTERS.index(sample.prediction) for sample in run.samples]
