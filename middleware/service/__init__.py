"""The REST service. Make the application with `grice.middleware.service.http.app.create_app`; needs the extra `server`."""

from importlib.util import find_spec

from grice.models.errors import MissingExtra

for _package in ("fastapi", "pydantic", "uvicorn", "prometheus_client"):
    if find_spec(_package) is None:
        raise MissingExtra(_package, "server")
