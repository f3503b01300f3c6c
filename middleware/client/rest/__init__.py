"""Clients of every route of the REST service, for any program. Needs httpx: `pip install 'grice[client]'`."""

from grice.middleware.client.rest.async_client import AsyncClient
from grice.middleware.client.rest.client import Client
from grice.middleware.client.rest.live import LiveEvent

__all__ = ["AsyncClient", "Client", "LiveEvent"]
