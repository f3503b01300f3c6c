"""When a judge is asked for a second opinion, and what becomes of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from grice.middleware.monitor.reports import ALARM, Judge, Judgement, JudgeQuestion, ResponseReport, WatchedLabel
from grice.middleware.monitor.settings import WEAKEST, Escalate, MonitorSettings
from grice.middleware.turns.analysis import StageFailure
from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.errors import JudgeError
from grice.models.relations.budget import AlarmThresholds
from grice.models.relations.results import ResponseRelations
from grice.models.results import BEHAVIORS, Behavior, Behaviors

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Escalation:
    """Chooses what a judge is asked.

    Attributes:
        when: a behaviour is asked about if its probability is close to its threshold (`uncertain`), if it is undesired and shown
            (`alarming`), in either case (`both`), or never. An alarm is asked about in the same cases; where there is none, the
            judge could not add one, as that would break the budget.
        margin: a probability that is this close to its threshold, or closer, is uncertain; 0 to 1.
        behaviors: which behaviours may be asked about.
    """

    when: Escalate = "both"
    margin: float = 0.1
    behaviors: tuple[Behavior, ...] = WEAKEST

    @classmethod
    def of(cls, settings: MonitorSettings) -> Escalation:
        """The rule that settings describe."""
        chosen = tuple(label for label in BEHAVIORS if label in settings.escalate_behaviors)
        return cls(settings.escalate, settings.escalate_margin, chosen)

    def asks(self, found: Behaviors, thresholds: dict[Behavior, float]) -> tuple[Behavior, ...]:
        """The behaviours of a response that a judge is asked about. One without a probability or a threshold is not among them."""
        return tuple(label for label in self.behaviors if self._asks(label, found.probabilities[label], thresholds.get(label)))

    def asks_alarm(self, found: ResponseRelations, thresholds: AlarmThresholds | None) -> bool:
        """Whether a judge is asked about the alarm of a response; never where it raises none."""
        threshold = None if thresholds is None else thresholds.of_setting(found.setting)
        uncertain = self.when in ("uncertain", "both") and self._is_close(found.bad, threshold)
        return found.alarm and (uncertain or self.when in ("alarming", "both"))

    def uncertain(self, found: Behaviors, thresholds: dict[Behavior, float]) -> tuple[Behavior, ...]:
        """All behaviours whose probability is as close to the threshold as the margin, whether or not a judge may be asked."""
        pairs = ((label, found.probabilities.get(label), thresholds.get(label)) for label in BEHAVIORS)
        return tuple(label for label, probability, threshold in pairs if self._is_close(probability, threshold))

    def _is_close(self, probability: float | None, threshold: float | None) -> bool:
        return probability is not None and threshold is not None and abs(probability - threshold) <= self.margin

    def _asks(self, label: Behavior, probability: float | None, threshold: float | None) -> bool:
        if probability is None or threshold is None:
            return False
        uncertain = self.when in ("uncertain", "both") and self._is_close(probability, threshold)
        alarming = self.when in ("alarming", "both") and probability >= threshold and not DEFINITIONS[label].desired
        return uncertain or alarming


def asked(judge: Judge, questions: Sequence[JudgeQuestion], tenants: Sequence[str] | None = None) -> list[Judgement]:
    """One judgement a question. A judge that fails as a whole decides nothing; why is in each judgement."""
    if not questions:
        return []
    try:
        found = list(judge.judge(questions, tenants))
        if len(found) != len(questions):
            raise JudgeError(f"the judge gave {len(found)} judgements for {len(questions)} questions")
    except Exception as error:  # noqa: BLE001 - a judge may fail in any way, the monitor's findings stay
        name = type(error).__name__
        log.warning("the judge failed: %s", name)  # its message may quote the response
        return [Judgement(behavior, None, unscored="the judge failed", error=name) for _, behavior in questions]
    undecided = sorted({each.error or "JudgeError" for each in found if each.decision is None})
    if undecided:
        count = sum(each.decision is None for each in found)
        log.info("the judge left %d of %d questions undecided: %s", count, len(found), ", ".join(undecided))
    return found


def judged(report: ResponseReport, judgements: Sequence[Judgement]) -> ResponseReport:
    """The report with a judge's decisions in the place of the model's; where the judge has none, the model's stays.

    Of an alarm only a no counts: it takes it away.
    """
    decided = {each.behavior: each.decision for each in judgements if each.decision is not None}
    shown = tuple(label for label in BEHAVIORS if decided.get(label, label in report.shown))
    suppressed: list[WatchedLabel] = [label for label in report.shown if label not in shown and not DEFINITIONS[label].desired]
    relations = report.relations
    if relations is not None and relations.alarm and decided.get(ALARM) is False:
        relations = replace(relations, alarm=False)
        suppressed.append(ALARM)
    undecided = [each for each in judgements if each.decision is None]
    failures = tuple(StageFailure("judge", each.error or "JudgeError", f"{each.behavior}: {each.unscored}") for each in undecided)
    return replace(
        report,
        shown=shown,
        judgements=tuple(judgements),
        failures=(*report.failures, *failures),
        suppressed=tuple(suppressed),
        relations=relations,
        uncertain=tuple(label for label in report.uncertain if label not in decided),
    )
