"""The REST service behind the same protocol as the models in process. Needs urllib3: `pip install 'grice[rasa]'`."""

from grice.middleware.remote.directness import RemoteDirectness
from grice.middleware.remote.intentions import RemoteIntentions
from grice.middleware.remote.monitor import RemoteMonitor
from grice.middleware.remote.pipeline import RemotePipeline
from grice.middleware.remote.service import RemoteService, remote_service
from grice.middleware.remote.settings import RemoteSettings
from grice.middleware.remote.slots import RemoteSlots

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
