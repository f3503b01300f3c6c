"""What the reader of relations learns from: a context, and several responses to it with what is known of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from grice.models.relations.inputs import KnownSpan, row_text, turn_spans
from grice.models.relations.labels import LABELS, SETTINGS, RelationLabel, Setting
from grice.models.training.responses.written import LineEvidence, WrittenContext, WrittenResponse

WRITTEN_NAMES: dict[str, RelationLabel] = {
    "!sel": "!Sel",
    "!par": "!Par",
    "red": "Red",
    "again": "asked_again",
    "ign": "Ign",
    "part": "unanswered",
    "!rel": "!Rel",
    "!fac": "!Fac",
    "unsup": "unsupported",
    "!com": "!Com",
    "!emp": "!Emp",
    "promise": "promise",
    "emp": "Emp",
}


@dataclass(frozen=True)
class Clash:
    """What a response clashes with: words of a span (by its place), "" for all of it, and words of the response."""

    span: int
    words: str
    own: str


@dataclass(frozen=True)
class TaughtResponse:
    """A response.

    Attributes:
        labels: that it has. known: of which it is known whether it has them. bad: whether anything is wrong; None: not known.
        hard: it is fine, but looks faulty.
    """

    text: str
    labels: frozenset[RelationLabel]
    bad: bool | None
    clash: Clash | None = None
    known: frozenset[RelationLabel] = frozenset(LABELS)
    hard: bool = False


@dataclass(frozen=True)
class RelationSample:
    """A context and its responses. `setting` is None where it is of none. `source` says where it is from."""

    source: str
    setting: Setting | None
    spans: tuple[KnownSpan, ...]
    responses: tuple[TaughtResponse, ...]


def written_sample(context: WrittenContext) -> RelationSample:
    """A written context. Its lines are documents and rows first, then turns, which is the order of spans."""
    documents = [KnownSpan("document", place, text) for place, text in enumerate(context.documents)]
    facts = [KnownSpan("fact", place, row_text(row)) for place, row in enumerate(context.facts)]
    spans = [*documents, *facts, *turn_spans(context.turns)]
    places = _line_places(context)
    return RelationSample(context.hand, context.setting, tuple(spans), tuple(_written(each, places) for each in context.responses))


def _line_places(context: WrittenContext) -> list[int]:
    """Of each line, the place of its span. Lines of documents and rows may be mixed, and stand between turns."""
    texts = {"document": list(context.documents), "turn": [turn.text for turn in context.turns]}
    found: list[int] = []
    seen = {"document": 0, "fact": 0, "turn": 0}
    starts = {"document": 0, "fact": len(context.documents), "turn": len(context.documents) + len(context.facts)}
    for line in context.lines:
        kind: Literal["document", "fact", "turn"] = "fact"
        for name in ("turn", "document"):
            if seen[name] < len(texts[name]) and texts[name][seen[name]] == line:
                kind = "turn" if name == "turn" else "document"
                break
        found.append(starts[kind] + seen[kind])
        seen[kind] += 1
    return found


def _written(response: WrittenResponse, places: Sequence[int]) -> TaughtResponse:
    labels = frozenset(WRITTEN_NAMES[label] for label in response.labels if label in WRITTEN_NAMES)
    clash = _clash(response.evidence, response.words, places) if response.evidence and not response.is_fine else None
    return TaughtResponse(response.text, labels, not response.is_fine, clash, hard="ok!" in response.labels)


def _clash(evidence: LineEvidence, own: str, places: Sequence[int]) -> Clash:
    return Clash(places[evidence.line], evidence.words, own)


def written_samples(contexts: Iterable[WrittenContext]) -> list[RelationSample]:
    """The samples of written contexts."""
    return [written_sample(context) for context in contexts]


__all__ = ["SETTINGS", "Clash", "RelationSample", "TaughtResponse", "written_sample", "written_samples"]
