"""The client for programs that wait."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from grice.middleware.client.rest.call import OK, Patience, ServiceAnswer, ServiceCall, Tries, headers_of, load_httpx
from grice.middleware.client.rest.live import EventReader, LiveEvent
from grice.middleware.client.rest.operations import FEEDBACK, METRICS, Operations, live_call, live_request
from grice.models.errors import ServiceError


class Client(Operations[dict[str, Any]]):
    """The REST service. Making one does not connect; close it, or use it in a `with` block.

        with Client("http://127.0.0.1:8300") as grice:
            grice.analyse_turns([{"role": "user", "content": "It is cold in here."}])["text"]

    Args:
        url: where the service is.
        api_key: sent as a bearer token; empty: none is sent.
        patience: deadline and tries of a call.
        http: an `httpx.Client` of your own, for proxies or certificates; default: one of ours.

    Raises:
        MissingExtra: httpx is not installed.
    """

    def __init__(self, url: str, api_key: str = "", patience: Patience | None = None, http: Any = None) -> None:
        self._httpx = load_httpx()
        self.patience = patience or Patience()
        self._http = http or self._httpx.Client()
        self._http.base_url = url
        self._http.headers.update(headers_of(api_key))

    def within(self, deadline_s: float, retries: int = 3) -> Client:
        """The same, on the same connections, with another deadline: `client.within(0.2).analyse_turns(…)`."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, patience=Patience(deadline_s, retries))
        return other

    def send(self, call: ServiceCall) -> dict[str, Any]:
        return self._answer(call).read(call)

    def metrics(self) -> str:
        """The metrics, as Prometheus reads them."""
        return self._answer(METRICS).text()

    def export_feedback(self) -> str:
        """The judged alarms, as `grice calibrate monitor --log` reads them."""
        return self._answer(FEEDBACK).text()

    def watch_live(
        self, window_s: int | None = None, bot_version: str | None = None, channel: str | None = None, after: str = ""
    ) -> Iterator[LiveEvent]:
        """Rates and alarming responses, as they come; ends when the service ends it. The patience is for its beginning.

        Args:
            after: the place of an alarm; only later ones follow.

        Raises:
            DeadlineExceeded, RequestRefused: as every method. ServiceError: it cannot be reached, or the stream breaks.
        """
        call, reader = live_call(window_s, bot_version, channel), EventReader()
        request, tries = live_request(call, after), Tries(call, self.patience)
        while True:
            try:
                timeout = self._httpx.Timeout(tries.timeout_s(), read=None)
                with self._http.stream(**request, timeout=timeout) as response:
                    if response.status_code == OK:
                        yield from filter(None, map(reader.read, response.iter_lines()))
                        return
                    answer = ServiceAnswer(response.status_code, response.headers, response.read())
            except self._httpx.TransportError as error:
                raise ServiceError(f"{call.path} failed: {type(error).__name__}") from error
            wait_s = tries.wait_after(answer)
            if wait_s is None:
                raise answer.problem(call)
            time.sleep(wait_s)

    def close(self) -> None:
        """Give connections back."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, call: ServiceCall) -> ServiceAnswer:
        tries = Tries(call, self.patience)
        while True:
            try:
                answer = self._once(tries)
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
            time.sleep(wait_s)

    def _once(self, tries: Tries) -> ServiceAnswer:
        with self._http.stream(**tries.request(), timeout=tries.timeout_s()) as response:
            body = bytearray()
            for part in response.iter_bytes():  # a body that drips would outlast time-outs of single reads
                tries.timeout_s()
                body += part
            return ServiceAnswer(response.status_code, response.headers, bytes(body))
