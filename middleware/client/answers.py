"""Rows of the service's answers as results, checked: whatever does not have their shape is an error, never a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args, get_type_hints

from grice.middleware.slots.reports import SlotReport
from grice.middleware.turns.analysis import Decision, Finding, Reason, Stage, StageFailure, TurnAnalysis
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError, ServiceError, shorten
from grice.models.results import (
    BEHAVIORS,
    FACE_ACTS,
    PAIRED,
    Behavior,
    Behaviors,
    Directness,
    FaceAct,
    Intentions,
    PersuasionRole,
    Rewrite,
    SlotValues,
)
from grice.models.slots.questions import SlotQuestion


def turn_analysis(row: object, original: str) -> TurnAnalysis:
    """The analysis of the turn `original`.

    Raises:
        ServiceError: the row is none.
    """
    if (echoed := _field(row, "original", str)) != original:
        raise _malformed("original", echoed)
    rewrite, scored = _field(row, "rewrite", (dict, type(None))), _field(row, "directness", (dict, type(None)))
    return TurnAnalysis(
        original=original,
        text=_field(row, "text", str),
        decision=_one_of(row, "decision", Decision),
        reason=_one_of(row, "reason", Reason),
        directness=None if scored is None else directness(scored),
        rewrite=None if rewrite is None else _rewrite(rewrite),
        findings=tuple(_finding(found) for found in _field(row, "findings", list)),
        failures=tuple(_failure(failure) for failure in _field(row, "failures", list)),
    )


def directness(row: object) -> Directness:
    """The score of a turn.

    Raises:
        ServiceError: the row is none.
    """
    return Directness(_share(row, "score"), *_history(row))


def behaviors(row: object, dialogue: Dialogue) -> Behaviors:
    """What the last turn of the dialogue does.

    Raises:
        ServiceError: the row is none, or the service's model failed.
    """
    found = _field(row, "probabilities", (dict, type(None)))
    if found is None:
        failures = [_failure(failure) for failure in _field(row, "failures", list)]
        raise ServiceError(
            f"the service did not score the response: {', '.join(failure.error for failure in failures) or 'no reason'}"
        )
    places = _field(row, "evidence", dict)
    for what, labels, allowed in (("probabilities", found, BEHAVIORS), ("evidence", places, PAIRED)):
        if unknown := [label for label in labels if label not in allowed]:
            raise _malformed(what, unknown[0])
    probabilities = {label: None if found.get(label) is None else _share(found, label) for label in BEHAVIORS}
    evidence = {label: _place(each, dialogue) for label, each in places.items()}
    return Behaviors(probabilities, evidence, *_history(row))


def intentions(row: object, dialogue: Dialogue) -> Intentions:
    """What the turns of the dialogue do to face.

    Raises:
        ServiceError: the row is none.
    """
    shares, agreement = _field(row, "probabilities", dict), _field(row, "agreement", list)
    labels, roles = _field(row, "labels", list), _field(row, "roles", list)
    read, cut, text_cut = _history(row)
    if read + cut != len(dialogue.history) or len(labels) != read + 1:
        raise _malformed("labels", labels)
    try:
        return Intentions(
            {label: _share(shares, label) for label in FACE_ACTS if label in shares},
            tuple(_one_of({"labels": label}, "labels", FaceAct) for label in labels),
            tuple(_one_of({"roles": role}, "roles", PersuasionRole) for role in roles),
            tuple(_share({"agreement": value}, "agreement") for value in agreement),
            *(read, cut, text_cut),
        )
    except InputError as error:
        raise _malformed("intentions", str(error)) from error


def thresholds(row: object) -> dict[Behavior, float]:
    """The probability from which on the service calls a behaviour shown.

    Raises:
        ServiceError: the row has none.
    """
    found = _field(row, "thresholds", dict)
    return {label: _share(found, label) for label in BEHAVIORS if label in found}


def slot_reports(row: object, questions: Sequence[SlotQuestion]) -> list[SlotReport]:
    """What was found of each slot that an item asked about.

    Raises:
        ServiceError: the row is none, or is about other slots.
    """
    slots = _field(row, "slots", list)
    if len(slots) != len(questions):
        raise _malformed("slots", slots)
    found = [_slot_values(slot, question) for slot, question in zip(slots, questions, strict=True)]
    failures = [failure for each in _field(row, "failures", list) if (failure := _failure(each)).stage == "slots"]
    if len(failures) != found.count(None):
        raise _malformed("failures", failures)
    why = iter(failures)
    return [SlotReport(None, (next(why),)) if each is None else SlotReport(each) for each in found]


def _slot_values(row: object, question: SlotQuestion) -> SlotValues | None:
    if (name := _field(row, "name", str)) != question.slot:
        raise _malformed("name", name)
    probabilities = _field(row, "probabilities", (dict, type(None)))
    if probabilities is None:
        return None
    if set(probabilities) != set(question.values):
        raise _malformed("probabilities", probabilities)
    value = _field(row, "value", (str, type(None)))
    if value not in (None, *question.values):
        raise _malformed("value", value)
    shares = tuple(_share(probabilities, each) for each in question.values)
    return SlotValues(shares, _share(row, "not_mentioned"), value, _field(row, "ambiguous", bool))


def _place(row: object, dialogue: Dialogue) -> int:
    place: int = _field(row, "turn", int)
    if not 0 <= place < len(dialogue.history):
        raise _malformed("turn", place)
    return place


def _rewrite(row: object) -> Rewrite:
    text, tokens = _field(row, "text", str), _field(row, "tokens", int)
    return Rewrite(text, _share(row, "confidence"), tokens, _field(row, "finished", bool), *_history(row))


def _history(row: object) -> tuple[int, int, bool]:
    return _field(row, "history_read", int), _field(row, "history_cut", int), _field(row, "text_cut", bool)


def _finding(row: object) -> Finding:
    kinds = get_type_hints(Finding)
    return Finding(_one_of(row, "kind", kinds["kind"]), _one_of(row, "what", kinds["what"]), _field(row, "value", str))


def _failure(row: object) -> StageFailure:
    return StageFailure(_one_of(row, "stage", Stage), _field(row, "error", str), _field(row, "message", str))


def _field(row: object, name: str, kind: Any) -> Any:
    value = row.get(name) if isinstance(row, dict) else None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _malformed(name, value)
    return value


def _share(row: object, name: str) -> float:
    value = _field(row, name, (int, float))
    if isinstance(value, bool) or not 0 <= value <= 1:
        raise _malformed(name, value)
    return float(value)


def _one_of(row: object, name: str, choices: Any) -> Any:
    value = _field(row, name, str)
    if value not in get_args(choices):
        raise _malformed(name, value)
    return value


def _malformed(name: str, value: object) -> ServiceError:
    return ServiceError(f"the service answered {name}: {shorten(value)}, which is none; is it of another version?")
