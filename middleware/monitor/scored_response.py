"""A scored response as it travels: in the stream of results, to rates and alerts, to the page."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from grice.middleware.access import DEFAULT_TENANT, check_tenant
from grice.middleware.monitor.reports import WATCHED, MonitorQuestion, ResponseReport, WatchedLabel, dialogue_of
from grice.middleware.turns.analysis import StageFailure
from grice.models.behaviors.definitions import shows_undesired
from grice.models.errors import InputError, shorten
from grice.models.relations.labels import FAULTS, FRUSTRATION, SETTINGS, Setting
from grice.models.relations.results import QuotedSpan, RelationFinding, RelationQuestion, ResponseRelations
from grice.models.results import BEHAVIORS, Behavior, Behaviors

SCHEMA_VERSION = 1
_KNOWN = ("documents", "facts", "policy")
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
        about_span, words_span: the same with their places: turn, document or row, sentence, first and last character; None where
            there are none.
    """

    label: str
    probability: float
    about: str = ""
    words: str = ""
    about_span: QuotedSpan | None = None
    words_span: QuotedSpan | None = None

    @classmethod
    def of(cls, finding: RelationFinding) -> Fault:
        """What a finding says."""
        about, words = finding.about, finding.words
        return cls(finding.label, finding.probability, about.text if about else "", words.text if words else "", about, words)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Fault:
        """The fault of which JSON has these values; spans are missing in those that an older version wrote."""
        spans = {name: values.get(name) for name in ("about_span", "words_span")}
        return cls(**{**values, **{name: span and QuotedSpan(**span) for name, span in spans.items()}})


@dataclass(frozen=True)
class Frustration:
    """How likely the user was frustrated with the bot, or with how the talk went, before a response; no fault of the response.

    Attributes:
        probability: 0 to 1. shown: whether it reaches its threshold.
        words: the user's turn, where it is shown; otherwise empty.
        words_span: the same with its place; None where it is not shown.
    """

    probability: float
    shown: bool
    words: str = ""
    words_span: QuotedSpan | None = None

    @classmethod
    def of(cls, relations: ResponseRelations | None) -> Frustration | None:
        """What was found; None where it was not read."""
        probability = None if relations is None else relations.labels.get(FRUSTRATION)
        if relations is None or probability is None:
            return None
        found = next((each for each in relations.findings if each.label == FRUSTRATION), None)
        words = None if found is None else found.about
        return cls(probability, found is not None, words.text if words else "", words)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Frustration:
        """That of which JSON has these values."""
        span = values.get("words_span")
        return cls(**{**values, "words_span": span and QuotedSpan(**span)})


@dataclass(frozen=True)
class ScoredResponse:
    """One response of a bot and what it does.

    Attributes:
        event_id, dialogue_id, text, timestamp, channel, bot_version, action: as in `DialogueEvent`; said at `timestamp`.
        scored_at: when it was scored, in Unix seconds.
        probabilities: for each of `BEHAVIORS`, 0 to 1, or None where it was not scored.
        shown: the behaviours that it shows.
        evidence: for a behaviour about an earlier turn, the text of that turn.
        judged: what a judge decided of a behaviour, or of the `alarm`, where it was asked; None: it gave no decision.
        suppressed: the undesired behaviours that the model found and a judge denied; `alarm` where it took the alarm away.
        model: name and version of the model, such as `behaviors 1`.
        failures: stages that failed.
        schema_version: version of this shape.
        tenant: whose it is.
        alarm: whether it is worth an alarm under the budget of its setting; None where relations are not read: then any undesired
            behaviour is.
        faults: what the reader of relations finds wrong with it, the likeliest first.
        uncertain: behaviours whose probability lies so close to the threshold that a person should look, and no judge decided.
        traceparent: as in `ResponseOrigin`.
        setting: whose budget of alarms held for it; None where relations are not read.
        documents, facts, policy: of an alarm, what the bot should know, so that a verdict on it can be kept with that.
        user_frustration: of the user before it; None where it was not read, or was told with an earlier response to the same turn.

    Raises:
        InputError: a label, the setting or the schema version is unknown, or the tenant is none.
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
    judged: Mapping[WatchedLabel, bool | None] = field(default_factory=dict)
    model: str = ""
    failures: tuple[StageFailure, ...] = ()
    schema_version: int = SCHEMA_VERSION
    tenant: str = DEFAULT_TENANT
    suppressed: tuple[WatchedLabel, ...] = ()
    alarm: bool | None = None
    faults: tuple[Fault, ...] = ()
    uncertain: tuple[Behavior, ...] = ()
    traceparent: str = ""
    setting: Setting | None = None
    documents: tuple[str, ...] = ()
    facts: tuple[Mapping[str, str], ...] = ()
    policy: tuple[str, ...] = ()
    user_frustration: Frustration | None = None

    def __post_init__(self) -> None:
        check_tenant(self.tenant)
        if self.schema_version != SCHEMA_VERSION:
            raise InputError("schema_version", self.schema_version, str(SCHEMA_VERSION))
        if self.setting is not None and self.setting not in SETTINGS:
            raise InputError("setting", self.setting, ", ".join(SETTINGS))
        for label in (*self.probabilities, *self.shown, *self.evidence, *self.uncertain):
            if label not in BEHAVIORS:
                raise InputError("behavior", label, ", ".join(BEHAVIORS))
        for name in (*self.judged, *self.suppressed):
            if name not in WATCHED:
                raise InputError("behavior", name, ", ".join(WATCHED))

    @property
    def is_alarming(self) -> bool:
        """Whether somebody should look at it."""
        return shows_undesired(self.shown) if self.alarm is None else self.alarm

    @classmethod
    def of(cls, report: ResponseReport, asked: MonitorQuestion, model: object, origin: ResponseOrigin) -> ScoredResponse:
        """The response that the monitor was asked about, with what it reports of it."""
        behaviors, relations, dialogue = report.behaviors or Behaviors(), report.relations, dialogue_of(asked)
        known = asked if isinstance(asked, RelationQuestion) and relations is not None and relations.alarm else None
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
            alarm=None if relations is None else relations.alarm,
            faults=() if relations is None else tuple(Fault.of(each) for each in relations.findings if each.label in FAULTS),
            uncertain=report.uncertain,
            setting=None if relations is None else relations.setting,
            documents=() if known is None else known.documents,
            facts=() if known is None else known.facts,
            policy=() if known is None else known.policy,
            user_frustration=Frustration.of(relations),
        )

    def to_json(self) -> str:
        """One line of JSON. The default tenant is not named, nor is what was not found: it reads as it always did."""
        values = asdict(self)
        if self.tenant == DEFAULT_TENANT:
            del values["tenant"]
        for name in ("suppressed", "uncertain", "traceparent", "setting", "user_frustration", *_KNOWN):
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
            for name in ("suppressed", "uncertain", *_KNOWN):
                values[name] = tuple(values.get(name, ()))
            values["faults"] = tuple(Fault.from_values(fault) for fault in values.get("faults", ()))
            if (told := values.get("user_frustration")) is not None:
                values["user_frustration"] = Frustration.from_values(told)
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
