"""What the service answers about slots."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from grice.middleware.service.answers import SchemaVersion, WireFailure
from grice.middleware.service.schemas import Wire


class WireSlotValues(Wire):
    """Which value of a slot a turn means; all but its name is null where the resolver failed."""

    name: Annotated[str, Field(description="Its name.")]
    value: Annotated[str | None, Field(description="The value that is meant; null: it is ambiguous, or not mentioned.")]
    ambiguous: Annotated[bool | None, Field(description="The best values are too close to tell them apart.")]
    not_mentioned: Annotated[float | None, Field(description="How likely the turn says nothing of the slot, 0 to 1.")]
    probabilities: Annotated[
        dict[str, float] | None,
        Field(description="How likely each value is meant, 0 to 1; with `not_mentioned` they add up to 1."),
    ]


class SlotsResult(Wire):
    """What a user turn says of slots."""

    slots: Annotated[list[WireSlotValues], Field(description="One entry a slot, in the order of the request.")]
    failures: Annotated[
        list[WireFailure], Field(description="What failed; `slots`: one a slot that has no answer, in order; `store`: the history.")
    ]


class SlotsAnswer(SlotsResult):
    """What a single user turn says of slots."""

    schema_version: SchemaVersion = 1
