"""The monitor: a model scores the responses, a judge is asked where that is worth it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from grice.middleware.monitor.escalation import Escalation, asked, judged
from grice.middleware.monitor.reports import Judge, ResponseReport
from grice.middleware.monitor.settings import MonitorSettings
from grice.middleware.runtime.isolation import isolate
from grice.middleware.telemetry import traced
from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import Dialogue
from grice.models.protocols import Model
from grice.models.results import Behavior, Behaviors

log = logging.getLogger(__name__)


class Monitor:
    """Scores the last turn of each dialogue, the bot's. Models are known by their protocol only.

    Args:
        model: scores behaviours.
        thresholds: the probability, 0 to 1, from which on a response shows a behaviour.
        judge: gives a second opinion; None: nobody is asked.
        escalation: what the judge is asked; its decision replaces the model's.
    """

    def __init__(
        self,
        model: Model[Behaviors],
        thresholds: Mapping[Behavior, float],
        judge: Judge | None = None,
        escalation: Escalation | None = None,
    ) -> None:
        self.model = model
        self.thresholds = dict(thresholds)
        self.judge = judge
        self.escalation = escalation or Escalation()

    @classmethod
    def load(cls, settings: MonitorSettings | None = None) -> Monitor:
        """The monitor with the model, and the judge, that the settings name.

        Raises:
            ModelError: the model is not there, damaged, or its execution provider is not available.
            MissingExtra: a judge is wanted, and openai is not installed.
            GriceError: the judge's cache cannot be used.
        """
        from grice.models.behaviors.monitor import load_behavior_monitor

        chosen = settings or MonitorSettings()
        model = load_behavior_monitor(chosen.behaviors_model, runtime=chosen.runtime)
        return cls(model, {**model.thresholds, **chosen.thresholds}, _judge(chosen), Escalation.of(chosen))

    def predict(self, dialogues: Sequence[Dialogue], tenants: Sequence[str] | None = None) -> list[ResponseReport]:
        """One report a dialogue, in order. A model that fails is recorded; the others of the batch are scored.

        Where a judge is asked, this waits for it, no longer than its deadline.

        Args:
            tenants: whose each dialogue is, for the judge's cache and budget; None: all the default tenant's.
        """
        with traced("grice.monitor", size=len(dialogues)):
            return self.second_opinions(dialogues, self.score(dialogues), tenants)

    def score(self, dialogues: Sequence[Dialogue]) -> list[ResponseReport]:
        """As `predict`, by the model alone."""
        return [self._report(outcome) for outcome in isolate(self.model.predict, dialogues)]

    def second_opinions(
        self, dialogues: Sequence[Dialogue], reports: Sequence[ResponseReport], tenants: Sequence[str] | None = None
    ) -> list[ResponseReport]:
        """The reports after the judge, which is asked where the rule of escalation says so; waits for it.

        Args:
            tenants: as in `predict`.
        """
        if self.judge is None:
            return list(reports)
        wanted = [self.escalation.asks(each.behaviors, self.thresholds) if each.behaviors else () for each in reports]
        questions = [(dialogue, label) for dialogue, labels in zip(dialogues, wanted, strict=True) for label in labels]
        owners = None if tenants is None else [owner for owner, labels in zip(tenants, wanted, strict=True) for _ in labels]
        with traced("grice.judge", size=len(questions)):
            answers = iter(asked(self.judge, questions, owners))
        return [judged(report, [next(answers) for _ in labels]) for report, labels in zip(reports, wanted, strict=True)]

    def _report(self, outcome: Behaviors | Exception) -> ResponseReport:
        if isinstance(outcome, Exception):
            log.warning("the behaviour model failed: %s", type(outcome).__name__)  # its message may quote the response
            return ResponseReport(None, failures=(StageFailure("monitor", type(outcome).__name__, str(outcome)),))
        return ResponseReport(outcome, outcome.shown(self.thresholds))


def _judge(settings: MonitorSettings) -> Judge | None:
    if settings.escalate == "never":
        return None
    from grice.middleware.judge import open_judge  # a judge is wanted only by those who escalate

    return open_judge(settings)
