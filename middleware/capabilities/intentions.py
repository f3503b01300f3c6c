"""What the turns of a persuasion do to the face of speaker and hearer."""

from __future__ import annotations

from grice.middleware.capabilities.capability import Capability, Loading
from grice.middleware.capabilities.codec import decode, malformed
from grice.models.dialogue import Dialogue
from grice.models.face_acts.detector import FaceActDetector, load_intention_detector
from grice.models.face_acts.goals import PersuasionQuestion
from grice.models.results import Intentions


def _load(wanted: Loading) -> FaceActDetector:
    return load_intention_detector(wanted.model, runtime=wanted.pipeline.runtime, **wanted.fields)


PersuasionAsked = Dialogue | PersuasionQuestion


def _read(row: object, asked: PersuasionAsked) -> Intentions:
    dialogue = asked if isinstance(asked, Dialogue) else asked.dialogue
    found: Intentions = decode(Intentions, row)
    if found.history_read + found.history_cut != len(dialogue.history) or len(found.labels) != found.history_read + 1:
        malformed("labels", found.labels)
    return found


INTENTIONS = Capability[PersuasionAsked, Intentions](
    name="intentions",
    result=Intentions,
    load=_load,
    summary="What the turns of a persuasion do to the face of speaker and hearer",
    operation="detect_intentions",
    title="intention detector",
    model="intentions",
    switch="intentions",
    without="do not find face acts",
    asks=(Dialogue, PersuasionQuestion),
    decode=_read,
    wire="grice.middleware.service.capabilities.intentions",
)
