"""What keeps a menu from being understood: what it leaves out, and which of its intents cannot be told apart.

from grice.middleware.schemas.check import check_schema
"""

from __future__ import annotations

from grice.middleware.schemas.check.completeness import find_gaps
from grice.middleware.schemas.check.confusions import Encodes, find_confusions
from grice.middleware.schemas.check.finding import KINDS, SchemaFinding
from grice.middleware.schemas.check.likeness import find_like_values
from grice.models.schema import BotSchema

__all__ = ["KINDS", "Encodes", "SchemaFinding", "check_schema"]


def check_schema(schema: BotSchema, encoder: Encodes) -> list[SchemaFinding]:
    """All findings: gaps, values that look alike, then the intents that cannot be told apart, the most alike first.

    Args:
        encoder: meaning as vectors, as `load_sentence_encoder` gives it.
    """
    return [*find_gaps(schema), *find_like_values(schema), *find_confusions(schema, encoder)]
