"""The newest responses that show a behaviour, so that an alert can quote them."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from urllib.parse import quote

from grice.middleware.alerts.alert import Alert, QuotedResponse
from grice.middleware.monitor.reports import ALARM, CountedLabel
from grice.middleware.monitor.scored_response import ScoredResponse
from grice.models.relations.labels import FRUSTRATION

KEPT = 50
"""Responses of a tenant and a behaviour that are kept: those of an alert's bot version and channel are looked for among them."""
MOST_KEYS = 5000
"""Pairs of tenant and behaviour; the one unused longest goes first."""


class QuotedResponses:
    """Keeps responses and finds those that an alert is about. May be used from any thread.

    It knows what this process has seen.

    Args:
        quoted: so many in an alert; 0: nothing is kept.
        page_url: where people find the page, which shows the dialogue of each; "": there are no links.
    """

    def __init__(self, quoted: int, page_url: str = "") -> None:
        self._quoted = quoted
        self._page_url = page_url
        self._kept: OrderedDict[tuple[str, CountedLabel], deque[ScoredResponse]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, response: ScoredResponse) -> None:
        """Keep it for each behaviour that it shows, for the alarm that it raises, and where the user was frustrated before it."""
        if not self._quoted:
            return
        with self._lock:
            for label in _labels(response):
                self._kept.setdefault((response.tenant, label), deque(maxlen=KEPT)).append(response)
                self._kept.move_to_end((response.tenant, label))
            while len(self._kept) > MOST_KEYS:
                self._kept.popitem(last=False)

    def of(self, alert: Alert) -> tuple[QuotedResponse, ...]:
        """The newest that show the alert's behaviour within its window, the newest first; none of an alert that is over."""
        if alert.state != "firing" or not self._quoted:
            return ()
        with self._lock:
            kept = list(self._kept.get((alert.tenant, alert.behavior), ()))
        return tuple(self._examples(alert, kept))[: self._quoted]

    def _examples(self, alert: Alert, kept: list[ScoredResponse]) -> Iterator[QuotedResponse]:
        for each in reversed(kept):
            fits = all(
                wanted in (None, got) for wanted, got in ((alert.bot_version, each.bot_version), (alert.channel, each.channel))
            )
            if fits and each.scored_at >= alert.at - alert.window_s:
                evidence, spans = _evidence(each, alert.behavior), _spans(each, alert.behavior)
                yield QuotedResponse(each.event_id, each.dialogue_id, each.text, evidence, self._link_of(each), *spans)

    def _link_of(self, response: ScoredResponse) -> str:
        if not self._page_url or not response.dialogue_id:
            return ""
        return f"{self._page_url.rstrip('/')}/#/inspector/dialogue/{quote(response.dialogue_id, safe='')}"


def _labels(response: ScoredResponse) -> Iterator[CountedLabel]:
    yield from response.shown
    if response.alarm:
        yield ALARM
    if response.user_frustration is not None and response.user_frustration.shown:
        yield FRUSTRATION


def _evidence(response: ScoredResponse, label: CountedLabel) -> str:
    if label == FRUSTRATION:
        return response.user_frustration.words if response.user_frustration else ""
    return "" if label == ALARM else response.evidence.get(label, "")


def _spans(response: ScoredResponse, label: CountedLabel) -> tuple[str, str]:
    """The response's words that are wrong, and what they clash with, by the likeliest fault of the label; "" where unknown."""
    return next(((fault.words, fault.about) for fault in response.faults if label in (fault.label, ALARM)), ("", ""))
