"""A chat request on its way to the server: the last user turn said anew, and earlier ones as they went out before.

A client sends the whole conversation each time, with the turns as its user said them. Providers charge less for a beginning that
they have seen, so a turn that was sent rewritten once is sent so again: rewrites are remembered by a hash of all said so far.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.concurrency import run_in_threadpool

from grice.middleware.gateways.check import CheckedCall, GatewayPolicy, check
from grice.middleware.gateways.proxy.bounded import Newest
from grice.middleware.gateways.proxy.settings import ProxySettings
from grice.middleware.gateways.rows import Row, digests_of, may_change, said_anew
from grice.middleware.schemas import schema_of_tools
from grice.middleware.service.engine import Engine
from grice.middleware.settings import Mode
from grice.models.errors import InputError
from grice.models.schema import BotSchema

MUCH = 65_536
"""Bytes of a body from which on it is read off the event loop."""
NOTE = "Note on the user's last message. It means: {rewrite}"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ProxiedRequest:
    """A request as it goes on.

    Attributes:
        body: what is sent; the very bytes that came where nothing changed.
        rows: the messages as they came; none where they could not be read.
        model: which is asked.
        headers: what the caller is told.
        session: what the caller calls the conversation; "": nothing.
    """

    body: bytes
    rows: Sequence[Row] = ()
    model: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    session: str = ""


class RequestRewriter:
    """Prepares requests. Whatever fails, or takes longer than the budget, the request goes on as it came.

    Args:
        menu: what the bot can understand; None: nobody says.
    """

    def __init__(self, settings: ProxySettings, menu: BotSchema | None = None) -> None:
        self._settings = settings
        self._rewrites: Newest[str] = Newest(settings.rewrites_kept)
        self._mode: Mode = "replace" if settings.delivery == "replace" else "append"
        self._policy = GatewayPolicy(self._mode, settings.longest_turn, menu=menu)

    async def prepare(self, engine: Engine, body: bytes, session: str = "") -> ProxiedRequest:
        """The request with the last user turn said anew, where the pipeline decides so."""
        return replace(await self._prepare(engine, body), session=session)

    async def _prepare(self, engine: Engine, body: bytes) -> ProxiedRequest:
        try:
            data = await run_in_threadpool(json.loads, body) if len(body) > MUCH else json.loads(body)
            rows = data["messages"]
            digests = dict(digests_of(rows, engine.key.tenant))
            earlier = self._repeat(rows, digests)
        except Exception as error:  # noqa: BLE001 - the server says what is wrong with it
            log.info("a request cannot be read, it goes on as it came", extra={"error": type(error).__name__})
            return ProxiedRequest(body, headers={"x-grice-decision": "pass", "x-grice-reason": "unread"})
        given = ProxiedRequest(body, rows, str(data.get("model", "")))
        last = len(rows) - 1
        found = await self._check(engine, data, digests.get(last, ""))
        repeated = {place: row for place, row in earlier.items() if place != last}
        headers = _headers(found, len(repeated))
        if found.action != "rewritten" and not repeated:
            return replace(given, headers=headers)
        sent = [repeated.get(place, row) for place, row in enumerate(rows)]
        if found.action == "rewritten":
            sent = self._deliver(sent, found)
        try:
            anew = json.dumps({**data, "messages": sent}, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, RecursionError) as error:  # half a character, or a number beyond floats: JSON may hold them
            log.info("a request cannot be written anew, it goes on as it came", extra={"error": type(error).__name__})
            return replace(given, headers=_headers(CheckedCall("none", rows, reason="failed"), 0))
        if found.action == "rewritten" and self._settings.delivery != "note":
            self._rewrites.keep(digests[last], found.rewrite)
        return replace(given, body=anew, headers=headers)

    async def _check(self, engine: Engine, data: Mapping[str, Any], digest: str) -> CheckedCall:
        rows: Sequence[Row] = data["messages"]
        known = self._rewrites.find(digest)
        if known is not None and may_change(rows[-1]):  # sent again, after a failure for instance
            return CheckedCall("rewritten", rows, reason="remembered", rewrite=known)
        try:
            return await asyncio.wait_for(self._check_turn(engine, data), self._settings.budget_ms / 1000)
        except asyncio.TimeoutError:
            return CheckedCall("none", rows, reason="late")
        except Exception as error:  # noqa: BLE001 - the caller's own call goes on
            log.warning("a turn could not be checked, it goes on as it came", extra={"error": type(error).__name__})
            return CheckedCall("none", rows, reason="failed")

    async def _check_turn(self, engine: Engine, data: Mapping[str, Any]) -> CheckedCall:
        policy, tools = self._policy, data.get("tools") or data.get("functions")
        if self._settings.tools_as_menu and tools:
            try:
                policy = replace(policy, menu=await run_in_threadpool(schema_of_tools, tools))
            except InputError:  # such as tools that the provider runs by itself
                log.info("the tools of a request are no menu")
        return await check(engine, data["messages"], None, policy)

    def _repeat(self, rows: Sequence[Row], digests: Mapping[int, str]) -> dict[int, Row]:
        """The rows of user turns that went out rewritten before, as they did."""
        found = {place: self._rewrites.find(digest) for place, digest in digests.items()}
        return {
            place: said_anew(rows[place], rewrite, self._mode)
            for place, rewrite in found.items()
            if rewrite is not None and may_change(rows[place])
        }

    def _deliver(self, sent: Sequence[Row], found: CheckedCall) -> list[Row]:
        if self._settings.delivery == "note":
            return [*sent, {"role": "system", "content": NOTE.format(rewrite=found.rewrite)}]
        return [*sent[:-1], said_anew(sent[-1], found.rewrite, self._mode)]


def _headers(found: CheckedCall, repeated: int) -> dict[str, str]:
    decision = "rewrite" if found.action == "rewritten" else ("clarify" if found.reason == "clarify" else "pass")
    directness = found.scores.get("directness")
    scored = {} if directness is None else {"x-grice-directness": f"{directness:.3f}"}
    return {"x-grice-decision": decision, "x-grice-reason": found.reason, "x-grice-repeated": str(repeated), **scored}
