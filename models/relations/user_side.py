"""What the user's turn before a response tells, beside what is found of the response."""

from __future__ import annotations

from dataclasses import replace

from grice.models.dialogue import Dialogue
from grice.models.frustration.detector import FrustrationDetector
from grice.models.relations.labels import FRUSTRATION
from grice.models.relations.results import QuotedSpan, RelationFinding, ResponseRelations


def add_frustration(found: ResponseRelations, dialogue: Dialogue, detector: FrustrationDetector | None) -> ResponseRelations:
    """What was found of the last turn of a dialogue, and how likely the user was frustrated before it.

    It is told with the first response to a turn of the user, so that no turn counts twice, and not told (None) without a detector.
    It changes neither how likely the response is faulty nor its alarm.
    """
    if detector is None or not dialogue.history or dialogue.history[-1].speaker != "user":
        return replace(found, labels={**found.labels, FRUSTRATION: None})
    (told,) = detector.predict([Dialogue(dialogue.history)])
    found = replace(found, labels={**found.labels, FRUSTRATION: told.probability})
    if told.probability is None or told.turn is None or not told.shown:
        return found
    said = dialogue.turns[told.turn].text
    finding = RelationFinding(FRUSTRATION, told.probability, QuotedSpan("user", told.turn, 0, 0, len(said), said), None)
    return replace(found, findings=(*found.findings, finding))
