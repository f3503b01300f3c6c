"""A large language model's opinion of ABC-Eval's responses, one behaviour a question, and what it costs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tqdm import tqdm

from grice.benchmarks.abceval_outputs import Outputs, decided
from grice.benchmarks.benchmark import Options
from grice.benchmarks.results import Cell, Table
from grice.middleware.judge import LlmJudge
from grice.middleware.llm import ChatModel, ChatSettings, ReplyCache
from grice.middleware.monitor.judgement import Judge, Judgement
from grice.models.data.abceval import LabelledResponse
from grice.models.errors import InputError, JudgeError
from grice.models.results import BEHAVIORS, Behavior

KEY_VARIABLES = ("GRICE_JUDGE_API_KEY", "OPENAI_API_KEY")
"""Where the key of the server is looked for: in the first that is set. A key on a command line would be seen by others."""
MAX_TOKENS = 1024
BATCH = 4
"""Responses whose questions are handed over together; the judge asks several side by side."""


def load_judge(options: Options, model: str) -> Judge:
    """The judge that asks `model` on the server of the options.

    Raises:
        InputError: the options name no server.
        SettingsError: an option has a value that the judge does not take. MissingExtra: openai is not installed.
        DataError: the file of remembered answers cannot be used.
    """
    if options.llm_url is None:
        raise InputError("--llm-url", None, "the base URL of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1")
    key = next((os.environ[name] for name in KEY_VARIABLES if os.environ.get(name)), "")
    settings = ChatSettings(
        options.llm_url,
        model,
        key,
        MAX_TOKENS,
        prompt_price=options.llm_price_in,
        completion_price=options.llm_price_out,
    )
    chat = ChatModel(settings, ReplyCache(options.llm_cache) if options.llm_cache else None)
    return LlmJudge(chat, options.llm_window, options.llm_pairing)


@dataclass(frozen=True)
class Judged:
    """What a judge says of the responses.

    Attributes:
        dialogues: how many the responses are of.
        judgements: by behaviour, one a response.
    """

    dialogues: int
    judgements: Mapping[Behavior, Sequence[Judgement]]

    @property
    def outputs(self) -> Outputs:
        """Its decisions; a question without one is unscored, not "no"."""
        return decided({label: [each.decision for each in found] for label, found in self.judgements.items()})

    def cost(self, label: Behavior) -> float | None:
        """US dollars a dialogue for one behaviour, as in Table 15; None where no answer has a price."""
        known = [each.cost for each in self.judgements[label] if each.cost is not None]
        return sum(known) / self.dialogues if known else None

    def reasons(self) -> Counter[str]:
        """Why questions have no decision."""
        return Counter(each.unscored for found in self.judgements.values() for each in found if each.decision is None)

    def usage(self, system: str) -> Table:
        """Tokens a dialogue by behaviour, as the server counted them, and how many answers were remembered or are unscored."""
        rows: list[tuple[Cell, ...]] = [
            (
                label,
                round(sum(each.prompt_tokens for each in found) / self.dialogues, 1),
                round(sum(each.completion_tokens for each in found) / self.dialogues, 1),
                sum(each.cached for each in found),
                sum(each.decision is None for each in found),
            )
            for label, found in self.judgements.items()
        ]
        header = ("behavior", "prompt tokens", "completion tokens", "remembered answers", "unscored answers")
        return Table(f"Tokens per dialogue: {system}", header, tuple(rows))


def judged(judge: Judge, rows: Sequence[LabelledResponse], label: str) -> Judged:
    """Ask about every behaviour of every response. The bar shows on a terminal only.

    Raises:
        JudgeError: none of the first questions was answered, so that the others would not be either.
    """
    found: list[Judgement] = []
    with tqdm(total=len(rows) * len(BEHAVIORS), desc=label, unit="question", disable=None) as bar:
        for start in range(0, len(rows), BATCH):
            given = [row.dialogue for row in rows[start : start + BATCH]]
            questions = [(dialogue, behavior) for dialogue in given for behavior in BEHAVIORS]
            found += judge.judge(questions)
            if start == 0 and all(each.error for each in found):
                raise JudgeError(f"none of the first {len(found)} questions was answered: {found[0].unscored}")
            bar.update(len(questions))
    dialogues = len({row.dialogue_id for row in rows})
    return Judged(dialogues, {behavior: found[order :: len(BEHAVIORS)] for order, behavior in enumerate(BEHAVIORS)})
