"""How a response relates to what was said and what is known: it contradicts, repeats, ignores, asks again, or is fine."""

from grice.models.relations.labels import FAULTS, FRUSTRATION, LABELS, SETTINGS
from grice.models.relations.reader import RelationReader, load_relation_reader
from grice.models.relations.results import (
    QuotedSpan,
    RelationFinding,
    RelationQuestion,
    ResponseRelations,
    SentenceSupport,
)
from grice.models.relations.rows import text_rows

__all__ = [
    "FAULTS",
    "FRUSTRATION",
    "LABELS",
    "SETTINGS",
    "QuotedSpan",
    "RelationFinding",
    "RelationQuestion",
    "RelationReader",
    "ResponseRelations",
    "SentenceSupport",
    "load_relation_reader",
    "text_rows",
]
