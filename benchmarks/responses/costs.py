"""What judging 1,000 responses takes: our reader's time, as measured, and what a language model would read, write and ask for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.llm import LlmRun
from grice.benchmarks.llm.run import UNKNOWN
from grice.benchmarks.responses.cases import ResponseCase
from grice.benchmarks.responses.llm import prompt_of
from grice.benchmarks.responses.systems import OURS, RelationRun, ResponseOptions
from grice.benchmarks.scale.judge_price import CHARACTERS_A_TOKEN, read_tokens
from grice.benchmarks.stats import metrics
from grice.models.results import BEHAVIORS

COST, MS = "cost", "ms_per_1000"
TITLE, HEADER = "1,000 responses", ("", "milliseconds", "tokens read", "tokens written", "US dollars")


def add_costs(sheet: Sheet, cases: Sequence[ResponseCase], run: RelationRun) -> None:
    """Add our milliseconds, where our reader was asked, and a table beside language models that were called, and that were not."""
    options = run.options
    rows: list[tuple[Cell, ...]] = []
    read = [case for case in cases if case.name in run.seconds]
    if read:
        took = metrics.mean([run.seconds[case.name] for case in read], 1e6)
        sheet.add(COST, OURS, MS, took, ScoredRows([case.group for case in read]))
        threads = f"{options.threads} thread{'s' if options.threads > 1 else ''}"
        rows.append((f"{OURS}, one at a time, {threads}", f"{took.value:.0f}", "none", "none", UNKNOWN))
    rows += [_called(name, asked) for name, asked in run.asked.items()]
    once = [len(prompt_of(case.question)) / CHARACTERS_A_TOKEN for case in cases]
    nine = [read_tokens(case.question.dialogue) for case in cases]
    rows.append(_priced("a judge, one question a response", once, 1, options))
    rows.append(_priced("a judge, nine questions a response", nine, len(BEHAVIORS), options))
    sheet.tables.append(Table(TITLE, HEADER, tuple(rows)))
    sheet.notes.append(
        f"a judge that is not called: one question as `openai:MODEL` is asked here, nine as `grice judge` asks; four characters a "
        f"token, {options.judge_answer_tokens:g} tokens an answer, {options.judge_price_in:g} and {options.judge_price_out:g} US "
        f"dollars per million tokens; how long it takes is not known"
    )


def _priced(name: str, read: Sequence[float], questions: int, options: ResponseOptions) -> tuple[Cell, ...]:
    tokens, written = 1000 * float(np.mean(read)), 1000 * questions * options.judge_answer_tokens
    dollars = (tokens * options.judge_price_in + written * options.judge_price_out) / 1e6
    return name, "not called", f"{tokens:.0f}", f"{written:.0f}", f"{dollars:.2f}"


def _called(name: str, asked: LlmRun) -> tuple[Cell, ...]:
    """As its server counts, at the prices of the options; questions go out side by side, so their times say nothing of one."""
    exchanges = [exchange for sample in asked.samples for exchange in sample.exchanges]

    def total(amounts: Sequence[float | None], form: str) -> str:
        known = [each for each in amounts if each is not None]
        return format(1000 * sum(known) / len(asked.samples), form) if known and len(known) == len(amounts) else UNKNOWN

    return (
        name,
        UNKNOWN,
        total([each.prompt_tokens for each in exchanges], ".0f"),
        total([each.completion_tokens for each in exchanges], ".0f"),
        total([each.cost for each in exchanges], ".2f"),
    )
