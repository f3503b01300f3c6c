"""How plainly a user turn says what is wanted."""

from __future__ import annotations

from grice.middleware.capabilities.capability import Capability, Loading
from grice.models.dialogue import Dialogue
from grice.models.directness.scorer import DirectnessModel, load_directness_scorer
from grice.models.results import Directness


def _load(wanted: Loading) -> DirectnessModel:
    return load_directness_scorer(wanted.pipeline.directness_model, runtime=wanted.pipeline.runtime)


DIRECTNESS = Capability[Dialogue, Directness](
    name="directness",
    result=Directness,
    load=_load,
    summary="How plainly user turns say what is wanted",
    operation="score_directness",
    title="directness scorer",
    reads=("directness_model",),
    shared=True,
    wire="grice.middleware.service.capabilities.directness",
)
