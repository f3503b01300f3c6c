"""Who sends wrong keys waits for the answer, longer each time."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from grice.models.errors import Overloaded

FREE = 3
"""Wrong keys of an address that are answered at once: anybody may slip."""
SHORTEST_S = 0.1
LONGEST_S = 3.0
"""The first wait, and the one that it doubles up to."""
PATIENCE_S = 15.0
"""Waits of an address follow one another; nobody is kept waiting longer than this."""
FORGET_S = 300.0
MOST_ADDRESSES = 10_000


@dataclass
class _Guesser:
    wrong: int = 0
    due: float = 0.0
    last: float = 0.0


class WrongKeys:
    """Counts wrong keys by the address that they come from. A right key never waits, so a proxy in front of many stays usable.

    Args:
        clock: seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._guessers: OrderedDict[str, _Guesser] = OrderedDict()

    def wait_s(self, address: str) -> float:
        """Seconds that the answer to another wrong key from an address is held back.

        Raises:
            Overloaded: so many answers to it are held back already that this one would take too long.
        """
        now, network = self._clock(), _network(address)
        guesser = self._guessers.pop(network, None)
        if guesser is None or now - guesser.last > FORGET_S:
            guesser = _Guesser()
        self._guessers[network] = guesser
        while len(self._guessers) > MOST_ADDRESSES:
            self._guessers.popitem(last=False)
        guesser.wrong += 1
        guesser.last = now
        if guesser.wrong <= FREE:
            return 0.0
        pause = min(LONGEST_S, SHORTEST_S * 2.0 ** min(guesser.wrong - FREE - 1, 10))
        due = max(now, guesser.due) + pause
        if due - now > PATIENCE_S:
            raise Overloaded("too many wrong keys came from your address; try again later", math.ceil(due - now))
        guesser.due = due
        return due - now


def _network(address: str) -> str:
    """An address, or the network that one subscriber has of IPv6."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else address
