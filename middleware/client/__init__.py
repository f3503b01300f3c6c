"""The REST service behind the same protocol as the models in process. Needs urllib3: `pip install 'grice[rasa]'`."""

from grice.middleware.client.directness import RemoteDirectness
from grice.middleware.client.intentions import RemoteIntentions
from grice.middleware.client.monitor import RemoteMonitor
from grice.middleware.client.pipeline import RemotePipeline
from grice.middleware.client.service import RemoteService, remote_service
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.client.slots import RemoteSlots

__all__ = [
    "RemoteDirectness",
    "RemoteIntentions",
    "RemoteMonitor",
    "RemotePipeline",
    "RemoteService",
    "RemoteSettings",
    "RemoteSlots",
    "remote_service",
]
