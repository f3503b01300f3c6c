"""Grice says what was meant: conversational middleware.

    from grice import AsyncClient, Client, Dialogue, Pipeline

A name is imported when it is asked for: `from grice import Client` needs httpx and nothing else. Other distributions may have
subpackages of `grice` too, as of any namespace package: each folder `grice` on the path counts.
"""

from pkgutil import extend_path
from typing import TYPE_CHECKING, Any

__path__ = extend_path(__path__, __name__)

from grice.models.lazy import offer

if TYPE_CHECKING:
    from grice.middleware.client.rest import AsyncClient, Client, LiveEvent
    from grice.middleware.monitor import Monitor
    from grice.middleware.settings import PipelineSettings
    from grice.middleware.turns.analysis import TurnAnalysis
    from grice.middleware.turns.pipeline import Pipeline
    from grice.models.dialogue import Dialogue, Turn
    from grice.models.errors import GriceError
    from grice.models.meaning import MeaningQuestion
    from grice.models.schema import BotSchema

    __version__: str

__all__ = [
    "AsyncClient",
    "BotSchema",
    "Client",
    "Dialogue",
    "GriceError",
    "LiveEvent",
    "MeaningQuestion",
    "Monitor",
    "Pipeline",
    "PipelineSettings",
    "Turn",
    "TurnAnalysis",
    "__version__",
]

_find, _list = offer(
    __name__,
    {
        "grice.middleware.client.rest": ("AsyncClient", "Client", "LiveEvent"),
        "grice.middleware.monitor": ("Monitor",),
        "grice.middleware.settings": ("PipelineSettings",),
        "grice.middleware.turns.analysis": ("TurnAnalysis",),
        "grice.middleware.turns.pipeline": ("Pipeline",),
        "grice.models.dialogue": ("Dialogue", "Turn"),
        "grice.models.errors": ("GriceError",),
        "grice.models.meaning": ("MeaningQuestion",),
        "grice.models.schema": ("BotSchema",),
    },
)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("grice")
    return _find(name)


def __dir__() -> list[str]:
    return sorted((*_list(), "__version__"))
