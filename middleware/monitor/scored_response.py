"""A scored response as it travels: in the stream of results, to rates and alerts, to the page."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from grice.middleware.access import DEFAULT_TENANT, check_tenant
from grice.middleware.monitor.reports import ResponseReport
from grice.middleware.turns.analysis import StageFailure
from grice.models.behaviors.definitions import shows_undesired
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError, shorten
from grice.models.relations.results import ResponseRelations
from grice.models.results import BEHAVIORS, Behavior, Behaviors

SCHEMA_VERSION = 1
ScoreLabel = Literal["present", "absent", "uncertain"]
"""What a score says, in the few words that dashboards group by."""


def model_name(model: object) -> str:
    """Name and version of a model; its class name if it has no manifest."""
    manifest = getattr(model, "manifest", None)
    return type(model).__name__ if manifest is None else f"{manifest.name} {manifest.version}"


@dataclass(frozen=True)
class ResponseOrigin:
    """Where a response comes from.

    Attributes:
        event_id, dialogue_id, timestamp, channel, bot_version, action, tenant: as in `DialogueEvent`.
        traceparent: the span in which it was made, as W3C's trace context has it; "": none is known.
    """

    event_id: str
    dialogue_id: str
    timestamp: float
    channel: str | None
    bot_version: str | None
    action: str | None
    tenant: str = DEFAULT_TENANT
    traceparent: str = ""


@dataclass(frozen=True)
class Fault:
    """Something that the reader of relations finds wrong with a response.

    Attributes:
        label: its name, one of `grice.models.relations.labels.LABELS`.
        probability: how likely the response has it, 0 to 1.
        about: the words that it clashes with; empty where there are none.
        words: the response's own words.
    """

    label: str
    probability: float
    about: str = ""
    words: str = ""


@dataclass(frozen=True)
class ScoredResponse:
    """One response of a bot and what it does.

    Attributes:
        event_id, dialogue_id, text, timestamp, channel, bot_version, action: as in `DialogueEvent`; said at `timestamp`.
        scored_at: when it was scored, in Unix seconds.
        probabilities: for each of `BEHAVIORS`, 0 to 1, or None where it was not scored.
        shown: the behaviours that it shows.
        evidence: for a behaviour about an earlier turn, the text of that turn.
        judged: what a judge decided, where it was asked; None: it gave no decision.
        suppressed: the undesired behaviours that the model found and a judge denied.
        model: name and version of the model, such as `behaviors 1`.
        failures: stages that failed.
        schema_version: version of this shape.
        tenant: whose it is.
        alarm: whether it is worth an alarm under the budget of its setting; None where relations are not read: then any undesired
            behaviour is.
        faults: what the reader of relations finds wrong with it, the likeliest first.
        uncertain: behaviours whose probability lies so close to the threshold that a person should look, and no judge decided.
        traceparent: as in `ResponseOrigin`.

    Raises:
        InputError: a label or the schema version is unknown, or the tenant is none.
    """

    event_id: str
    dialogue_id: str
    text: str
    timestamp: float
    scored_at: float
    channel: str | None = None
    bot_version: str | None = None
    action: str | None = None
    probabilities: Mapping[Behavior, float | None] = field(default_factory=dict)
    shown: tuple[Behavior, ...] = ()
    evidence: Mapping[Behavior, str] = field(default_factory=dict)
    judged: Mapping[Behavior, bool | None] = field(default_factory=dict)
    model: str = ""
    failures: tuple[StageFailure, ...] = ()
    schema_version: int = SCHEMA_VERSION
    tenant: str = DEFAULT_TENANT
    suppressed: tuple[Behavior, ...] = ()
    alarm: bool | None = None
    faults: tuple[Fault, ...] = ()
    uncertain: tuple[Behavior, ...] = ()
    traceparent: str = ""

    def __post_init__(self) -> None:
        check_tenant(self.tenant)
        if self.schema_version != SCHEMA_VERSION:
            raise InputError("schema_version", self.schema_version, str(SCHEMA_VERSION))
        for label in (*self.probabilities, *self.shown, *self.evidence, *self.judged, *self.suppressed, *self.uncertain):
            if label not in BEHAVIORS:
                raise InputError("behavior", label, ", ".join(BEHAVIORS))

    @property
    def is_alarming(self) -> bool:
        """Whether somebody should look at it."""
        return shows_undesired(self.shown) if self.alarm is None else self.alarm

    @classmethod
    def of(cls, report: ResponseReport, dialogue: Dialogue, model: object, origin: ResponseOrigin) -> ScoredResponse:
        """The last turn of `dialogue` with what the monitor reports of it."""
        behaviors = report.behaviors or Behaviors()
        return cls(
            **asdict(origin),
            text=dialogue.last.text,
            scored_at=time.time(),
            probabilities=behaviors.probabilities,
            shown=report.shown,
            # Whoever reads it does not have the dialogue.
            evidence={label: dialogue.turns[place].text for label, place in behaviors.evidence.items()},
            judged={each.behavior: each.decision for each in report.judgements},
            model=model_name(model),
            failures=report.failures,
            suppressed=report.suppressed,
            alarm=None if report.relations is None else report.relations.alarm,
            faults=() if report.relations is None else _faults(report.relations),
            uncertain=report.uncertain,
        )

    def to_json(self) -> str:
        """One line of JSON. The default tenant is not named, nor is what was not found: it reads as it always did."""
        values = asdict(self)
        if self.tenant == DEFAULT_TENANT:
            del values["tenant"]
        for name in ("suppressed", "uncertain", "traceparent"):
            if not values[name]:
                del values[name]
        if self.alarm is None:
            del values["alarm"], values["faults"]
        return json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str | bytes) -> ScoredResponse:
        """The response that `to_json` wrote.

        Raises:
            InputError: not such JSON.
        """
        try:
            values: dict[str, Any] = json.loads(line)
            values["shown"] = tuple(values["shown"])
            for name in ("suppressed", "uncertain"):
                values[name] = tuple(values.get(name, ()))
            values["faults"] = tuple(Fault(**fault) for fault in values.get("faults", ()))
            values["failures"] = tuple(StageFailure(**failure) for failure in values["failures"])
            return cls(**values)
        except (ValueError, TypeError, KeyError) as error:
            if isinstance(error, InputError):
                raise
            known = ", ".join(each.name for each in fields(cls))
            raise InputError("scored response", shorten(line), f"a JSON object with {known}") from error


def label_of(response: ScoredResponse, behavior: Behavior) -> ScoreLabel:
    """What is said of a behaviour that was scored."""
    if behavior in response.uncertain:
        return "uncertain"
    return "present" if behavior in response.shown else "absent"


def _faults(relations: ResponseRelations) -> tuple[Fault, ...]:
    return tuple(
        Fault(each.label, each.probability, each.about.text if each.about else "", each.words.text if each.words else "")
        for each in relations.findings
        if each.label != "Emp"
    )
