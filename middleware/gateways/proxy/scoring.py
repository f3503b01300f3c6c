"""Scores of replies: found after a reply went out, or before it where it is held back; asked for by the reply's id."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import Any

from grice.middleware.capabilities.responses import RESPONSES
from grice.middleware.events.event import MAX_NAME
from grice.middleware.gateways.check import CheckedCall, GatewayPolicy, check
from grice.middleware.gateways.proxy.bounded import Newest
from grice.middleware.gateways.proxy.reply import ChatReply
from grice.middleware.gateways.proxy.request import ProxiedRequest
from grice.middleware.gateways.proxy.settings import ProxySettings
from grice.middleware.service.engine import Engine
from grice.models.results import Behavior

CHANNEL = "proxy"
MOST_WAITING = 1000
"""Replies that wait for their scores after they went out; more are not scored."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReplyScores:
    """What a reply does.

    Attributes:
        scores: how likely it shows each behaviour, 0 to 1; None where it was not scored.
        shown: what it shows. alarming: whether somebody should look at it.
    """

    scores: dict[str, float | None]
    shown: tuple[Behavior, ...]
    alarming: bool

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"scores": self.scores, "shown": list(self.shown), "alarming": self.alarming}

    def headers(self) -> dict[str, str]:
        """For an answer that waited for them."""
        known = {label: round(score, 3) for label, score in self.scores.items() if score is not None}
        return {"x-grice-shown": " ".join(self.shown), "x-grice-scores": json.dumps(known, separators=(",", ":"))}


class ReplyScorer:
    """Scores replies. One that fails leaves no scores, and nothing else."""

    def __init__(self, settings: ProxySettings) -> None:
        self._hold_s = settings.hold_ms / 1000
        self._kept: Newest[ReplyScores] = Newest(settings.scores_kept)
        self._named: Newest[bool] = Newest(settings.scores_kept)
        self._tasks: set[asyncio.Task[ReplyScores | None]] = set()

    def score_later(self, engine: Engine, request: ProxiedRequest, reply: ChatReply | None) -> None:
        """Score a reply that went out."""
        if reply is None or not _is_scored(engine, reply) or len(self._tasks) >= MOST_WAITING:
            return
        task = asyncio.ensure_future(self._score(engine, request, reply))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def score_now(self, engine: Engine, request: ProxiedRequest, reply: ChatReply | None) -> ReplyScores | None:
        """The scores of a reply that waits; None where there are none in time."""
        if reply is None or not _is_scored(engine, reply):
            return None
        try:
            return await asyncio.wait_for(self._score(engine, request, reply), self._hold_s)
        except asyncio.TimeoutError:
            return None

    def find(self, engine: Engine, reply_id: str) -> ReplyScores | None:
        """The scores of the caller's reply of that id; None: it is not known, or not scored yet."""
        return self._kept.find(f"{engine.key.tenant}/{reply_id}")

    async def close(self) -> None:
        """Score what waits."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _score(self, engine: Engine, request: ProxiedRequest, reply: ChatReply) -> ReplyScores | None:
        policy = GatewayPolicy(
            channel=CHANNEL,
            bot_version=request.model[:MAX_NAME] or None,
            event_id=self._event_id(engine, reply),
            session=request.session,
        )
        try:
            found: CheckedCall = await check(engine, request.rows, reply.text, policy)
        except Exception as error:  # noqa: BLE001 - the reply is out, or goes out without scores
            log.warning("a reply could not be scored", extra={"error": type(error).__name__})
            return None
        if not found.scores:
            return None
        scores = ReplyScores(dict(found.scores), found.shown, found.alarming)
        if reply.id:
            self._kept.keep(f"{engine.key.tenant}/{reply.id}", scores)
        return scores

    def _event_id(self, engine: Engine, reply: ChatReply) -> str | None:
        """The completion's id; None where another reply had it: some servers draw it out of a thousand."""
        name = f"{engine.key.tenant}/{reply.id}"
        if self._named.find(name):
            return None
        self._named.keep(name, True)
        return reply.id


def _is_scored(engine: Engine, reply: ChatReply) -> bool:
    """Whether it says something, and there is a monitor."""
    return RESPONSES.name in engine.routes and bool(reply.text.strip())
