"""The client for programs with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from grice.middleware.client.rest.call import OK, Patience, ServiceAnswer, ServiceCall, Tries, headers_of, load_httpx
from grice.middleware.client.rest.live import EventReader, LiveEvent
from grice.middleware.client.rest.operations import FEEDBACK, METRICS, Operations, live_call, live_request
from grice.models.errors import ServiceError


class AsyncClient(Operations[Coroutine[Any, Any, dict[str, Any]]]):
    """As `Client`; what its methods give is awaited.

        async with AsyncClient("http://127.0.0.1:8300") as grice:
            (await grice.analyse_turns([{"role": "user", "content": "It is cold in here."}]))["text"]

    Args:
        url, api_key, patience: as in `Client`.
        http: an `httpx.AsyncClient` of your own; default: one of ours.

    Raises:
        MissingExtra: httpx is not installed.
    """

    def __init__(self, url: str, api_key: str = "", patience: Patience | None = None, http: Any = None) -> None:
        self._httpx = load_httpx()
        self.patience = patience or Patience()
        self._http = http or self._httpx.AsyncClient()
        self._http.base_url = url
        self._http.headers.update(headers_of(api_key))

    def within(self, deadline_s: float, retries: int = 3) -> AsyncClient:
        """As `Client.within`."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, patience=Patience(deadline_s, retries))
        return other

    async def send(self, call: ServiceCall) -> dict[str, Any]:
        return (await self._answer(call)).read(call)

    async def metrics(self) -> str:
        """The metrics, as Prometheus reads them."""
        return (await self._answer(METRICS)).text()

    async def export_feedback(self) -> str:
        """The judged alarms, as `grice calibrate monitor --log` reads them."""
        return (await self._answer(FEEDBACK)).text()

    async def watch_live(
        self, window_s: int | None = None, bot_version: str | None = None, channel: str | None = None, after: str = ""
    ) -> AsyncIterator[LiveEvent]:
        """As `Client.watch_live`, for `async for`."""
        call, reader = live_call(window_s, bot_version, channel), EventReader()
        request, tries = live_request(call, after), Tries(call, self.patience)
        while True:
            try:
                timeout = self._httpx.Timeout(tries.timeout_s(), read=None)
                async with self._http.stream(**request, timeout=timeout) as response:
                    if response.status_code == OK:
                        async for line in response.aiter_lines():
                            event = reader.read(line)
                            if event is not None:
                                yield event
                        return
                    answer = ServiceAnswer(response.status_code, response.headers, await response.aread())
            except self._httpx.TransportError as error:
                raise ServiceError(f"{call.path} failed: {type(error).__name__}") from error
            wait_s = tries.wait_after(answer)
            if wait_s is None:
                raise answer.problem(call)
            await asyncio.sleep(wait_s)

    async def close(self) -> None:
        """Give connections back."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _answer(self, call: ServiceCall) -> ServiceAnswer:
        tries = Tries(call, self.patience)
        while True:
            try:
                answer = await asyncio.wait_for(self._once(tries), tries.timeout_s())
            except asyncio.TimeoutError:  # not the built-in one on Python 3.10
                raise tries.late() from None
            except self._httpx.TransportError as error:
                wait_s = tries.wait_after_error(arrived=not isinstance(error, self._httpx.ConnectError))
                if wait_s is None:
                    late = isinstance(error, self._httpx.TimeoutException)
                    raise tries.late() if late else ServiceError(f"{call.path} failed: {type(error).__name__}") from error
            else:
                wait_s = tries.wait_after(answer)
                if wait_s is None:
                    if answer.is_good:
                        return answer
                    raise answer.problem(call)
            await asyncio.sleep(wait_s)

    async def _once(self, tries: Tries) -> ServiceAnswer:
        response = await self._http.request(**tries.request(), timeout=tries.timeout_s())
        return ServiceAnswer(response.status_code, response.headers, response.content)
