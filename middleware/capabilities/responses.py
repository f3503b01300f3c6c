"""Which of nine behaviours a bot's response shows."""

from __future__ import annotations

from collections.abc import Mapping

from grice.middleware.capabilities.capability import Capability, Loading, encode_dialogue
from grice.middleware.capabilities.codec import decode, encode, field_of, malformed
from grice.middleware.monitor import Monitor
from grice.middleware.monitor.reports import MonitorQuestion, dialogue_of
from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import Dialogue
from grice.models.errors import ServiceError
from grice.models.relations.results import RelationQuestion
from grice.models.results import PAIRED, Behavior, Behaviors, Share


def _load(wanted: Loading) -> Monitor:
    return Monitor.load(wanted.monitor)


def _read(row: object, asked: MonitorQuestion) -> Behaviors:
    if isinstance(row, dict) and row.get("probabilities", ()) is None:
        failures = decode(tuple[StageFailure, ...], field_of(row, "failures"), "failures")
        why = ", ".join(failure.error for failure in failures) or "no reason"
        raise ServiceError(f"the service did not score the response: {why}")
    decode(Mapping[Behavior, Share | None], field_of(row, "probabilities"), "probabilities")
    evidence = decode(Mapping[Behavior, object], field_of(row, "evidence"), "evidence")
    places = {label: _place(label, each, dialogue_of(asked)) for label, each in evidence.items()}
    found: Behaviors = decode(Behaviors, {**row, "evidence": places} if isinstance(row, dict) else row)
    return found


def _place(label: Behavior, evidence: object, dialogue: Dialogue) -> int:
    """Where in the dialogue the turn is that a behaviour is about."""
    if label not in PAIRED:
        malformed("evidence", label)
    place: int = decode(int, field_of(evidence, "turn"), "turn")
    if not 0 <= place < len(dialogue.history):
        malformed("turn", place)
    return place


def _encode(asked: MonitorQuestion) -> dict[str, object]:
    """As an item of a request; what the bot should know is sent only where there is something, as older services do not know it."""
    if isinstance(asked, Dialogue):
        return encode_dialogue(asked)
    known = {name: value for name, value in encode(asked).items() if name != "dialogue" and value}
    return {**known, **encode_dialogue(asked.dialogue)}


def read_thresholds(row: object) -> Mapping[Behavior, float]:
    """The probability from which on the service calls a behaviour shown.

    Raises:
        ServiceError: the row has none.
    """
    found: Mapping[Behavior, float] = decode(Mapping[Behavior, Share], field_of(row, "thresholds"), "thresholds")
    return found


RESPONSES = Capability[MonitorQuestion, Behaviors](
    name="responses",
    result=Behaviors,
    load=_load,
    summary="Which of nine behaviours the bot's responses show",
    operation="score_responses",
    title="monitor",
    tag="monitor",
    switch="monitor",
    without="do not score the bot's responses",
    asks=(Dialogue, RelationQuestion),
    encode=_encode,
    decode=_read,
    parts={"behaviors": lambda monitor: monitor.model},
    wire="grice.middleware.service.capabilities.responses",
)
