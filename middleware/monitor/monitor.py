"""The monitor: a model scores the responses, a judge is asked where that is worth it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from grice.middleware.monitor.escalation import Escalation, asked, judged
from grice.middleware.monitor.reports import ALARM, Judge, MonitorQuestion, ResponseReport, WatchedLabel, dialogue_of
from grice.middleware.monitor.settings import MonitorSettings
from grice.middleware.runtime.isolation import isolate
from grice.middleware.telemetry import traced
from grice.middleware.turns.analysis import StageFailure
from grice.models.frustration.detector import FrustrationDetector, load_frustration_detector
from grice.models.protocols import Model, RelationPredictor
from grice.models.relations.budget import AlarmThresholds
from grice.models.relations.results import RelationQuestion, ResponseRelations
from grice.models.results import Behavior, Behaviors

log = logging.getLogger(__name__)


class Monitor:
    """Scores the last turn of each dialogue, the bot's. Models are known by their protocol only.

    Args:
        model: scores behaviours.
        thresholds: the probability, 0 to 1, from which on a response shows a behaviour.
        judge: gives a second opinion; None: nobody is asked.
        escalation: what the judge is asked; its decision on a behaviour replaces the model's, its no takes an alarm away.
        relations: reads how responses relate to what was said and what is known; None: that is not read.
    """

    def __init__(
        self,
        model: Model[Behaviors],
        thresholds: Mapping[Behavior, float],
        judge: Judge | None = None,
        escalation: Escalation | None = None,
        relations: RelationPredictor | None = None,
    ) -> None:
        self.model = model
        self.thresholds = dict(thresholds)
        self.judge = judge
        self.escalation = escalation or Escalation()
        self.relations = relations

    @classmethod
    def load(cls, settings: MonitorSettings | None = None) -> Monitor:
        """The monitor with the model, and the judge, that the settings name.

        Raises:
            ModelError: the model is not there, damaged, or its execution provider is not available.
            MissingExtra: a judge is wanted, and openai is not installed.
            GriceError: the judge's cache cannot be used. InputError: the model has no thresholds for `alarm_budget`.
        """
        from grice.models.behaviors.monitor import load_behavior_monitor

        chosen = settings or MonitorSettings()
        model = load_behavior_monitor(chosen.behaviors_model, runtime=chosen.runtime)
        thresholds = {**model.thresholds, **chosen.thresholds}
        return cls(model, thresholds, _judge(chosen), Escalation.of(chosen), _relations(chosen))

    def predict(self, asked: Sequence[MonitorQuestion], tenants: Sequence[str] | None = None) -> list[ResponseReport]:
        """One report a dialogue, in order. A model that fails is recorded; the others of the batch are scored.

        Where a judge is asked, this waits for it, no longer than its deadline.

        Args:
            tenants: whose each dialogue is, for the judge's cache and budget; None: all the default tenant's.
        """
        with traced("grice.monitor", size=len(asked)):
            return self.second_opinions(asked, self.score(asked), tenants)

    def score(self, asked: Sequence[MonitorQuestion]) -> list[ResponseReport]:
        """As `predict`, by the models alone."""
        reports = [self._report(outcome) for outcome in isolate(self.model.predict, [dialogue_of(each) for each in asked])]
        if self.relations is None:
            return reports
        questions = [each if isinstance(each, RelationQuestion) else RelationQuestion(each) for each in asked]
        found = isolate(self.relations.predict, questions)
        return [_related(report, outcome) for report, outcome in zip(reports, found, strict=True)]

    def second_opinions(
        self, asked_about: Sequence[MonitorQuestion], reports: Sequence[ResponseReport], tenants: Sequence[str] | None = None
    ) -> list[ResponseReport]:
        """The reports after the judge, which is asked where the rule of escalation says so; waits for it.

        Args:
            tenants: as in `predict`.
        """
        if self.judge is None:
            return list(reports)
        wanted = [self._wanted(each) for each in reports]
        questions = [(about, label) for about, labels in zip(asked_about, wanted, strict=True) for label in labels]
        owners = None if tenants is None else [owner for owner, labels in zip(tenants, wanted, strict=True) for _ in labels]
        with traced("grice.judge", size=len(questions)):
            answers = iter(asked(self.judge, questions, owners))
        return [judged(report, [next(answers) for _ in labels]) for report, labels in zip(reports, wanted, strict=True)]

    def _wanted(self, report: ResponseReport) -> tuple[WatchedLabel, ...]:
        behaviors = self.escalation.asks(report.behaviors, self.thresholds) if report.behaviors else ()
        thresholds: AlarmThresholds | None = getattr(self.relations, "thresholds", None)
        if report.relations is None or not self.escalation.asks_alarm(report.relations, thresholds):
            return behaviors
        return (*behaviors, ALARM)

    def _report(self, outcome: Behaviors | Exception) -> ResponseReport:
        if isinstance(outcome, Exception):
            log.warning("the behaviour model failed: %s", type(outcome).__name__)  # its message may quote the response
            return ResponseReport(None, failures=(StageFailure("monitor", type(outcome).__name__, str(outcome)),))
        uncertain = self.escalation.uncertain(outcome, self.thresholds)
        return ResponseReport(outcome, outcome.shown(self.thresholds), uncertain=uncertain)


def _related(report: ResponseReport, outcome: ResponseRelations | Exception) -> ResponseReport:
    if isinstance(outcome, Exception):
        name = type(outcome).__name__
        log.warning("the reader of relations failed: %s", name)  # its message may quote the response
        return replace(report, failures=(*report.failures, StageFailure("monitor", name, str(outcome))))
    told = (*report.shown, *report.uncertain)  # a judge may yet show what is uncertain
    quotes = {label: pair for label, pair in outcome.quotes.items() if label in told}
    return replace(report, relations=replace(outcome, quotes=quotes))


def _relations(settings: MonitorSettings) -> RelationPredictor | None:
    if not settings.relations_model:
        return None
    from grice.middleware.monitor.alarm_budget import read_budget
    from grice.models.relations.reader import load_relation_reader

    reader = load_relation_reader(settings.relations_model, runtime=settings.runtime)
    reader = reader.with_frustration(_frustration(settings))
    if settings.guess_facts:
        reader = reader.with_guesses()
    if settings.alarm_budget is not None:
        return reader.with_budget(settings.alarm_budget)
    if settings.alarm_settings:
        return reader.with_thresholds(read_budget(Path(settings.alarm_settings), reader.thresholds))
    return reader


def _frustration(settings: MonitorSettings) -> FrustrationDetector | None:
    if not settings.frustration_model:
        return None
    detector = load_frustration_detector(settings.frustration_model, runtime=settings.runtime)
    return detector if settings.frustration_threshold is None else detector.with_threshold(settings.frustration_threshold)


def _judge(settings: MonitorSettings) -> Judge | None:
    if settings.escalate == "never":
        return None
    from grice.middleware.judge import open_judge  # a judge is wanted only by those who escalate

    return open_judge(settings)
