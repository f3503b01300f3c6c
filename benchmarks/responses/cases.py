"""Responses of which it is known what is wrong with them, and what a system says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grice.models.data import ci_tod, conture, multiwoz
from grice.models.data.response_items import read_response_items
from grice.models.dialogue import Dialogue, Turn
from grice.models.relations.labels import FAULTS, LABELS, SETTINGS, RelationLabel
from grice.models.relations.results import RelationQuestion
from grice.models.training.relations.samples import written_sample
from grice.models.training.responses.written import WrittenContext, read_contexts

HELD_HANDS = ("RG", "RM")
PEOPLE_DIALOGUES = 60

ClashPlace = tuple[str, int]
"""Of what kind it is ("turn", "document", "fact", "policy"), and its place among those of the kind."""


@dataclass(frozen=True)
class ResponseCase:
    """A response.

    Attributes:
        group: what the bootstrap draws. context: cases of one context are compared with each other. part: its setting.
        bad: whether anything is wrong; None: nobody knows. labels: that it has, of those `known`.
        evidence: what it clashes with, where that can be pointed at. hard: it is fine, but looks faulty.
        rating: how people rated it; None: nobody did.
    """

    name: str
    group: str
    context: str
    part: str
    question: RelationQuestion = field(compare=False)
    bad: bool | None
    labels: frozenset[RelationLabel] = frozenset()
    known: frozenset[RelationLabel] = frozenset()
    evidence: ClashPlace | None = None
    hard: bool = False
    rating: float | None = None


@dataclass(frozen=True)
class ResponseAnswer:
    """What a system says of a response.

    Attributes:
        bad: the higher, the likelier anything is wrong; None: it gave no answer. alarm: whether it raises one.
        labels: for each label how likely the response has it. shown: those that it says the response has.
        evidence: what it says that the response clashes with. quotes: of the shown labels, what each quotes.
    """

    bad: float | None
    alarm: bool
    labels: Mapping[RelationLabel, float] = field(default_factory=dict)
    shown: frozenset[RelationLabel] = frozenset()
    evidence: ClashPlace | None = None
    quotes: Mapping[RelationLabel, ClashPlace | None] = field(default_factory=dict)


ResponseAnswers = Sequence[ResponseAnswer]
"""One a case, in order."""


def held_out_cases() -> list[ResponseCase]:
    """The responses of the written hands that nothing was trained or tuned on.

    Raises:
        DataNotFound, DataCorrupt: a hand cannot be read.
    """
    hands = read_contexts(names=HELD_HANDS)
    return [
        case
        for hand, contexts in hands.items()
        for number, context in enumerate(contexts)
        for case in _of_context(f"{hand}/{number}", context)
    ]


def _of_context(name: str, context: WrittenContext) -> Iterator[ResponseCase]:
    sample = written_sample(context)
    for number, response in enumerate(sample.responses):
        dialogue = Dialogue((*context.turns, Turn("bot", response.text)))
        span = sample.spans[response.clash.span] if response.clash else None
        kind = "turn" if span and span.kind in ("user", "bot") else span.kind if span else ""
        yield ResponseCase(
            f"{name}/{number}",
            name,
            name,
            context.setting,
            RelationQuestion(dialogue, context.documents, context.facts),
            response.bad,
            response.labels,
            response.known,
            (kind, span.place) if span else None,
            response.hard,
        )


def item_cases(path: Path) -> list[ResponseCase]:
    """Anybody's items. Anything but `Emp` is a fault; labels that are not ours count in `any-bad` alone.

    Raises:
        DataNotFound, InputError: as `read_response_items`.
    """
    found = []
    for item in read_response_items(path):
        setting = next((each for each in SETTINGS if each == item.setting), None)
        found.append(
            ResponseCase(
                item.name,
                item.context,
                item.context,
                item.setting,
                RelationQuestion(item.dialogue, item.documents, item.facts, item.policy, setting),
                any(flag for label, flag in item.gold.items() if label != "Emp"),
                frozenset(label for label in LABELS if item.gold.get(label)),
                frozenset(label for label in LABELS if label in item.gold),
                None if item.evidence_turn is None else ("turn", item.evidence_turn),
            )
        )
    return found


CI_TOD_TASKS: Mapping[str, RelationLabel] = {"QI": "!Par", "HI": "!Sel", "KBI": "!Fac"}


def ci_tod_cases(data_dir: Path) -> list[ResponseCase]:
    """CI-ToD's test part, or its development part where that is all there is; neither was trained on.

    Raises:
        DataNotFound, DataCorrupt: neither is there, or a file is damaged.
    """
    there = any((data_dir / ci_tod.FOLDER).glob("*_test.json"))
    cases = []
    for each in ci_tod.read(data_dir, "test" if there else "dev"):
        flags = {"!Par": each.query, "!Sel": each.history, "!Fac": each.knowledge}
        labels = frozenset(label for label in FAULTS if flags.get(label))
        question = RelationQuestion(Dialogue((*each.turns, Turn("bot", each.response))), facts=each.rows, setting="task")
        known = frozenset(CI_TOD_TASKS.values())
        cases.append(
            ResponseCase(each.dialogue_id, each.dialogue_id, each.dialogue_id, "", question, any(flags.values()), labels, known)
        )
    return cases


def conture_cases(data_dir: Path) -> list[ResponseCase]:
    """ConTurE's rated turns of bots; those without words are left out.

    Raises:
        DataNotFound, DataCorrupt: the file is not there, or damaged.
    """
    return [
        ResponseCase(
            f"{each.dialogue_id}/{number}",
            each.dialogue_id,
            f"{each.dialogue_id}/{number}",
            "",
            RelationQuestion(Dialogue((*each.turns, each.response))),
            None,
            rating=float(each.rating),
        )
        for number, each in enumerate(conture.read(data_dir))
        if not each.silent
    ]


def people_cases(data_dir: Path) -> list[ResponseCase]:
    """What people said in the bot's place in MultiWOZ's test part, the first `PEOPLE_DIALOGUES`: nothing is wrong with it.

    Raises:
        DataNotFound, DataCorrupt: the file is not there, or damaged.
    """
    cases = []
    for name, said in list(multiwoz.read(data_dir / "multiwoz21", "test").items())[:PEOPLE_DIALOGUES]:
        turns = [utterance.turn for utterance in said if not utterance.silent]
        for place, turn in enumerate(turns):
            if place and turn.speaker == "bot":
                question = RelationQuestion(Dialogue(tuple(turns[: place + 1])))
                cases.append(ResponseCase(f"{name}/{place}", name, f"{name}/{place}", "", question, False))
    return cases
