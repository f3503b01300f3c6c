"""The proxy as an application: chat completions by way of Grice, all else untouched."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
from fastapi import FastAPI
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Match, Route
from starlette.types import Scope

from grice.middleware.alerts import AlertSettings
from grice.middleware.gateways.proxy.refusals import OWN_HEADERS, Refusals
from grice.middleware.gateways.proxy.reply import ReplyReader
from grice.middleware.gateways.proxy.request import ProxiedRequest, RequestRewriter
from grice.middleware.gateways.proxy.scoring import ReplyScorer
from grice.middleware.gateways.proxy.settings import ProxySettings
from grice.middleware.gateways.proxy.upstream import AZURE_KEY, Upstream, answer_headers
from grice.middleware.service.engine import Engine
from grice.middleware.service.http.context import RequestContext
from grice.middleware.service.http.hosts import Hosts
from grice.middleware.service.http.keys import Access, address_of, key_of
from grice.middleware.service.http.problems import Problem, Refused
from grice.middleware.settings import ServiceSettings
from grice.middleware.stores import open_store
from grice.middleware.telemetry.requests import SPANS_ONLY
from grice.models.schema import BotSchema

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
CHAT = ("/v1/chat/completions", "/chat/completions")
"""Where chats are asked for; the second by clients whose base URL has no `/v1`."""
DEPLOYED = ("/openai/deployments/{deployment}/chat/completions", "/{base:path}/chat/completions", "/{base:path}/chat/completions/")
"""Where else: Azure's deployments, and whatever ends so, as with servers whose base URL is longer."""
SESSION = "x-grice-session"
"""The header in which a caller names its conversation."""
OWN = "/grice"
"""Where the proxy's own paths begin."""
NO_SCORES = Problem(
    404, "unknown-reply", "No scores are known of a reply of that id: it was not scored, or is not yet, or not any more."
)

log = logging.getLogger(__name__)


class NamedRoute(Route):
    """A route that log and metrics know requests by."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, found = super().matches(scope)
        return match, {**found, "route": self} if match is Match.FULL else found


class Proxy:
    """The proxy behind its routes."""

    def __init__(self, engine: Engine, access: Access, settings: ProxySettings, menu: BotSchema | None) -> None:
        self._engine = engine
        self._access = access
        self._settings = settings
        self._upstream = Upstream(settings)
        self._rewriter = RequestRewriter(settings, menu)
        self._scorer = ReplyScorer(settings)

    async def chat(self, request: Request) -> Response:
        """A chat completion."""
        engine = await self._admit(request)
        given = await self._rewriter.prepare(engine, await self._body(request), request.headers.get(SESSION, ""))
        given = replace(given, model=given.model or request.path_params.get("deployment", ""))
        if self._settings.hold != "never":
            return await self._answer_held(request, engine, given)
        response = await self._upstream.send(request, given.body)
        return self._stream(response, engine, given)

    async def pass_on(self, request: Request) -> Response:
        """Anything else."""
        await self._admit(request)
        response = await self._upstream.send(request, await self._body(request))
        return self._stream(response)

    async def scores(self, request: Request) -> Response:
        """The scores of a reply, by its id."""
        engine = await self._admit(request)
        found = self._scorer.find(engine, request.path_params["reply_id"])
        if found is None:
            raise Refused(NO_SCORES)
        return JSONResponse({"id": request.path_params["reply_id"], **found.as_dict()}, headers=OWN_HEADERS)

    async def metrics(self, request: Request) -> Response:
        """For Prometheus."""
        return Response(await self._engine.metrics.text(), media_type=CONTENT_TYPE_LATEST, headers=OWN_HEADERS)

    async def close(self) -> None:
        """Score what waits, then give connections back."""
        await self._scorer.close()
        await self._upstream.close()

    async def _admit(self, request: Request) -> Engine:
        """The engine as the caller sees it. Its key comes in `x-grice-key`; as the server's own only where that does not go on."""
        instead = (key_of(request.headers), request.headers.get(AZURE_KEY, "")) if self._settings.upstream_key else ()
        given = (request.headers.get("x-grice-key", ""), *instead)
        request.state.caller = await self._access.admit(given, address_of(request.scope), ("turns",))
        return self._engine.of(request.state.caller)

    async def _body(self, request: Request) -> bytes:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > self._settings.max_request_bytes:
                most = self._settings.max_request_bytes
                raise Refused(Problem(413, "body-too-large", f"The body is larger than {most} bytes (GRICE_MAX_REQUEST_BYTES)."))
        return bytes(body)

    def _stream(self, response: httpx.Response, engine: Engine | None = None, given: ProxiedRequest | None = None) -> Response:
        """The answer as it comes, part by part; a chat completion is scored when all of it has gone out."""
        reader = ReplyReader(response.headers.get("content-type", "")) if given is not None and response.is_success else None

        async def parts() -> AsyncIterator[bytes]:
            try:
                async for part in response.aiter_raw():
                    if reader is not None:
                        reader.add(part)
                    yield part
            finally:
                await response.aclose()
            if reader is not None and engine is not None and given is not None:
                self._scorer.score_later(engine, given, reader.read())

        answer = StreamingResponse(parts(), response.status_code)
        answer.raw_headers = answer_headers(response, {} if given is None else given.headers)
        return answer

    async def _answer_held(self, request: Request, engine: Engine, given: ProxiedRequest) -> Response:
        """The answer once it is scored; one that is alarming is made anew where the settings say so."""
        response, body = await self._whole(request, given)
        more: dict[str, str] = dict(given.headers)
        if response.is_success:
            scores = await self._scorer.score_now(engine, given, _read(response, body))
            if scores is not None and scores.alarming and self._settings.hold == "regenerate":
                again = await self._again(request, given)
                if again is not None:
                    response, body = again
                    scores = await self._scorer.score_now(engine, given, _read(response, body))
                    more["x-grice-regenerated"] = "1"
            more.update({} if scores is None else scores.headers())
        answer = Response(body, response.status_code)
        answer.raw_headers = answer_headers(response, more)
        return answer

    async def _again(self, request: Request, given: ProxiedRequest) -> tuple[httpx.Response, bytes] | None:
        """Another answer; None where there is none: the caller gets the one that there is."""
        try:
            response, body = await self._whole(request, given)
        except httpx.HTTPError as error:
            log.warning("a reply could not be made anew", extra={"error": type(error).__name__})
            return None
        return (response, body) if response.is_success else None

    async def _whole(self, request: Request, given: ProxiedRequest) -> tuple[httpx.Response, bytes]:
        response = await self._upstream.send(request, given.body)
        try:
            return response, b"".join([part async for part in response.aiter_raw()])
        finally:
            await response.aclose()


