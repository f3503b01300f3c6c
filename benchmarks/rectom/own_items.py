"""`grice bench rectom --items`: the shipped model of minds on anybody's recommendation dialogues, whatever is recommended."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from grice.benchmarks.core.batches import predict_all
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.stats import metrics
from grice.models.data.recommendation_items import OwnRecommendation, read_recommendation_items
from grice.models.dialogue import Dialogue
from grice.models.manifest import sha256
from grice.models.minds.labels import Attitude
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.minds.results import LIKELY, ItemAttitude, MindReading
from grice.models.minds.wording import title
from grice.models.protocols import Predicts

ATTITUDES, FOUND, NEXT = "attitudes", "items-found", "next"
OURS, MAJORITY = "grice", "majority"
SIGNATURES = {
    "accuracy": "percent of items of which all three parts are right, or of strategies that are rightly said to work or not",
    "suggested_by": "percent of items of which it is right who brought them up",
    "seen": "percent of items of which it is right whether the seeker knew them",
    "liked": "percent of items of which it is right whether the seeker likes or accepts them",
    "recall": "percent of the items of `attitudes` that are found without a list: one name contains the other, case and year aside",
    "found_per_dialogue": "items that are found in a dialogue without a list, on average",
}
_Row = TypeVar("_Row")

Read = Predicts[RecommendationDialogue, MindReading]


@dataclass(frozen=True)
class _Stand:
    """How the seeker of a dialogue stands to one of its items; `found` is None where the model says nothing of it."""

    dialogue: OwnRecommendation
    item: str
    gold: Attitude
    found: Attitude | None


def add_items(sheet: Sheet, path: Path, model: Read, limit: int | None = None, samples: Path | None = None) -> None:
    """Score the first `limit` dialogues of a file, in all and by domain; with `samples` write what was found in each.

    Raises:
        InputError: an item is not in the format. DataNotFound: the file cannot be read.
    """
    items = read_recommendation_items(path)[:limit]
    sheet.part, sheet.data[path.name] = f"items of {path.name}", sha256(path)
    sheet.signatures, sheet.groups = dict(SIGNATURES), [each.name for each in items]
    sheet.add_model(model)
    named = [RecommendationDialogue(each.dialogue, tuple(each.attitudes)) for each in items]
    listed = predict_all(model, named, "rectom grice attitudes")
    alone = predict_all(model, [RecommendationDialogue(each.dialogue) for each in items], "rectom grice items found")
    for task, rows in _by_domain(ATTITUDES, items, [_stands(*pair) for pair in zip(items, listed, strict=True)]).items():
        _add_attitudes(sheet, task, [stand for stands in rows for stand in stands])
    for task, pairs in _by_domain(FOUND, items, list(zip(items, alone, strict=True))).items():
        _add_found(sheet, task, pairs)
    _add_next(sheet, items, model)
    if samples is not None:
        _write(samples, items, listed, alone)


def said_of(found: ItemAttitude) -> Attitude:
    """The attitude as the service shows it: each of its parts by what is more likely than not."""
    return Attitude(found.attitude.suggested_by, found.seen > LIKELY, found.liked > LIKELY)


def same_name(one: str, other: str) -> bool:
    """Whether a name contains the other, case, white space and year aside."""
    first, second = (re.sub(r"\s+", " ", title(name)).strip().casefold() for name in (one, other))
    return bool(first and second) and (first in second or second in first)


def _by_domain(task: str, items: Sequence[OwnRecommendation], rows: Sequence[_Row]) -> dict[str, list[_Row]]:
    parts = {task: list(rows)}
    for item, row in zip(items, rows, strict=True):
        parts.setdefault(f"{task}/{item.domain}", []).append(row)
    return parts


def _stands(item: OwnRecommendation, reading: MindReading) -> list[_Stand]:
    found = {each.item: said_of(each) for each in reading.items}
    return [_Stand(item, name, gold, found.get(name)) for name, gold in item.attitudes.items()]


def _add_attitudes(sheet: Sheet, task: str, stands: Sequence[_Stand]) -> None:
    most = Counter(each.gold for each in stands).most_common(1)
    said: Mapping[str, Sequence[Attitude | None]] = {
        OURS: [each.found for each in stands],
        MAJORITY: [attitude for attitude, _ in most] * len(stands),
    }
    for system, found in said.items():
        pairs = [(each.gold, one) for each, one in zip(stands, found, strict=True)]
        parts = {
            "accuracy": [one == gold for gold, one in pairs],
            "suggested_by": [one is not None and one.suggested_by == gold.suggested_by for gold, one in pairs],
            "seen": [one is not None and one.seen == gold.seen for gold, one in pairs],
            "liked": [one is not None and one.liked == gold.liked for gold, one in pairs],
        }
        measures = {name: metrics.mean(flags, 100) for name, flags in parts.items()}
        sheet.add_defined(task, system, measures, [each.dialogue.name for each in stands])


def _add_found(sheet: Sheet, task: str, pairs: Sequence[tuple[OwnRecommendation, MindReading]]) -> None:
    wanted = [(each.name, _is_found(name, reading)) for each, reading in pairs for name in each.attitudes]
    recall = metrics.mean([found for _, found in wanted], 100)
    sheet.add_defined(task, OURS, {"recall": recall}, [name for name, _ in wanted])
    count = metrics.mean([len(reading.items) for _, reading in pairs])
    sheet.add_defined(task, OURS, {"found_per_dialogue": count}, [each.name for each, _ in pairs])


def _is_found(name: str, reading: MindReading) -> bool:
    return any(same_name(name, each.item) for each in reading.items)


def _add_next(sheet: Sheet, items: Sequence[OwnRecommendation], model: Read) -> None:
    rows = [(item, planned) for item in items for planned in item.planned]
    if not rows:
        return
    asked = [RecommendationDialogue(Dialogue(item.dialogue.turns[: planned.after_turns])) for item, planned in rows]
    readings = predict_all(model, asked, "rectom grice next")
    works = [reading.next.effective(planned.strategy) for (_, planned), reading in zip(rows, readings, strict=True)]
    gold = [planned.works for _, planned in rows]
    most = Counter(gold).most_common(1)[0][0]
    for system, said in ((OURS, works), (MAJORITY, [most] * len(gold))):
        accuracy = metrics.mean([one == other for one, other in zip(gold, said, strict=True)], 100)
        sheet.add_defined(NEXT, system, {"accuracy": accuracy}, [item.name for item, _ in rows])


def _write(path: Path, items: Sequence[OwnRecommendation], listed: Iterable[MindReading], alone: Iterable[MindReading]) -> None:
    with path.open("w", encoding="utf-8") as out:
        for item, known, own in zip(items, listed, alone, strict=True):
            row = {
                **item.fields,
                "found": {each.item: _shown(each) for each in known.items},
                "items_found": {each.item: _shown(each) for each in own.items},
                "missed": [name for name in item.attitudes if not _is_found(name, own)],
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def _shown(found: ItemAttitude) -> dict[str, object]:
    said = said_of(found)
    return {
        "suggested_by": said.suggested_by,
        "seen": said.seen,
        "liked": said.liked,
        "probabilities": {"seen": found.seen, "liked": found.liked},
        "turn": found.place,
    }
