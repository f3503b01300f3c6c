"""How often a behaviour was shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from grice.middleware.monitor.reports import CountedLabel

RateSplit = Literal["bot_version", "channel"]
"""What rates can be told apart by, beside the behaviour."""
Z_95 = 1.959964
"""Two-sided 95 % point of the normal distribution."""


@dataclass(frozen=True)
class RateKey:
    """What a counter is about; None: of all.

    Attributes:
        behavior: one of `BEHAVIORS`, `alarm`, or `user_frustration`.
        bot_version, channel: as in `DialogueEvent`, or `unknown` where it was not given, or `other` beyond the bound of names.
    """

    behavior: CountedLabel | None = None
    bot_version: str | None = None
    channel: str | None = None


@dataclass(frozen=True)
class Rate:
    """How often a behaviour was shown within a window, or there was an alarm, or the user was frustrated before the response.

    Attributes:
        behavior, bot_version, channel: as in `RateKey`.
        shown: responses that showed it, or that raised an alarm, or before which the user was frustrated.
        scored: responses of which it is known whether they did.
        unscored: responses of which it is not known, because the model failed or does not know the behaviour, or because relations
            are not read; of `user_frustration` also those that were not the first response to a turn of the user.
    """

    behavior: CountedLabel
    bot_version: str | None
    channel: str | None
    shown: int
    scored: int
    unscored: int = 0

    @property
    def share(self) -> float | None:
        """Shown of scored, 0 to 1; None where nothing was scored."""
        return self.shown / self.scored if self.scored else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the share; None where nothing was scored.

        Wilson's score interval (Wilson 1927, JASA 22, p. 209), which stays within 0 to 1 and is right for small numbers too.
        """
        if not self.scored:
            return None
        share, square = self.shown / self.scored, Z_95**2 / self.scored
        middle = (share + square / 2) / (1 + square)
        half = math.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class RateGroup:
    """Which responses rates are of: of one bot version or channel, or (None) of all."""

    bot_version: str | None = None
    channel: str | None = None


@dataclass(frozen=True)
class RateStep:
    """The rates of a part of a window.

    Attributes:
        end: when it ends, in Unix seconds.
        rates: as `RateStore.rates` gives them.
    """

    end: float
    rates: tuple[Rate, ...]
