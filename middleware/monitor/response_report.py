"""What the monitor says of a bot's response."""

from __future__ import annotations

from dataclasses import dataclass

from grice.middleware.monitor.judgement import Judgement
from grice.middleware.turns.analysis import StageFailure
from grice.models.results import Behavior, Behaviors


@dataclass(frozen=True)
class ResponseReport:
    """A bot's response after the monitor.

    Attributes:
        behaviors: probabilities and evidence; None where the model failed.
        shown: the behaviours that it shows: where a judge decided, its decision, otherwise what reaches its threshold.
        judgements: what the judge said, where it was asked.
        failures: stages that failed; the response is not scored by them.
    """

    behaviors: Behaviors | None
    shown: tuple[Behavior, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    failures: tuple[StageFailure, ...] = ()
