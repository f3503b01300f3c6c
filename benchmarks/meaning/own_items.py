"""The tasks on anybody's items: what they mean, and what the pipeline makes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grice.benchmarks.core.batches import predict_all
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.meaning.cases import MeaningAnswer, MeaningCase
from grice.benchmarks.meaning.contrast import SIGNATURES as CONTRASTS
from grice.benchmarks.meaning.contrast import add_contrasts
from grice.benchmarks.meaning.items import Item, read_items
from grice.benchmarks.meaning.scores import MEANINGS, SLOTS, add_meaning, add_share
from grice.benchmarks.meaning.systems import OURS, SYSTEMS, MeaningOptions, MeaningTask, ReaderRun
from grice.middleware import Pipeline, PipelineSettings, TurnAnalysis
from grice.middleware.turns.clarification import Clarification
from grice.models.errors import InputError
from grice.models.manifest import sha256

MEANING, TURNS = "meaning", "turns"
CHANGES = {"rewritten": ("indirect",), "harmed": ("direct", "courtesy")}
QUESTIONS = {"clarified": ("indirect",), "bothered": ("direct", "courtesy")}
SIGNATURES = {
    **CONTRASTS,
    "rewritten": "percent of indirect turns whose text the pipeline changes, with its default settings",
    "harmed": "percent of direct and courtesy turns whose text it changes",
    "clarified": "percent of indirect turns about which the pipeline has a question for the user",
    "clarified_right": "percent of the turns about which it has one: the right meaning, or value, is among the options",
    "bothered": "percent of direct and courtesy turns about which it has one",
}
DEADLINE_MS = 600_000
"""The default deadline is for a live turn; under a benchmark's load a late stage would look like one that leaves turns alone."""


def add_items(sheet: Sheet, path: Path, options: MeaningOptions, readings: ReaderRun) -> None:
    """Score the items of a file, and write samples where the options ask for them.

    Raises:
        InputError: an item is not in the format, or samples are asked for without our own system.
        DataNotFound: the file cannot be read.
    """
    if options.samples is not None and OURS not in SYSTEMS.asked(options):
        raise InputError("--samples", str(options.samples), f"with the system {OURS}, whose decisions they are")
    items = read_items(path)[: options.limit]
    sheet.data[path.name] = sha256(path)
    sheet.groups = [item.case.group for item in items]
    cases = [item.case for item in items]
    found, reasons = SYSTEMS.build(options, MeaningTask(MEANING, cases, options, readings))
    for name, answers in found.items():
        add_meaning(sheet, MEANING, name, cases, answers)
        add_contrasts(sheet, MEANING, name, cases, answers)
    for name, reason in reasons.items():
        sheet.add_unscored(MEANING, name, (*MEANINGS, *SLOTS), reason)
    if OURS in SYSTEMS.asked(options):
        analyses = _analyse(sheet, items, options)
        add_decisions(sheet, items, analyses)
        if options.samples is not None and OURS in found:
            _write(options.samples, items, analyses, readings, found)


def _analyse(sheet: Sheet, items: Sequence[Item], options: MeaningOptions) -> list[TurnAnalysis]:
    pipeline = Pipeline.load(
        PipelineSettings(on_error="raise", deadline_ms=DEADLINE_MS, threads=options.threads, meaning_model=options.reader)
    )
    sheet.add_model(pipeline.menu_rewriter.reader)
    return predict_all(pipeline, [item.case.question for item in items], TURNS)


def add_decisions(sheet: Sheet, items: Sequence[Item], analyses: Sequence[TurnAnalysis]) -> None:
    """Add how many turns were changed and how many asked about, and how many of those questions are right; of each part too."""
    rows = [(item.case, analysis) for item, analysis in zip(items, analyses, strict=True)]
    for part in (None, *dict.fromkeys(case.part for case, _ in rows)):
        task = TURNS if part is None else f"{TURNS}/{part}"
        chosen = [(case, analysis) for case, analysis in rows if part in (None, case.part)]
        for metric, kinds in CHANGES.items():
            changed = ((case.group, each.text != each.original) for case, each in chosen if case.kind in kinds)
            add_share(sheet, task, OURS, metric, changed)
        for metric, kinds in QUESTIONS.items():
            asked = ((case.group, each.clarification is not None) for case, each in chosen if case.kind in kinds)
            add_share(sheet, task, OURS, metric, asked)
        questions = ((case, each.clarification) for case, each in chosen)
        right = ((case.group, _offers(asked, case)) for case, asked in questions if asked is not None)
        add_share(sheet, task, OURS, "clarified_right", right)


def _offers(question: Clarification, case: MeaningCase) -> bool:
    """Whether what a turn means is among the options."""
    if question.slot:
        return (case.slots or {}).get(question.slot) in [option.name for option in question.options]
    return any(case.is_right((option.kind, option.name)) for option in question.options if option.kind != "value")


def _write(
    path: Path,
    items: Sequence[Item],
    analyses: Sequence[TurnAnalysis],
    readings: ReaderRun,
    found: dict[str, Sequence[MeaningAnswer]],
) -> None:
    """One JSON object an item: its own fields, and what was said of it."""
    read = readings.read([item.case.question for item in items], OURS)
    with path.open("w", encoding="utf-8") as out:
        for place, (item, analysis, (scores, meaning)) in enumerate(zip(items, analyses, read, strict=True)):
            row: dict[str, Any] = {
                **item.fields,
                "decision": analysis.decision,
                "reason": analysis.reason,
                "rewrite": analysis.text,
                "question": None if analysis.clarification is None else asdict(analysis.clarification),
                "meaning": asdict(meaning),
                "scores": {
                    f"{scores.options[at].kind}/{scores.options[at].name}": round(float(scores.meaning[at]), 4)
                    for at in scores.meanings
                },
                "right": {name: item.case.is_right(answers[place].best) for name, answers in found.items()},
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
