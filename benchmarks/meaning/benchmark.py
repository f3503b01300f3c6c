"""`grice bench meaning`: what turns mean, of bots, intents and services that the reader of meaning was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grice.benchmarks.core.benchmark import Benchmark
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.meaning import own_items
from grice.benchmarks.meaning.cases import MeaningCase
from grice.benchmarks.meaning.contrast import SIGNATURES as CONTRASTS
from grice.benchmarks.meaning.contrast import add_contrasts, other_bot_cases
from grice.benchmarks.meaning.held_out import indirect_cases, judged_answers, scope_cases, written_cases
from grice.benchmarks.meaning.judged import CIRCA, CIRCA_SYSTEMS, JudgedTask, add_judged
from grice.benchmarks.meaning.judged import METRICS as JUDGED_METRICS
from grice.benchmarks.meaning.scores import MEANINGS, SIGNATURES, SLOTS, add_intents, add_meaning
from grice.benchmarks.meaning.services import multidogo_cases, sgd_cases, sgd_x_cases
from grice.benchmarks.meaning.systems import SYSTEMS, MeaningOptions, MeaningTask, ReaderRun
from grice.models.data import multidogo
from grice.models.errors import DataNotFound, InputError
from grice.models.manifest import sha256
from grice.models.training.meaning.written import LATER_HANDS

WRITTEN = "written"
LATER = "written-later"
TURN_TASKS: Mapping[str, Callable[[], list[MeaningCase]]] = {WRITTEN: written_cases, LATER: lambda: written_cases(LATER_HANDS)}
"""Tasks of which all is known: meaning, kind, slots and changes."""
OTHER_BOT = "other-bot"
INTENT_TASKS: Mapping[str, Callable[[Path], list[MeaningCase]]] = {
    OTHER_BOT: lambda _: other_bot_cases(),
    "implicature-10": lambda data: indirect_cases(data, small=True),
    "implicature-all": lambda data: indirect_cases(data, small=False),
    "out-of-scope": scope_cases,
    "multidogo": lambda data: multidogo_cases(data / multidogo.FOLDER),
    "sgd": lambda data: sgd_cases(data / "sgd"),
    "sgd-x": lambda data: sgd_x_cases(data / "sgd"),
}
"""Tasks of which only intents are known."""
TASKS = (*TURN_TASKS, *INTENT_TASKS, CIRCA)
FILES = {
    "implicature-10": ("implicature/*/implicature.*",),
    "implicature-all": ("implicature/*/implicature.*",),
    "out-of-scope": ("implicature/CLINC150/direct_test.*", "implicature/CLINC150/out_of_scope.json"),
    "multidogo": ("multidogo/turn_level.zip",),
    "sgd": ("sgd/test.zip",),
    "sgd-x": ("sgd/test.zip", "sgd/sgd_x.zip"),
    CIRCA: ("circa/circa_data_*.csv",),
}
"""The files that a task reads."""
NOTES = (
    "every system chooses among the menu's intents and the acts that every bot's turns can do; an act counts as none of them",
    "written: hands H, P, QJ and QO, on which nothing was trained or tuned; changes of mind are marked in QJ and QO alone; "
    "written/contrast: of these, turns with the same words that mean different things, under other questions; nobody marked them, "
    "they were found by their words",
    "written-later: hands WA to WD, written after the shipped weights; the first look at them was at these figures",
    "other-bot: hints of these hands that open a dialogue, each on its own bot's menu and on that of its hand's next bot, where it "
    "is taken to mean none of the menu; nobody has looked whether the other bot could serve it",
    "implicature: intents that were not trained on, by "
    "name alone, on a menu of ten of their set or on the whole set; out-of-scope: CLINC's, on a menu of such intents",
    "sgd: turns of one test dialogue in five that say an intent of a service that the training split does not have, on a menu of "
    "ten, the service's and others of other domains; "
    "sgd-x: the same turns in the five other wordings of the schema; multidogo: test turns, on a menu of the domain's intents; its "
    "general intents (contentonly, confirmation, …) are none of the menu",
    "circa: answers with a majority, to questions that were not trained on",
)


def evaluate(options: MeaningOptions, readings: Callable[[MeaningOptions, Sheet], ReaderRun] = ReaderRun) -> Sheet:
    """Score the tasks, or the items that the options name.

    Raises:
        InputError: an unknown task, an item that is not in the format, or samples without items.
        DataError: data cannot be read. ModelError: a system that was asked for by name cannot be loaded.
        JudgeError: the server of a language model does not answer.
    """
    if unknown := [task for task in options.tasks if task not in TASKS]:
        raise InputError("task of benchmark meaning", unknown[0], ", ".join(TASKS))
    sheet = Sheet("meaning", [], options.seed, drawn="bot, dialogue, intent, question or item")
    read = readings(options, sheet)
    if options.items is not None:
        sheet.part, sheet.signatures = f"items of {options.items.name}", {**SIGNATURES, **own_items.SIGNATURES}
        own_items.add_items(sheet, options.items, options, read)
        return sheet
    if options.samples is not None:
        raise InputError("--samples", str(options.samples), "with --items, whose samples they are")
    sheet.part, sheet.signatures, sheet.notes = "what training held out", {**SIGNATURES, **CONTRASTS}, list(NOTES)
    groups: list[str] = []
    for task in options.tasks or TASKS:
        try:
            groups += _add(sheet, task, options, read)
        except DataNotFound as error:
            if options.tasks:
                raise
            _leave_out(sheet, task, options, str(error))
    sheet.groups = groups
    return sheet


def _add(sheet: Sheet, task: str, options: MeaningOptions, readings: ReaderRun) -> Sequence[str]:
    """Score one task; the groups of its rows."""
    if task == CIRCA:
        rows = judged_answers(options.data_dir)[: options.limit]
        add_judged(sheet, JudgedTask(rows, options, readings))
        _note_files(sheet, task, options)
        return [answer.question for answer, _ in rows]
    cases = (TURN_TASKS[task]() if task in TURN_TASKS else INTENT_TASKS[task](options.data_dir))[: options.limit]
    _note_files(sheet, task, options)
    found, reasons = SYSTEMS.build(options, MeaningTask(task, cases, options, readings))
    for name, answers in found.items():
        (add_meaning if task in TURN_TASKS else add_intents)(sheet, task, name, cases, answers)
        if task in (*TURN_TASKS, OTHER_BOT):
            add_contrasts(sheet, task, name, cases, answers)
    for name, reason in reasons.items():
        sheet.add_unscored(task, name, _metrics(task), reason, len(cases))
    return [case.group for case in cases]


def _leave_out(sheet: Sheet, task: str, options: MeaningOptions, reason: str) -> None:
    for name in (CIRCA_SYSTEMS if task == CIRCA else SYSTEMS).asked(options):
        sheet.add_unscored(task, name, _metrics(task), reason, 0)


def _metrics(task: str) -> Sequence[str]:
    if task == CIRCA:
        return JUDGED_METRICS
    return (*MEANINGS, *SLOTS) if task in TURN_TASKS else ("accuracy",)


def _note_files(sheet: Sheet, task: str, options: MeaningOptions) -> None:
    for pattern in FILES.get(task, ()):
        for path in sorted(options.data_dir.glob(pattern)):
            sheet.data[path.relative_to(options.data_dir).as_posix()] = sha256(path)


BENCHMARK = Benchmark("meaning", MeaningOptions, SYSTEMS, (), evaluate)
