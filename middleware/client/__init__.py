"""The REST service behind the same protocol as the models in process. Needs urllib3: `pip install 'grice[rasa]'`."""

from grice.middleware.client.remote import Remote, RemoteMonitor
from grice.middleware.client.service import RemoteService, remote_service
from grice.middleware.client.settings import RemoteSettings

__all__ = ["Remote", "RemoteMonitor", "RemoteService", "RemoteSettings", "remote_service"]
