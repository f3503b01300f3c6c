"""The REST service, called. `Remote` has the protocol of the models in process and needs urllib3 (`pip install 'grice[rasa]'`);
`Client` and `AsyncClient` have every route and need httpx (`pip install 'grice[client]'`)."""

from typing import TYPE_CHECKING

from grice.models.lazy import offer

if TYPE_CHECKING:
    from grice.middleware.client.remote import Remote, RemoteMonitor
    from grice.middleware.client.rest import AsyncClient, Client
    from grice.middleware.client.service import RemoteService, remote_service
    from grice.middleware.client.settings import RemoteSettings

__all__ = ["AsyncClient", "Client", "Remote", "RemoteMonitor", "RemoteService", "RemoteSettings", "remote_service"]

__getattr__, __dir__ = offer(
    __name__,
    {
        "grice.middleware.client.remote": ("Remote", "RemoteMonitor"),
        "grice.middleware.client.rest": ("AsyncClient", "Client"),
        "grice.middleware.client.service": ("RemoteService", "remote_service"),
        "grice.middleware.client.settings": ("RemoteSettings",),
    },
)
