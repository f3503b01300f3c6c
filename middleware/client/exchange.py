"""One HTTP request under way."""

from __future__ import annotations

import contextlib
import socket
from typing import Any


class Exchange:
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
