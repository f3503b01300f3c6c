"""What is told when a rate needs somebody's attention, and when it no longer does."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.monitor.reports import CountedLabel
from grice.models.errors import InputError, shorten

SCHEMA_VERSION = 1

AlertState = Literal["firing", "resolved"]


@dataclass(frozen=True)
class QuotedResponse:
    """A response that shows the behaviour of an alert.

    Attributes:
        event_id, dialogue_id: its names; the dialogue's may be "".
        text: what the bot said.
        evidence: the earlier turn that it is about, where the behaviour is about one; of `user_frustration` the user's turn; ""
            elsewhere.
        link: to the dialogue on the page; "": none is known.
        words: those of `text` that are wrong, as the reader of relations marks them; "": it marks none.
        about: what they clash with: words of an earlier turn or of a document; "": it names none.
    """

    event_id: str
    dialogue_id: str
    text: str
    evidence: str = ""
    link: str = ""
    words: str = ""
    about: str = ""


@dataclass(frozen=True)
class Alert:
    """A rule began to fire for a behaviour, or it is over.

    Attributes:
        id: the same for `firing` and the `resolved` that ends it, and of no other alert.
        state: `firing` or `resolved`.
        rule, kind: the rule's name and kind.
        behavior: one of `BEHAVIORS`, or `alarm` or `user_frustration` of a rule about these.
        bot_version, channel: None where the rule does not tell them apart.
        window_s: seconds that `shown` and `scored` are counted over.
        shown, scored: responses that showed the behaviour, raised an alarm or came after frustration, and those of which that is
            known.
        share: shown of scored, 0 to 1; None where nothing was scored any more.
        limit: the share that the rule allows.
        baseline: the share before the window, where the rule compares the two.
        since: when it began to fire, in Unix seconds.
        at: when this was found, in Unix seconds.
        schema_version: version of this shape.
        tenant: whose responses.
        examples: the newest responses that show it, where they are to be quoted.
    """

    id: str
    state: AlertState
    rule: str
    kind: str
    behavior: CountedLabel
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
    examples: tuple[QuotedResponse, ...] = ()

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

    def to_json(self, page_url: str = "") -> str:
        """One line of JSON: the attributes, and `summary`. The default tenant is not named, nor are examples where none are.

        Args:
            page_url: where people find the page; with it `link` leads to this alert there. Empty: there is no `link`.
        """
        values = {**asdict(self), "summary": self.summary}
        if self.tenant == DEFAULT_TENANT:
            del values["tenant"]
        if not self.examples:
            del values["examples"]
        if page_url:
            values["link"] = self.link(page_url)
        return json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str | bytes) -> Alert:
        """The alert that `to_json` wrote.

        Raises:
            InputError: not such JSON.
        """
        try:
            values: dict[str, Any] = json.loads(line)
            known = {name: value for name, value in values.items() if name not in ("summary", "link", "examples")}
            return cls(**known, examples=tuple(QuotedResponse(**each) for each in values.get("examples", ())))
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError("alert", shorten(line), "a JSON object as `Alert.to_json` writes it") from error

    def link(self, page_url: str) -> str:
        """The address that shows this alert on the page: the operations of its window, bot version and channel."""
        named = {"window": self.window_s, "bot_version": self.bot_version, "channel": self.channel, "alert": self.id}
        asked = urlencode({name: value for name, value in named.items() if value is not None})
        return f"{page_url.rstrip('/')}/#/operations?{asked}"