def create_proxy(
    models: Mapping[str, Any], settings: ProxySettings, service: ServiceSettings | None = None, alerts: AlertSettings | None = None
) -> FastAPI:
    """The proxy as an ASGI application.

    Args:
        models: as in `create_app`; `turns`, and `responses` where replies are to be scored.
        service: where it listens, keys, queues, store.

    Raises:
        SettingsError: the upstream is not given, or as in `create_app`.
        DataNotFound, DataCorrupt, InputError: the menu cannot be read.
    """
    settings.require_upstream()
    menu = settings.read_menu()
    chosen = service or ServiceSettings()
    engine = Engine(models, open_store(chosen), chosen, alerts)
    access = Access(chosen, engine.quotas)
    proxy = Proxy(engine, access, settings, menu)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        engine.start()
        yield
        await proxy.close()
        await engine.close()

    telemetry: Any = {**SPANS_ONLY, "exclude": _has_no_span}
    app = FastAPI(title="Grice proxy", lifespan=lifespan, openapi_url=None, redirect_slashes=False, telemetry=telemetry)
    app.state.engine, app.state.access = engine, access
    app.router.routes += [
        NamedRoute(f"{OWN}/live", _live, methods=["GET"]),
        NamedRoute(f"{OWN}/metrics", proxy.metrics, methods=["GET"]),
        NamedRoute(f"{OWN}/scores/{{reply_id:path}}", proxy.scores, methods=["GET"]),
        *(NamedRoute(path, proxy.chat, methods=["POST"]) for path in (*CHAT, *DEPLOYED)),
        NamedRoute("/{path:path}", proxy.pass_on, methods=METHODS),
    ]
    app.add_middleware(Hosts, settings=chosen)
    app.add_middleware(Refusals)
    app.add_middleware(RequestContext, metrics=engine.metrics, own_headers=False)
    return app


def _has_no_span(scope: MutableMapping[str, Any]) -> bool:
    """All but plain chats: other paths and queries are the callers' and may hold names and keys."""
    return scope.get("path") not in CHAT or bool(scope.get("query_string"))


async def _live(_: Request) -> Response:
    return JSONResponse({"status": "live"}, headers=OWN_HEADERS)


def _read(response: httpx.Response, body: bytes) -> Any:
    reader = ReplyReader(response.headers.get("content-type", ""))
    reader.add(body)
    return reader.read()
