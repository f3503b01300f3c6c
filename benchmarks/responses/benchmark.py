"""`grice bench responses`: what is wrong with bots' responses, on hands and data that the reader was not trained on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.responses import frustration, scores
from grice.benchmarks.responses.breakdowns import add_breakdowns, breakdown_cases, fit_limits
from grice.benchmarks.responses.cases import (
    ResponseAnswers,
    ResponseCase,
    ci_tod_cases,
    conture_cases,
    held_out_cases,
    item_cases,
    people_cases,
)
from grice.benchmarks.responses.costs import add_costs
from grice.benchmarks.responses.systems import OURS, SYSTEMS, RelationRun, ResponseOptions, ResponseTask
from grice.models.data import ci_tod, conture, dbdc3
from grice.models.errors import DataNotFound, InputError
from grice.models.manifest import sha256

WRITTEN, CI_TOD, CONTURE, PEOPLE, DBDC3 = "written", "ci-tod", "conture", "people/multiwoz", "dbdc3"
TASKS = (WRITTEN, CI_TOD, CONTURE, PEOPLE, DBDC3, *frustration.TASKS)
FILES = {
    CI_TOD: f"{ci_tod.FOLDER}/*.json",
    CONTURE: f"{conture.FOLDER}/{conture.FILE}",
    PEOPLE: "multiwoz21/test.json*",
    DBDC3: f"{dbdc3.FOLDER}/{dbdc3.FILE}",
    **frustration.FILES,
}
NOTES = (
    "any-bad, and a task a label: written hands RG and RM, on which nothing was trained or tuned; any-bad/SETTING by their setting",
    "ci-tod: its test part, or its development part where that is all there is; QI counts as !Par, HI as !Sel, KBI as !Fac",
    "people/multiwoz: what people said in the bot's place in the first 60 dialogues of MultiWOZ's test part; every alarm is false",
    "shape reads nothing but length, marks and digits: what it reaches is what the material gives away",
    *frustration.NOTES,
)
Add = Callable[[Sheet, str, Sequence[ResponseCase], ResponseAnswers], None]


def evaluate(options: ResponseOptions, runs: Callable[[ResponseOptions, Sheet], RelationRun] = RelationRun) -> Sheet:
    """Score the tasks, or the items that the options name.

    Raises:
        InputError: an unknown task, an item that is not in the format, or samples without items.
        DataError: data cannot be read. ModelError: a system that was asked for by name cannot be loaded.
        JudgeError: the server of a language model does not answer.
    """
    if unknown := [task for task in options.tasks if task not in TASKS]:
        raise InputError("task of benchmark responses", unknown[0], ", ".join(TASKS))
    sheet = Sheet("responses", [], options.seed, drawn="context or dialogue")
    sheet.signatures, run = dict(scores.SIGNATURES), runs(options, sheet)
    if options.items is not None:
        sheet.part = f"items of {options.items.name}"
        sheet.data[options.items.name] = sha256(options.items)
        cases = item_cases(options.items)[: options.limit]
        _score(sheet, scores.ANY_BAD, cases, run, scores.add_any_bad)
        add_costs(sheet, cases, run)
        if options.samples is not None:
            _write(options, cases, run)
        return sheet
    if options.samples is not None:
        raise InputError("--samples", str(options.samples), "with --items, whose samples they are")
    sheet.part, sheet.notes = "what training held out", list(NOTES)
    for task in options.tasks or TASKS:
        try:
            _ADDERS[task](sheet, options, run)
        except DataNotFound as error:
            if options.tasks:
                raise
            sheet.notes.append(f"{task}: left out; {error}")
        for path in sorted(options.data_dir.glob(FILES[task])) if task in FILES else ():
            sheet.data[path.relative_to(options.data_dir).as_posix()] = sha256(path)
    return sheet


def _score(sheet: Sheet, task: str, cases: Sequence[ResponseCase], run: RelationRun, add: Add) -> None:
    sheet.groups = [*sheet.groups, *(case.group for case in cases)]
    run.asked.clear()
    found, reasons = SYSTEMS.build(run.options, ResponseTask(task, cases, run.options, run))
    for name, answers in found.items():
        add(sheet, name, cases, answers)
    for name, asked in run.asked.items():
        sheet.tables.append(asked.usage(name))
    for name, reason in reasons.items():
        sheet.add_unscored(task, name, scores.OF_ALL, reason, len(cases))


def _frustration(task: str, sheet: Sheet, options: ResponseOptions, run: RelationRun) -> None:
    frustration.add_frustration(sheet, task, options)


def _written(sheet: Sheet, options: ResponseOptions, run: RelationRun) -> None:
    cases = held_out_cases()[: options.limit]
    _score(sheet, scores.ANY_BAD, cases, run, scores.add_any_bad)
    add_costs(sheet, cases, run)


def _ci_tod(sheet: Sheet, options: ResponseOptions, run: RelationRun) -> None:
    _score(sheet, CI_TOD, ci_tod_cases(options.data_dir)[: options.limit], run, scores.add_ci_tod)


def _conture(sheet: Sheet, options: ResponseOptions, run: RelationRun) -> None:
    def add(sheet: Sheet, name: str, cases: Sequence[ResponseCase], answers: ResponseAnswers) -> None:
        scores.add_ratings(sheet, CONTURE, name, cases, answers)

    _score(sheet, CONTURE, conture_cases(options.data_dir)[: options.limit], run, add)


def _people(sheet: Sheet, options: ResponseOptions, run: RelationRun) -> None:
    def add(sheet: Sheet, name: str, cases: Sequence[ResponseCase], answers: ResponseAnswers) -> None:
        scores.add_people(sheet, PEOPLE, name, cases, answers)

    _score(sheet, PEOPLE, people_cases(options.data_dir)[: options.limit], run, add)


def _breakdowns(sheet: Sheet, options: ResponseOptions, run: RelationRun) -> None:
    cases, gold = breakdown_cases(options.data_dir, "eval")
    cases, gold = cases[: options.limit], gold[: options.limit]
    dev, dev_gold = breakdown_cases(options.data_dir, "dev")
    dev, dev_gold = dev[: options.limit], dev_gold[: options.limit]

    def add(sheet: Sheet, name: str, both: Sequence[ResponseCase], answers: ResponseAnswers) -> None:
        told = [answer.bad if answer.bad is not None else 0.5 for answer in answers]
        limits = fit_limits(told[: len(dev)], dev_gold)
        add_breakdowns(sheet, name, cases, (told[len(dev) :], gold), limits)

    _score(sheet, DBDC3, [*dev, *cases], run, add)


_ADDERS: Mapping[str, Callable[[Sheet, ResponseOptions, RelationRun], None]] = {
    WRITTEN: _written,
    CI_TOD: _ci_tod,
    CONTURE: _conture,
    PEOPLE: _people,
    DBDC3: _breakdowns,
    **{task: partial(_frustration, task) for task in frustration.TASKS},
}


def _write(options: ResponseOptions, cases: Sequence[ResponseCase], run: RelationRun) -> None:
    """One JSON object an item: its own fields, and what was found."""
    if OURS not in SYSTEMS.asked(options):
        raise InputError("--samples", str(options.samples), f"with the system {OURS}, whose findings they are")
    items, path = options.items or Path(), options.samples or Path()
    lines = [line for line in items.read_text(encoding="utf-8").splitlines() if line.strip()]
    with path.open("w", encoding="utf-8") as out:
        for line, found in zip(lines, run.read(cases, "samples"), strict=False):
            row: dict[str, Any] = {**json.loads(line), "found": asdict(found)}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


BENCHMARK = Benchmark("responses", ResponseOptions, SYSTEMS, (), evaluate)
