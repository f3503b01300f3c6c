"""The keys that an entry of `endpoints.yml` gives, as Rasa hands them over."""

from __future__ import annotations

from typing import Any

from rasa.shared.exceptions import InvalidConfigException
from rasa.utils.endpoints import EndpointConfig

from grice.models.errors import SettingsError

_RASAS_OWN = ("params", "headers", "basic_auth", "token", "cafile")
"""Keys that Rasa takes out for requests of its own; we would ignore them."""


def given_keys(owner: str, config: EndpointConfig) -> dict[str, Any]:
    """All keys of the entry but `type`.

    Raises:
        InvalidConfigException: a key is set that only Rasa's own requests use.
    """
    for name in _RASAS_OWN:
        if getattr(config, name):
            raise InvalidConfigException(f"{owner}: {SettingsError(name, 'a value', 'no such key here')}")
    return {**config.kwargs, **({} if config.url is None else {"url": config.url})}
