"""The live path: pipeline, gate and guard, dialogue stores, REST service, command line.

from grice.middleware import Pipeline
"""

from typing import TYPE_CHECKING

from grice.models.lazy import offer

if TYPE_CHECKING:
    from grice.middleware.settings import PipelineSettings, ServiceSettings, from_environment
    from grice.middleware.turns.analysis import Decision, Finding, Reason, StageFailure, TurnAnalysis
    from grice.middleware.turns.guard import Guard
    from grice.middleware.turns.pipeline import Pipeline, appended

__all__ = [
    "Decision",
    "Finding",
    "Guard",
    "Pipeline",
    "PipelineSettings",
    "Reason",
    "ServiceSettings",
    "StageFailure",
    "TurnAnalysis",
    "appended",
    "from_environment",
]

__getattr__, __dir__ = offer(
    __name__,
    {
        "grice.middleware.settings": (
            "PipelineSettings",
            "ServiceSettings",
            "from_environment",
        ),
        "grice.middleware.turns.analysis": (
            "Decision",
            "Finding",
            "Reason",
            "StageFailure",
            "TurnAnalysis",
        ),
        "grice.middleware.turns.guard": ("Guard",),
        "grice.middleware.turns.pipeline": (
            "Pipeline",
            "appended",
        ),
    },
)
