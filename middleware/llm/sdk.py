"""The SDK of OpenAI, which speaks to every compatible server.

Raises:
    MissingExtra: openai is not installed (when this module is imported).
"""

from __future__ import annotations

from grice.middleware.llm.chat_settings import ChatSettings
from grice.models.errors import MissingExtra

try:
    import openai
except ImportError as error:
    raise MissingExtra("openai", "llm") from error

__all__ = ["client_of", "openai"]


def client_of(settings: ChatSettings) -> openai.OpenAI:
    """The client of a server; it asks once, unless its options are changed."""
    key = settings.api_key or "none"  # the SDK insists on one; servers that need none ignore it
    return openai.OpenAI(api_key=key, base_url=settings.url, max_retries=0)
