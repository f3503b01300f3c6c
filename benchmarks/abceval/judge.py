"""A large language model's opinion of ABC-Eval's responses, one behaviour a question, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from grice.benchmarks.abceval.outputs import Outputs, decided
from grice.benchmarks.core.options import option
from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.llm import Ask, LlmRun, LlmTask, Question, Sample, WindowedOptions, answer_all
from grice.middleware.judge import LlmJudge, judge_messages
from grice.middleware.llm import Message, Reply
from grice.models.data.abceval import LabelledResponse
from grice.models.errors import GriceError, JudgeError
from grice.models.results import BEHAVIORS, Behavior

TASK = "abceval"
UNDECIDED = "the judge's answer has no decision"


@dataclass(frozen=True)
class JudgeOptions(WindowedOptions):
    """How a judge is asked."""

    llm_pairing: bool = option(False, "for behaviours about an earlier turn, hold the response against one earlier turn at a time")


@dataclass(frozen=True)
class Judged:
    """What a judge says of the responses.

    Attributes:
        dialogues: how many the responses are of.
        run: its answers, response by response, each about the nine behaviours in their order.
    """

    dialogues: int
    run: LlmRun

    @property
    def outputs(self) -> Outputs:
        """Its decisions; a question without one is unscored, not "no"."""
        return decided({label: [sample.prediction for sample in self.samples(label)] for label in BEHAVIORS})

    def samples(self, label: Behavior) -> Sequence[Sample]:
        """Its answers about one behaviour, one a response."""
        return self.run.samples[BEHAVIORS.index(label) :: len(BEHAVIORS)]

    def cost(self, label: Behavior) -> float | None:
        """US dollars a dialogue for one behaviour, as in Table 15; None where no answer has a price."""
        costs = [exchange.cost for sample in self.samples(label) for exchange in sample.exchanges]
        known = [cost for cost in costs if cost is not None]
        return sum(known) / self.dialogues if known else None

    def reasons(self) -> Counter[str]:
        """Why questions have no decision."""
        return Counter(sample.error or UNDECIDED for sample in self.run.samples if sample.status != "answered")

    def usage(self, system: str) -> Table:
        """Tokens a dialogue by behaviour, as the server counted them, and how many answers were remembered or are unscored."""
        header = ("behavior", "prompt tokens", "completion tokens", "remembered answers", "unscored answers")
        return Table(f"Tokens per dialogue: {system}", header, tuple(self._usage(label) for label in BEHAVIORS))

    def _usage(self, label: Behavior) -> tuple[Cell, ...]:
        samples = self.samples(label)
        exchanges = [exchange for sample in samples for exchange in sample.exchanges]
        return (
            label,
            round(sum(exchange.prompt_tokens or 0 for exchange in exchanges) / self.dialogues, 1),
            round(sum(exchange.completion_tokens or 0 for exchange in exchanges) / self.dialogues, 1),
            sum(exchange.remembered for exchange in exchanges),
            sum(sample.status != "answered" for sample in samples),
        )


def judge_all(model: str, rows: Sequence[LabelledResponse], options: JudgeOptions) -> Judged:
    """Ask `model` about every behaviour of every response.

    Raises:
        GriceError: as `answer_all`.
    """
    questions = [_question(row, behavior, options) for row in rows for behavior in BEHAVIORS]
    about = {"benchmark": "abceval", "window": options.llm_window, "pairing": options.llm_pairing}
    return Judged(len({row.dialogue_id for row in rows}), answer_all(questions, model, options, LlmTask(TASK, about)))


def _question(row: LabelledResponse, behavior: Behavior, options: JudgeOptions) -> Question:
    def decision(ask: Ask) -> bool | None:
        judge = LlmJudge(_CountedClient(ask), options.llm_window, options.llm_pairing)
        (judgement,) = judge.judge([(row.dialogue, behavior)])
        if judgement.error:
            raise JudgeError(judgement.unscored)
        return judgement.decision

    name = f"{row.dialogue_id}/{row.place}/{behavior}"
    prompt = "\n\n".join(message.content for message in judge_messages(row.dialogue, behavior))
    return Question(name, row.dialogue_id, list(row.annotators[behavior]), decision, prompt)


@dataclass(frozen=True)
class _CountedClient:
    """What `LlmJudge` asks goes through the run."""

    ask: Ask

    def complete_all(
        self, conversations: Sequence[Sequence[Message]], deadline_s: float | None = None, tenants: Sequence[str] | None = None
    ) -> list[Reply | GriceError]:
        return [self._complete(messages) for messages in conversations]

    def close(self) -> None:
        """Nothing is open."""

    def _complete(self, messages: Sequence[Message]) -> Reply | GriceError:
        try:
            text = self.ask(messages)
        except GriceError as error:
            return error
        return Reply(text, self.ask.exchanges[-1].finish_reason)
