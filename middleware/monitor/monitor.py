"""The monitor: a model scores the responses, a judge is asked where that is worth it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from grice.middleware.analysis import StageFailure
from grice.middleware.monitor.judgement import Judge
from grice.middleware.monitor.response_report import ResponseReport
from grice.models.dialogue import Dialogue
from grice.models.errors import ModelError
from grice.models.protocols import Model
from grice.models.results import Behavior, Behaviors

log = logging.getLogger(__name__)


class Monitor:
    """Scores the last turn of each dialogue, the bot's. Models are known by their protocol only.

    Args:
        model: scores behaviours.
        thresholds: the probability, 0 to 1, from which on a response shows a behaviour.
        judge: gives a second opinion; None: nobody is asked.
    """

    def __init__(self, model: Model[Behaviors], thresholds: Mapping[Behavior, float], judge: Judge | None = None) -> None:
        self.model = model
        self.thresholds = dict(thresholds)
        self.judge = judge

    def predict(self, dialogues: Sequence[Dialogue]) -> list[ResponseReport]:
        """One report a dialogue, in order. A model that fails is recorded; the others of the batch are scored."""
        return [self._report(behaviors) for behaviors in self._scored(dialogues)]

    def _scored(self, dialogues: Sequence[Dialogue]) -> list[Behaviors | StageFailure]:
        if not dialogues:
            return []
        try:
            found: list[Behaviors | StageFailure] = list(self.model.predict(dialogues))
            if len(found) != len(dialogues):
                raise ModelError(f"the model gave {len(found)} results for {len(dialogues)} dialogues")
        except Exception as error:  # a model may fail in any way
            if len(dialogues) > 1:  # so that one response does not take the others with it
                return [each for dialogue in dialogues for each in self._scored([dialogue])]
            log.warning("the behaviour model failed: %s", type(error).__name__)  # its message may quote the response
            return [StageFailure("monitor", type(error).__name__, str(error))]
        return found

    def _report(self, found: Behaviors | StageFailure) -> ResponseReport:
        if isinstance(found, StageFailure):
            return ResponseReport(None, failures=(found,))
        return ResponseReport(found, found.shown(self.thresholds))
