"""Our REST service in its own process, for measuring from outside."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping

from grice.benchmarks.speed.server_process import ServerProcess
from grice.middleware.settings import PREFIX

START = "import sys; from grice.middleware.cli import main; sys.exit(main())"
ADDRESS = re.compile(r"http://[\w.\-]+:\d+")


class RestService(ServerProcess):
    """`grice serve`.

    Args:
        settings: its environment variables (`GRICE_BATCH_SIZE`, …). Ours do not reach it: the figures are those of the
            defaults.
        port: where it listens; 0: on a free port.
    """

    def __init__(self, settings: Mapping[str, str], port: int = 0) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        super().__init__(
            "the REST service",
            [sys.executable, "-c", START, "serve", "--port", str(port)],
            {**inherited, "PYTHONUNBUFFERED": "1", **settings},
            "/health/ready",
        )

    def find_address(self, said: str) -> str | None:
        """The first address that it printed."""
        found = ADDRESS.search(said)
        return found.group() if found else None
