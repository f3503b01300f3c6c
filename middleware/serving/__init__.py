"""Serves ASGI applications, on uvicorn, to callers of whom some are slow, stuck or hostile.

The way of a connection: `listener` takes it if there is room, `connections` ends those that take too long or are too many,
`connection` is one of them; `probes` is a small server of health and metrics beside another.
"""

from grice.models.errors import MissingExtra

try:
    import uvicorn  # noqa: F401 - the modules below need it
except ImportError as error:
    raise MissingExtra("uvicorn", "server") from error
