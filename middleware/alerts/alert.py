"""What is told when a rate needs somebody's attention, and when it no longer does."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

from grice.middleware.access import DEFAULT_TENANT
from grice.models.results import Behavior

SCHEMA_VERSION = 1

AlertState = Literal["firing", "resolved"]


@dataclass(frozen=True)
class Alert:
    """A rule began to fire for a behaviour, or it is over.

    Attributes:
        id: the same for `firing` and the `resolved` that ends it, and of no other alert.
        state: `firing` or `resolved`.
        rule, kind: the rule's name and kind.
        behavior: one of `BEHAVIORS`.
        bot_version, channel: None where the rule does not tell them apart.
        window_s: seconds that `shown` and `scored` are counted over.
        shown, scored: responses that showed the behaviour, and those of which it is known.
        share: shown of scored, 0 to 1; None where nothing was scored any more.
        limit: the share that the rule allows.
        baseline: the share before the window, where the rule compares the two.
        since: when it began to fire, in Unix seconds.
        at: when this was found, in Unix seconds.
        schema_version: version of this shape.
        tenant: whose responses.
    """

    id: str
    state: AlertState
    rule: str
    kind: str
    behavior: Behavior
    bot_version: str | None
    channel: str | None
    window_s: int
    shown: int
    scored: int
    share: float | None
    limit: float | None
    baseline: float | None
    since: float
    at: float
    schema_version: int = SCHEMA_VERSION
    tenant: str = DEFAULT_TENANT

    @property
    def summary(self) -> str:
        """One sentence for people."""
        named = [("bot version", self.bot_version), ("channel", self.channel)]
        if self.tenant != DEFAULT_TENANT:
            named.insert(0, ("tenant", self.tenant))
        where = "".join(f", {what} {name}" for what, name in named if name is not None)
        minutes = f"the last {self.window_s / 60:g} minutes"
        if self.share is None:
            return f"{self.rule}: {self.behavior} is {self.state}{where}: no response was scored in {minutes}"
        limit = "" if self.limit is None else f"; the limit is {self.limit:.1%}"
        before = "" if self.baseline is None else f", it was {self.baseline:.1%} before"
        found = f"in {self.share:.1%} of {self.scored} responses of {minutes}"
        return f"{self.rule}: {self.behavior} is {self.state}{where}: {found}{limit}{before}"

    def to_json(self) -> str:
        """One line of JSON: the attributes, and `summary`. The default tenant is not named, so that it reads as it always did."""
        values = {**asdict(self), "summary": self.summary}
        if self.tenant == DEFAULT_TENANT:
            del values["tenant"]
        return json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
