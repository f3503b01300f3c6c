"""The keys that a service knows now."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from grice.middleware.access.api_key import ApiKey, digest_of
from grice.middleware.access.key_file import KeyFile
from grice.models.errors import SettingsError

LOOK_EVERY_S = 1.0
"""How often it is looked whether the file of keys has changed."""

log = logging.getLogger(__name__)


class KeyRing:
    """Finds the key of a secret. A file of keys that changes is read anew; one that cannot be read changes nothing, and is told.

    A secret is looked up by its SHA-256: how long that takes tells nothing of the secrets that there are.

    Args:
        plain: secrets of the default tenant that may do everything.
        file: more keys.
        clock: seconds that only go forward.

    Raises:
        SettingsError: the file cannot be read.
    """

    def __init__(self, plain: Sequence[str] = (), file: KeyFile | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._plain = {digest_of(each): ApiKey(f"environment-{place}", digest_of(each)) for place, each in enumerate(plain, 1)}
        self._file = file
        self._clock = clock
        self._stamp = file.stamp() if file else None
        self._keys = {**self._plain, **_by_digest(file.read() if file else ())}
        self._next_look = clock() + LOOK_EVERY_S

    def find(self, secret: str) -> ApiKey | None:
        """The key of a secret; None: there is none."""
        self._look()
        return self._keys.get(digest_of(secret))

    def holds(self, key: ApiKey) -> bool:
        """Whether a key that was found before is there still, and may do the same."""
        self._look()
        return self._keys.get(key.digest) == key

    def _look(self) -> None:
        now = self._clock()
        if self._file is None or now < self._next_look:
            return
        self._next_look = now + LOOK_EVERY_S
        stamp = self._file.stamp()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._keys = {**self._plain, **_by_digest(self._file.read())}
            log.info("read the keys anew", extra={"keys": len(self._keys)})
        except SettingsError as error:
            log.error("the keys could not be read anew, those from before are still good: %s", error)


def _by_digest(keys: Sequence[ApiKey]) -> dict[str, ApiKey]:
    return {key.digest: key for key in keys}
