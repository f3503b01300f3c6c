"""Time in buckets: fine ones for short windows, coarse ones for long windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grice.models.errors import InputError

KEY = "grice:rates:"
SHORTEST_WINDOW_S = 10
LONGEST_WINDOW_S = 7 * 86_400


@dataclass(frozen=True)
class Resolution:
    """Buckets of one size.

    Attributes:
        bucket_s: seconds that a bucket covers.
        window_s: seconds of the longest window that is read from such buckets.
    """

    bucket_s: int
    window_s: int

    @property
    def expire_s(self) -> int:
        """Seconds after which a bucket to which nothing is added any more lies outside every window."""
        return self.window_s + 2 * self.bucket_s

    def key(self, time_s: float) -> str:
        """The name of the bucket that a time (Unix seconds) lies in."""
        return self._name(int(time_s // self.bucket_s))

    def keys(self, window_s: float, now: float) -> list[str]:
        """The names of the buckets of a window, the oldest first."""
        first, last = int((now - window_s) // self.bucket_s), int(now // self.bucket_s)
        return [self._name(number) for number in range(max(0, first), last + 1)]

    def _name(self, number: int) -> str:
        return f"{KEY}{self.bucket_s}:{number * self.bucket_s}"


RESOLUTIONS = (Resolution(10, 3600), Resolution(300, 86_400), Resolution(3600, LONGEST_WINDOW_S))
"""At most about 360 buckets are read for a window, and a response is counted three times."""


def bucket_keys(window_s: float, now: float) -> Sequence[str]:
    """The names of the buckets that a window is read from.

    Raises:
        InputError: the window is too short or too long.
    """
    if isinstance(window_s, bool) or not SHORTEST_WINDOW_S <= window_s <= LONGEST_WINDOW_S:
        raise InputError("window_s", window_s, f"{SHORTEST_WINDOW_S} to {LONGEST_WINDOW_S} seconds")
    resolution = next(each for each in RESOLUTIONS if window_s <= each.window_s)
    return resolution.keys(window_s, now)
