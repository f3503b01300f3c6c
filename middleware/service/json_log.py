"""Logs as JSON lines on stderr, without texts of turns."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timezone

_STANDARD = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "taskName", "color_message"})

PAUSE_S = 60.0
"""Seconds between two lines of one cause."""
LONGEST_CAUSE = 80
"""Characters of a message by which causes are told apart."""
MOST_CAUSES = 1000
"""Causes that are remembered."""


class JsonLines(logging.Formatter):
    """One JSON object a record: time, level, logger, message, and its `extra` fields. An exception is told by its class only."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _STANDARD},
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, default=str)


class Thinned(logging.Filter):
    """Lets one warning or error a minute and cause through, so that nobody can fill a disk by causing them.

    A cause is a place in the program with its message, before values are put in, and the record's `cause`, `error` and `at`. The
    next line of a cause says how many were left out, as `left_out`.

    Args:
        clock: seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._told: OrderedDict[tuple[object, ...], tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        first = str(record.msg).partition("\n")[0][:LONGEST_CAUSE]
        told = (getattr(record, name, None) for name in ("cause", "error", "at"))
        cause = (record.name, record.levelno, record.lineno, first, *told)
        since, left_out = self._told.get(cause, (-PAUSE_S, 0))
        if self._clock() - since < PAUSE_S:
            self._told[cause] = since, left_out + 1
            return False
        if left_out:
            record.left_out = left_out
        self._told[cause] = self._clock(), 0
        self._told.move_to_end(cause)
        if len(self._told) > MOST_CAUSES:
            self._told.popitem(last=False)
        return True


def log_json_lines(level: int = logging.INFO) -> None:
    """From now on all logs of the process are JSON lines; of warnings and errors one a minute and cause."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(Thinned())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # At INFO it tells every URL that is asked, and Rasa's server takes its token in the URL.
    logging.getLogger("httpx").setLevel(logging.WARNING)
