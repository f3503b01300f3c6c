"""What keeps a menu from being understood: what it leaves out, and which of its intents cannot be told apart.

from grice.middleware.schemas.check import check_schema
"""

from __future__ import annotations

from grice.middleware.runtime.progress import Progress
from grice.middleware.schemas.check.completeness import find_gaps
from grice.middleware.schemas.check.confusions import find_confusions
from grice.middleware.schemas.check.finding import KINDS, SchemaFinding
from grice.middleware.schemas.check.likeness import find_like_values
from grice.models.protocols import MeaningPredictor
from grice.models.schema import BotSchema

__all__ = ["KINDS", "SchemaFinding", "check_schema"]


def check_schema(schema: BotSchema, reader: MeaningPredictor, progress: Progress | None = None) -> list[SchemaFinding]:
    """All findings: gaps, values that look alike, then the intents that cannot be told apart, those with the most examples first.

    Args:
        reader: reads each intent's examples, as `load_meaning_reader` gives it.
        progress: told how many of the examples are read.
    """
    return [*find_gaps(schema), *find_like_values(schema), *find_confusions(schema, reader, progress)]
