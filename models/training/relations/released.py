"""Samples of released data: replies that people or services gave, which are fine, and the same with a fault put into them.

`multiwoz`: MultiWOZ's validation part. `sgd`: SGD's training part, with the services' rows. `persuasion`: persuaders of every other
dialogue of Persuasion For Good. `ci-tod`: contradictions of query, history and rows. `prosecco`: statements of one speaker. What is
evaluated (MultiWOZ's test part, CI-ToD's test part) is not here.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

from grice.models.data import ci_tod, multiwoz, persuasion_for_good, prosecco, sgd
from grice.models.dialogue import Turn
from grice.models.relations.inputs import KnownSpan, row_text, turn_spans
from grice.models.relations.labels import LABELS, RelationLabel, Setting
from grice.models.relations.rows import nearest_rows
from grice.models.training.relations.faults import Elsewhere, TaskReply, faulty
from grice.models.training.relations.samples import Clash, RelationSample, TaughtResponse

HEARD = 0.3
"""So much of task dialogue is read as a speech recogniser writes it: in small letters, without marks."""
LAST_TURNS = 8
MOST_ROWS = 5
SGD_DIALOGUES = 1500
"""Of SGD's, which are many and alike, so many are read."""

_MARKS = re.compile(r"[^\w\s:.']|[.:](?!\d)")
"""All but those within numbers and words."""


@dataclass(frozen=True)
class DrawnSource:
    """Released data to draw samples from; so many an epoch."""

    name: str
    make: Callable[[random.Random], RelationSample | None]
    texts: Callable[[], list[str]]
    each_epoch: int

    def draw(self, chance: random.Random) -> list[RelationSample]:
        """Samples of one epoch."""
        tries = (self.make(chance) for _ in range(10 * self.each_epoch))
        return list(islice((sample for sample in tries if sample), self.each_epoch))


def released_samples(data_dir: Path, names: Sequence[str]) -> list[DrawnSource]:
    """The sources of these names.

    Raises:
        DataNotFound, DataCorrupt: a data set is missing or damaged.
    """
    return [_SOURCES[name](data_dir) for name in names]


def _of_replies(name: str, dialogues: list[list[TaskReply]], each_epoch: int, setting: Setting = "task") -> DrawnSource:
    asked: dict[str, list[TaskReply]] = {}
    values: dict[str, list[str]] = {}
    for dialogue in dialogues:
        for reply in dialogue:
            for slot in reply.asks:
                asked.setdefault(slot, []).append(reply)
            for slot, value in reply.values:
                values.setdefault(slot, []).append(value)

    def make(chance: random.Random) -> RelationSample | None:
        dialogue = chance.choice(dialogues)
        others = chance.choice(dialogues) if setting == "task" else []  # those who speak of one thing fit everywhere
        places = [at for at, reply in enumerate(dialogue) if at and reply.turn.speaker == "bot"]
        if not places:
            return None
        at = chance.choice(places)
        reply, before = dialogue[at], dialogue[max(0, at - LAST_TURNS) : at]
        rows = next((each.rows for each in (reply, *reversed(before)) if each.rows), ())
        told = nearest_rows(rows, " ".join(each.turn.text for each in (*before, reply)), MOST_ROWS)
        spans = [KnownSpan("fact", place, row_text(row)) for place, row in enumerate(told)]
        spans += turn_spans([each.turn for each in before])
        fine = TaughtResponse(reply.turn.text, frozenset(), False)
        elsewhere = Elsewhere(others, asked, values)
        sample = RelationSample(name, setting, tuple(spans), (fine, *faulty(reply, before, spans, elsewhere, chance)))
        return as_heard(sample) if setting == "task" and chance.random() < HEARD else sample

    return DrawnSource(name, make, lambda: [reply.turn.text for dialogue in dialogues for reply in dialogue], each_epoch)


def as_heard(sample: RelationSample) -> RelationSample:
    """Its turns and responses in small letters, without marks; rows and documents as they are."""
    responses = tuple(
        replace(
            each,
            text=_heard(each.text),
            clash=each.clash and Clash(each.clash.span, *map(_heard, (each.clash.words, each.clash.own))),
        )
        for each in sample.responses
    )
    spans = tuple(replace(span, text=_heard(span.text)) if span.kind in ("user", "bot") else span for span in sample.spans)
    return replace(sample, spans=spans, responses=responses)


def _heard(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text.lower()).split())


def _multiwoz(data_dir: Path) -> DrawnSource:
    dialogues = [
        [multiwoz_reply(utterance) for utterance in turns if not utterance.silent]
        for turns in multiwoz.read(data_dir / "multiwoz21", "val").values()
    ]
    return _of_replies("multiwoz", dialogues, 200)


