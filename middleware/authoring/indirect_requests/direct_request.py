"""The direct form of a request: says the value, for comparison and as what the rewriter starts from."""

from __future__ import annotations

from grice.middleware.authoring.indirect_requests.criteria import Request, phrased
from grice.middleware.authoring.indirect_requests.request_slot import BOOLEAN, lower_first
from grice.models.slots.inputs import words


def direct_request(request: Request) -> str:
    """What a user says who wants `request.target`, which must not be ambiguous, and says so."""
    if request.target in BOOLEAN:
        return f"I want to be sure that {phrased(request, request.target)}."
    return direct_sentence(words(request.slot) if request.slot else lower_first(request.slot_description), request.target)


def direct_sentence(slot: str, value: str) -> str:
    """A direct request for a value of a slot, both in words."""
    return f"The {slot} should be {value}, please."
