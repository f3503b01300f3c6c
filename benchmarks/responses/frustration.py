"""Whether the user is frustrated: the hand that was held out, hands held out one at a time, and turns of people."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems, llm
from grice.benchmarks.llm import Ask, LlmTask, Question, Sampling, answer_all
from grice.benchmarks.responses.systems import ResponseOptions, shape_of
from grice.benchmarks.stats import metrics, ranking
from grice.benchmarks.stats.metrics import Measure
from grice.middleware.llm import Message
from grice.models.data import conture, multiwoz
from grice.models.dialogue import Dialogue
from grice.models.relations.labels import FRUSTRATION
from grice.models.runtime.heads import Floats
from grice.models.runtime.runtime import Runtime
from grice.models.training.frustration.written import HELD_HAND, LATER_HANDS, LEARNED, read_talks
from grice.models.training.relations.calibration import fit_weights

LATER, HANDS = f"{FRUSTRATION}/later", f"{FRUSTRATION}/one-hand-out"
PEOPLE, RATED = f"{FRUSTRATION}/multiwoz", f"{FRUSTRATION}/conture"
FILES = {PEOPLE: "multiwoz21/test.json*", RATED: f"{conture.FOLDER}/{conture.FILE}"}
NOTES = (
    f"{FRUSTRATION}: hand {HELD_HAND}, on which nothing was trained, chosen or calibrated; frustrated turns count as faulty ones",
    f"{LATER}: hands {', '.join(LATER_HANDS)}, which were written after the shipped model and had no part in it",
    f"{HANDS}: hands {', '.join(LEARNED)}, each read by models that learned from the others; the threshold is set by these scores",
    f"{PEOPLE}: users' turns after a bot's in the first 60 dialogues of MultiWOZ's test part; hardly anybody is frustrated there",
    f"{RATED}: users' turns after a bot's turn that people rated 0 (these count as faulty) or 2; nobody labelled frustration",
)
OF_TURNS = ("auc", "recall_at_5", "recall_at_2", "pair_accuracy")
OF_SHOWN = ("found", "false_alarms")
PEOPLE_DIALOGUES = 60
SAMPLING = Sampling(0.0, 16)
ASKED = (
    "Below is a conversation of a user with a bot. Is the user, in the last turn, frustrated with the bot or with how this "
    "conversation goes? Being upset at something else does not count. Answer with a number alone, 0 to 100: how likely that is, in "
    "percent."
)


@dataclass(frozen=True)
class FrustrationCase:
    """A dialogue that ends in a turn of the user.

    Attributes:
        group: what the bootstrap draws. context: cases of one context are compared with each other. hand: who wrote it; "": people.
        frustrated: whether the user is frustrated.
    """

    name: str
    group: str
    context: str
    hand: str
    dialogue: Dialogue
    frustrated: bool


@dataclass(frozen=True)
class FrustrationAnswer:
    """How likely the user is frustrated, the higher the likelier, and whether it is shown; None: there is no answer."""

    score: float | None
    shown: bool


@dataclass(frozen=True)
class FrustrationTask:
    """A task, and what its systems are built from."""

    name: str
    cases: Sequence[FrustrationCase]
    options: ResponseOptions
    sheet: Sheet


FrustrationAnswers = Sequence[FrustrationAnswer]


def add_frustration(sheet: Sheet, task: str, options: ResponseOptions) -> None:
    """Add a task's figures.

    Raises:
        DataNotFound, DataCorrupt: its data cannot be read.
    """
    cases = _CASES[task](options.data_dir)[: options.limit]
    sheet.groups = [*sheet.groups, *(case.group for case in cases)]
    found, reasons = SYSTEMS.build(options, FrustrationTask(task, cases, options, sheet))
    for name, answers in found.items():
        rows = [(case, answer) for case, answer in zip(cases, answers, strict=True) if answer.score is not None]
        measures = _measures([case for case, _ in rows], [answer for _, answer in rows], METRICS[task])
        sheet.add_defined(task, name, measures, [case.group for case, _ in rows], len(cases) - len(rows))
    for name, reason in reasons.items():
        sheet.add_unscored(task, name, METRICS[task], reason, len(cases))


def _measures(cases: Sequence[FrustrationCase], answers: FrustrationAnswers, wanted: Sequence[str]) -> dict[str, Measure]:
    scores = np.array([answer.score for answer in answers], float)
    flags, shown = np.array([case.frustrated for case in cases], bool), np.array([answer.shown for answer in answers], bool)
    makers: dict[str, Callable[[], Measure]] = {
        "auc": lambda: ranking.auc(scores, flags),
        "recall_at_5": lambda: ranking.recall_at(scores, flags, 5),
        "recall_at_2": lambda: ranking.recall_at(scores, flags, 2),
        "pair_accuracy": lambda: ranking.pairs_in_order(scores, flags, [case.context for case in cases]),
        "found": lambda: _share(shown & flags, flags),
        "false_alarms": lambda: _share(shown & ~flags, ~flags),
    }
    return {name: makers[name]() for name in wanted}


def _share(some: np.ndarray, of: np.ndarray) -> Measure:
    return Measure(np.stack([some, of], 1).astype(float), lambda sums: 100 * metrics.divided(sums[:, 0], sums[:, 1]))


def written_cases(hands: Sequence[str]) -> list[FrustrationCase]:
    """The last turns of written hands.

    Raises:
        DataNotFound, DataCorrupt: a hand cannot be read.
    """
    return [
        FrustrationCase(
            f"{hand}/{number}/{place}", f"{hand}/{number}", f"{hand}/{number}", hand, talk.dialogue_of(said), said.frustrated
        )
        for hand, talks in read_talks(names=hands).items()
        for number, talk in enumerate(talks)
        for place, said in enumerate(talk.nexts)
    ]


def people_cases(data_dir: Path) -> list[FrustrationCase]:
    """Users' turns after a bot's in MultiWOZ's test part, the first `PEOPLE_DIALOGUES`; none counts as frustrated.

    Raises:
        DataNotFound, DataCorrupt: the file is not there, or damaged.
    """
    cases = []
    for name, said in list(multiwoz.read(data_dir / "multiwoz21", "test").items())[:PEOPLE_DIALOGUES]:
        turns = tuple(utterance.turn for utterance in said if not utterance.silent)
        for place in range(1, len(turns)):
            if turns[place].speaker == "user":
                case = f"{name}/{place}"
                cases.append(FrustrationCase(case, name, case, "", Dialogue(turns[: place + 1]), False))
    return cases


def rated_cases(data_dir: Path) -> list[FrustrationCase]:
    """Users' turns after a bot's turn that ConTurE's raters gave 0, which count as frustrated, or 2.

    Raises:
        DataNotFound, DataCorrupt: the file is not there, or damaged.
    """
    read = conture.read(data_dir)
    cases = []
    for number, (before, after) in enumerate(itertools.pairwise(read)):
        follows = before.dialogue_id == after.dialogue_id and len(after.turns) > len(before.turns)
        if follows and before.rating != 1 and not before.silent:
            case = f"{after.dialogue_id}/{number}"
            cases.append(FrustrationCase(case, after.dialogue_id, case, "", Dialogue(after.turns), before.rating == 0))
    return cases


_CASES: Mapping[str, Callable[[Path], list[FrustrationCase]]] = {
    FRUSTRATION: lambda _: written_cases((HELD_HAND,)),
    LATER: lambda _: written_cases(LATER_HANDS),
    HANDS: lambda _: written_cases(LEARNED),
    PEOPLE: people_cases,
    RATED: rated_cases,
}
TASKS = tuple(_CASES)
METRICS: Mapping[str, tuple[str, ...]] = {
    FRUSTRATION: (*OF_TURNS, *OF_SHOWN),
    LATER: (*OF_TURNS, *OF_SHOWN),
    HANDS: OF_TURNS,
    PEOPLE: ("false_alarms",),
    RATED: ("auc",),
}


def _read(task: FrustrationTask, name: str) -> FrustrationAnswers:
    if task.name == HANDS:
        return _read_held_hands(task)
    from grice.models.frustration.detector import load_frustration_detector

    detector = load_frustration_detector(task.options.frustration, runtime=Runtime(threads=task.options.threads))
    task.sheet.add_model(detector)
    return [FrustrationAnswer(each.probability, each.shown) for each in detector.predict([case.dialogue for case in task.cases])]


def _read_held_hands(task: FrustrationTask) -> FrustrationAnswers:
    from grice.models.sentence_encoder.encoder import load_sentence_encoder
    from grice.models.training.frustration.recipe import FrustrationRecipe, read_examples, score_held_hands

    encoder = load_sentence_encoder(runtime=Runtime(threads=task.options.threads))
    scores = score_held_hands(read_examples(encoder), FrustrationRecipe())
    return [FrustrationAnswer(float(score), False) for score in scores[: len(task.cases)]]


def _by_shape(task: FrustrationTask, name: str) -> FrustrationAnswers:
    learned = written_cases(LEARNED)
    weights = {hand: _shape_weights([case for case in learned if case.hand != hand]) for hand in {case.hand for case in task.cases}}
    scores = [float(np.dot(weights[case.hand], shape_of(case.dialogue.last.text))) for case in task.cases]
    return [FrustrationAnswer(score, score >= 0) for score in scores]


def _shape_weights(cases: Sequence[FrustrationCase]) -> Floats:
    inputs = np.array([shape_of(case.dialogue.last.text) for case in cases])
    return fit_weights(inputs, np.array([case.frustrated for case in cases]), np.zeros(inputs.shape[1])).astype(np.float32)


def _never(task: FrustrationTask, name: str) -> FrustrationAnswers:
    return [FrustrationAnswer(0.5, False) for _ in task.cases]


def _ask_all(task: FrustrationTask, model: str) -> FrustrationAnswers:
    about = LlmTask(f"responses {task.name}", {"benchmark": "responses"}, SAMPLING)
    run = answer_all([_question(case) for case in task.cases], model, task.options, about)
    task.sheet.tables.append(run.usage(f"openai:{model}"))
    answered = [sample.prediction for sample in run.samples]
    return [FrustrationAnswer(None, False) if share is None else FrustrationAnswer(share, share >= 0.5) for share in answered]


def _question(case: FrustrationCase) -> Question:
    prompt = "\n".join([ASKED, *(f"{turn.speaker}: {turn.text}" for turn in case.dialogue.turns)])
    return Question(case.name, case.group, case.frustrated, partial(_ask, prompt), prompt)


def _ask(prompt: str, ask: Ask) -> Any:
    found = re.search(r"\d+(?:\.\d+)?", ask([Message("user", prompt)]))
    share = None if found is None else float(found[0]) / 100
    return share if share is not None and share <= 1 else None


SYSTEMS = Systems[FrustrationTask, FrustrationAnswers](
    "responses",
    System("grice", "our detector of frustration", "ours", _read),
    System("shape", "length, question marks, digits and other marks alone, fitted to the same material", "floor", _by_shape),
    System("majority", "no user is frustrated", "floor", _never),
    llm("openai", "a language model, asked whether the user is frustrated", _ask_all),
)
