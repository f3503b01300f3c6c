"""`grice bench persuasion --items`: the shipped detector on anybody's persuasions, whatever is wanted in them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.benchmarks.core.batches import predict_all
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.persuasion.metrics import macro_f1
from grice.benchmarks.persuasion.predictions import SPEAKERS
from grice.benchmarks.stats import metrics
from grice.models.data.persuasion_items import OwnPersuasion, OwnUtterance, read_persuasion_items
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import InputError
from grice.models.face_acts.detector import FaceActDetector
from grice.models.face_acts.goals import PersuasionQuestion
from grice.models.manifest import sha256
from grice.models.results import FaceAct, Intentions
from grice.models.training.face_acts.other_goals import HELD_HANDS
from grice.models.training.face_acts.written import read_persuasion

TASK = "face-acts"
OURS, MAJORITY = "grice", "majority"
SIGNATURES = {
    "accuracy": "percent of utterances whose face act is named, each in the light of those before it and of the goal",
    "macro_f1": "the mean F1 of the face acts that are right or named anywhere, 0 to 100",
}


@dataclass(frozen=True)
class _Asked:
    """An utterance, the last of its question."""

    item: OwnPersuasion
    place: int

    @property
    def gold(self) -> FaceAct:
        return self.item.utterances[self.place].face_act

    @property
    def question(self) -> PersuasionQuestion:
        said = self.item.utterances[: self.place + 1]
        return PersuasionQuestion(Dialogue(tuple(Turn(SPEAKERS[each.role], each.text) for each in said)), self.item.goal.strip())


def add_items(sheet: Sheet, path: Path, detector: FaceActDetector, limit: int | None = None, samples: Path | None = None) -> None:
    """Score the utterances of a file, in all and by goal; with `samples` write what was found of each.

    Raises:
        InputError: an item is not in the format. DataNotFound: the file cannot be read.
    """
    sheet.part, sheet.data[path.name] = f"items of {path.name}", sha256(path)
    asked = _all_of(read_persuasion_items(path), limit)
    found = _score(sheet, detector, TASK, asked)
    if samples is not None:
        _write(samples, asked, found)


def add_held_hands(sheet: Sheet, detector: FaceActDetector, task: str, limit: int | None = None) -> None:
    """Score the written dialogues of the hands that were not learned from, in all."""
    hands = read_persuasion(names=HELD_HANDS)
    items = [
        OwnPersuasion(
            f"{hand}/{number}", each.goal, tuple(OwnUtterance(said.role, said.text, said.face_act) for said in each.utterances)
        )
        for hand, found in hands.items()
        for number, each in enumerate(found)
    ]
    sheet.part = f"written hands {' and '.join(HELD_HANDS)}, on which nothing was trained"
    _score(sheet, detector, task, _all_of(items, limit), by_goal=False)


def _score(sheet: Sheet, detector: FaceActDetector, task: str, asked: Sequence[_Asked], by_goal: bool = True) -> list[Intentions]:
    sheet.signatures, sheet.groups = dict(SIGNATURES), [each.item.name for each in asked]
    sheet.add_model(detector)
    found = predict_all(detector, [each.question for each in asked], f"persuasion grice {task}")
    (most, _), *_ = Counter(each.gold for each in asked).most_common(1)
    said: dict[str, list[FaceAct]] = {OURS: [each.label for each in found], MAJORITY: [most] * len(asked)}
    parts = {task: list(range(len(asked)))}
    for place, each in enumerate(asked if by_goal else ()):
        parts.setdefault(f"{task}/{each.item.goal}", []).append(place)
    for part, places in parts.items():
        rows = [asked[place] for place in places]
        for system, labels in said.items():
            _add(sheet, part, system, rows, [labels[place] for place in places])
    return found


def _all_of(items: Sequence[OwnPersuasion], limit: int | None) -> list[_Asked]:
    return [_Asked(item, place) for item in items for place in range(len(item.utterances))][:limit]


def _add(sheet: Sheet, task: str, system: str, rows: Sequence[_Asked], labels: Sequence[FaceAct]) -> None:
    gold = [each.gold for each in rows]
    accuracy = metrics.mean([one == other for one, other in zip(gold, labels, strict=True)], 100)
    measures = {"accuracy": accuracy, "macro_f1": macro_f1(gold, labels)}
    sheet.add_defined(task, system, measures, [each.item.name for each in rows])


def _write(path: Path, asked: Sequence[_Asked], found: Sequence[Intentions]) -> None:
    with path.open("w", encoding="utf-8") as out:
        for each, said in zip(asked, found, strict=True):
            row = {
                "id": each.item.name,
                "goal": each.item.goal,
                "utterance": each.place,
                "text": each.item.utterances[each.place].text,
                "face_act": each.gold,
                "found": said.label,
                "probabilities": dict(said.probabilities),
                "read_as": said.read_as,
                "far": said.far,
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def check_samples(items: Path | None, samples: Path | None) -> None:
    """See to it that samples are asked for with items alone.

    Raises:
        InputError: they are not.
    """
    if samples is not None and items is None:
        raise InputError("--samples", str(samples), "with --items, whose samples they are")