def multiwoz_reply(said: multiwoz.Utterance) -> TaskReply:
    asks = {f"{act.act.split('-')[0]} {act.slot}".lower() for act in said.acts if act.act.endswith("-Request")}
    tells = {f"{act.act.split('-')[0]} {act.slot}".lower() for act in said.acts if act.act.endswith("-Inform")}
    only = len({act.act for act in said.acts}) == 1
    return TaskReply(said.turn, frozenset(asks) if only else frozenset(), frozenset(tells))


def _sgd(data_dir: Path) -> DrawnSource:
    step = 9
    read: Iterator[sgd.SgdDialogue] = islice(sgd.read(data_dir / "sgd", "train"), 0, step * SGD_DIALOGUES, step)
    dialogues = [[_sgd_reply(turn) for turn in dialogue.turns if not turn.silent] for dialogue in read]
    return _of_replies("sgd", dialogues, 800)


def _sgd_reply(said: sgd.SgdTurn) -> TaskReply:
    asks = {f"{action.service} {action.slot}" for action in said.actions if action.act == "REQUEST"}
    tells = {f"{action.service} {action.slot}" for action in said.actions if action.act == "INFORM"}
    only = all(action.act == "REQUEST" for action in said.actions)
    rows = tuple({name.replace("_", " "): value for name, value in row.items()} for row in said.results)
    values = tuple((f"{each.service} {each.slot}", value) for each in said.actions if each.slot for value in each.values)
    return TaskReply(said.turn, frozenset(asks) if only else frozenset(), frozenset(tells), values, rows)


def _persuasion(data_dir: Path) -> DrawnSource:
    read = list(persuasion_for_good.read(data_dir))[::2]
    dialogues = [[TaskReply(turn) for turn in dialogue.with_bot("persuader")] for dialogue in read]
    return _of_replies("persuasion", dialogues, 260, "chat")


def _ci_tod(data_dir: Path) -> DrawnSource:
    rows = ci_tod.read(data_dir, "train")
    in_turn = cycle(rows)
    return DrawnSource("ci-tod", lambda chance: ci_tod_sample(next(in_turn)), lambda: _ci_tod_texts(rows), len(rows))


CI_TOD_LABELS: tuple[RelationLabel, ...] = ("!Par", "!Sel", "!Fac")


def ci_tod_sample(given: ci_tod.InconsistentResponse) -> RelationSample:
    """Its response with the labels of query (!Par), history (!Sel) and knowledge base (!Fac)."""
    told = nearest_rows(given.rows, " ".join([given.response, *(turn.text for turn in given.turns)]), MOST_ROWS)
    spans = [KnownSpan("fact", place, row_text(row)) for place, row in enumerate(told)] + turn_spans(given.turns[-LAST_TURNS:])
    flags = (given.query, given.history, given.knowledge)
    labels = frozenset(label for label, flag in zip(CI_TOD_LABELS, flags, strict=True) if flag)
    response = TaughtResponse(given.response, labels, any(flags), None, frozenset(CI_TOD_LABELS))
    return RelationSample("ci-tod", "task", tuple(spans), (response,))


def _ci_tod_texts(rows: Sequence[ci_tod.InconsistentResponse]) -> list[str]:
    return [text for row in rows for text in (row.response, *(turn.text for turn in row.turns), *map(row_text, row.rows))]


def _prosecco(data_dir: Path) -> DrawnSource:
    pairs = prosecco.read(data_dir)

    def make(chance: random.Random) -> RelationSample:
        pair = chance.choice(pairs)
        spans = turn_spans([Turn("bot", pair.first), Turn("user", chance.choice(("I see.", "Go on.", "And what else?", "Right.")))])
        labels: frozenset[RelationLabel] = frozenset(("!Sel",)) if pair.contradictory else frozenset()
        response = TaughtResponse(pair.second, labels, True if pair.contradictory else None, None, frozenset(("!Sel",)))
        return RelationSample("prosecco", None, tuple(spans), (response,))

    return DrawnSource("prosecco", make, lambda: [text for pair in pairs for text in (pair.first, pair.second)], 80)


_SOURCES: dict[str, Callable[[Path], DrawnSource]] = {
    "multiwoz": _multiwoz,
    "sgd": _sgd,
    "persuasion": _persuasion,
    "ci-tod": _ci_tod,
    "prosecco": _prosecco,
}

__all__ = ["LABELS", "DrawnSource", "as_heard", "ci_tod_sample", "released_samples"]
