"""The live path: pipeline, gate and guard, dialogue stores, REST service, command line.

from grice.middleware import Pipeline
"""

from grice.middleware.analysis import Decision, Finding, Reason, StageFailure, TurnAnalysis
from grice.middleware.guard import Guard
from grice.middleware.pipeline import Pipeline, appended
from grice.middleware.settings import PipelineSettings, ServiceSettings, from_environment

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
