"""How long callers may take, and how many there may be, before anything of a request is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from grice.middleware.settings.declaration import check_settings, setting


@dataclass(frozen=True)
class ConnectionSettings:
    """What a connection may take.

    Attributes:
        max_connections: connections at a time, fewer where the process may not open that many files. Beyond it the one that has
            been idle longest makes room.
        head_timeout_s: seconds from the connection, or from the last answer on it, to the end of a request's headers.
        body_timeout_s: seconds from there to the end of the request's body.
        idle_timeout_s: seconds that a connection is kept after an answer while nothing comes.
        write_timeout_s: seconds that a caller may leave an answer, or a part of it, unread.
        drain_s: seconds after SIGTERM in which requests under way are answered; what is not by then is answered 503.
        drain_notice_s: seconds after SIGTERM in which new connections are still taken, so that a load balancer can see at
            `/health/ready` that the service stops.

    Raises:
        SettingsError: a value is out of range.
    """

    max_connections: int = setting(2000, 1, 1_000_000)
    head_timeout_s: float = setting(8.0, 0.1, 3600.0)
    body_timeout_s: float = setting(8.0, 0.1, 3600.0)
    idle_timeout_s: float = setting(5.0, 0.1, 3600.0)
    write_timeout_s: float = setting(5.0, 0.1, 3600.0)
    drain_s: float = setting(25.0, 0.0, 3600.0)
    drain_notice_s: float = setting(0.0, 0.0, 3600.0)

    def __post_init__(self) -> None:
        check_settings(self)
