"""HTTP requests over connections that are kept open and that a waiting caller can cut."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from grice.models.errors import MissingExtra, ServiceError

try:
    import urllib3
    from urllib3.exceptions import HTTPError, ProtocolError
except ImportError as error:
    raise MissingExtra("urllib3", "rasa") from error

MAX_ANSWER_BYTES = 8_000_000

_thread = threading.local()


class CuttableRequest:
    """One request under way. `cut` may be called from another thread, so that the one that reads does not wait for ever."""

    def __init__(self) -> None:
        self.is_cut = False
        self._connection: Any = None

    def cut(self) -> None:
        """End it: whoever reads from the connection gets an error at once."""
        self.is_cut = True
        with contextlib.suppress(AttributeError, OSError):  # not connected yet, or closed already
            self._connection.sock.shutdown(socket.SHUT_RDWR)

    def uses(self, connection: object) -> None:
        """From now on `connection` is what has to be cut."""
        self._connection = connection
        if self.is_cut:
            raise OSError("given up before it was sent")


class Connections:
    """Kept-open connections to one service.

    Args:
        url: as in `RemoteSettings`.
        headers: sent with every request.
        size: connections that are kept open.
    """

    def __init__(self, url: str, headers: Mapping[str, str], size: int) -> None:
        parts = urlsplit(url)
        checked: dict[str, Any] = {"cert_reqs": "CERT_REQUIRED"} if parts.scheme == "https" else {}
        self._path = parts.path.rstrip("/")
        self._headers = dict(headers)
        self._pool = urllib3.connection_from_url(f"{parts.scheme}://{parts.netloc}", maxsize=size, block=False, **checked)
        self._pool.ConnectionCls = type("Connection", (_Known, self._pool.ConnectionCls), {})

    def begin(self) -> CuttableRequest:
        """A request that can be cut."""
        return CuttableRequest()

    def request(self, exchange: CuttableRequest, method: str, path: str, body: bytes | None, timeout_s: float) -> tuple[int, bytes]:
        """Status and body of the answer. `timeout_s` bounds connecting and each wait for data; `exchange.cut` bounds the whole.

        A connection that the other side closed while it was idle is replaced: the request is sent once more.

        Raises:
            ServiceError: there is no answer, or it is too large.
        """
        _thread.exchange = exchange
        try:
            try:
                return self._once(method, path, body, timeout_s)
            except ProtocolError:
                if exchange.is_cut:
                    raise
                return self._once(method, path, body, timeout_s)
        except (HTTPError, OSError, ValueError) as error:
            raise ServiceError(f"{method} {self._pool.host}:{self._pool.port}{path} failed: {_reason(error)}") from error

    def _once(self, method: str, path: str, body: bytes | None, timeout_s: float) -> tuple[int, bytes]:
        response = self._pool.urlopen(
            method,
            self._path + path,
            body=body,
            headers=self._headers,
            retries=False,
            redirect=False,
            timeout=urllib3.Timeout(connect=timeout_s, read=timeout_s),
            preload_content=False,
        )
        data = response.read(MAX_ANSWER_BYTES + 1)
        if len(data) > MAX_ANSWER_BYTES:
            response.close()
            raise ServiceError(f"{method} {path} answered more than {MAX_ANSWER_BYTES} bytes")
        response.release_conn()
        return response.status, data


class _Known:
    """Mixed into a connection: tells the exchange of its thread which connection it uses."""

    def request(self, *args: Any, **kwargs: Any) -> Any:
        _thread.exchange.uses(self)
        return super().request(*args, **kwargs)  # type: ignore[misc]


def _reason(error: Exception) -> str:
    """The class of what went wrong at the bottom, which says more than urllib3's wrapping of it."""
    cause: BaseException = error
    while (deeper := cause.__cause__ or cause.__context__) is not None:
        cause = deeper
    names = dict.fromkeys((type(error).__name__, type(cause).__name__))
    return " from ".join(names)
