"""Logs as JSON lines on stderr, without texts of turns."""

from __future__ import annotations

import json
import logging
import sys
from datetime import datetime, timezone

_STANDARD = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "taskName", "color_message"})


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


def log_json_lines(level: int = logging.INFO) -> None:
    """From now on all logs of the process are JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # At INFO it tells every URL that is asked, and Rasa's server takes its token in the URL.
    logging.getLogger("httpx").setLevel(logging.WARNING)
