"""Where rates are kept."""

from __future__ import annotations

import copy
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.monitor.reports import ALARM
from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.rates.counters import TENANTS, bucket_keys, step_keys, to_rates
from grice.middleware.rates.rate import Rate, RateGroup, RateSplit, RateStep
from grice.models.relations.labels import FRUSTRATION


class RateStore(ABC):
    """Counts scored responses and gives their rates over the last so many seconds. Thread-safe.

    Attributes:
        tenant: whose rates it gives.
    """

    tenant: str = DEFAULT_TENANT

    def of(self, tenant: str) -> RateStore:
        """The rates of another tenant. It is closed with this one."""
        if tenant == self.tenant:
            return self
        other = copy.copy(self)
        other.tenant = tenant
        return other

    def tenants(self) -> list[str]:
        """Who has rates, beside the default tenant.

        Raises:
            StoreError: the store cannot be reached.
        """
        return sorted(name.decode() if isinstance(name, bytes) else name for name in self.count([TENANTS]))

    @abstractmethod
    def add(self, responses: Sequence[ScoredResponse]) -> None:
        """Count responses, each for its tenant and at the time when it was said. It is the caller who sees to it that each comes
        once.

        Raises:
            StoreError: the store cannot be reached; some of them may have been counted.
        """

    def rates(
        self,
        window_s: int,
        now: float | None = None,
        bot_version: str | None = None,
        channel: str | None = None,
        by: Sequence[RateSplit] = (),
    ) -> list[Rate]:
        """The rates of the window that ends at `now`, in the order of `BEHAVIORS`.

        The window begins up to one bucket early: 10 seconds for windows of up to an hour, 5 minutes up to a day, an hour up to a
        week.

        Args:
            window_s: seconds, `SHORTEST_WINDOW_S` to `LONGEST_WINDOW_S`.
            now: Unix seconds; None: the present.
            bot_version, channel: only responses of that one; None: of all.
            by: one rate a behaviour and each bot version or channel that was seen, in alphabetical order; where it is empty, one
                rate a behaviour, also where there was no response.

        Raises:
            InputError: the window is too short or too long.
            StoreError: the store cannot be reached.
        """
        return to_rates(self._counters(window_s, now), RateGroup(bot_version, channel), by)

    def alarms(
        self,
        window_s: int,
        now: float | None = None,
        group: RateGroup | None = None,
        by: Sequence[RateSplit] = (),
    ) -> list[Rate]:
        """How many of the responses whose relations were read raised an alarm within the window.

        Args:
            window_s, now, by: as of `rates`.
            group: only responses of this version or channel; None: of all.

        Raises:
            InputError: the window is too short or too long.
            StoreError: the store cannot be reached.
        """
        return to_rates(self._counters(window_s, now), group or RateGroup(), by, (ALARM,))

    def user_frustration(
        self,
        window_s: int,
        now: float | None = None,
        group: RateGroup | None = None,
        by: Sequence[RateSplit] = (),
    ) -> list[Rate]:
        """Before how many of the responses the user was frustrated, of those where that was read; arguments as of `alarms`.

        Raises:
            InputError: the window is too short or too long.
            StoreError: the store cannot be reached.
        """
        return to_rates(self._counters(window_s, now), group or RateGroup(), by, (FRUSTRATION,))

    def _counters(self, window_s: int, now: float | None) -> Counter[str | bytes]:
        return self.count(bucket_keys(window_s, time.time() if now is None else now, self.tenant))

    def history(
        self, window_s: int, steps: int, now: float | None = None, group: RateGroup | None = None, by: Sequence[RateSplit] = ()
    ) -> list[RateStep]:
        """The rates of a window in about so many steps of equal length, the oldest first.

        Args:
            window_s, now, by: as of `rates`.
            group: only responses of this version or channel; None: of all.

        Raises:
            InputError: the window is too short or too long.
            StoreError: the store cannot be reached.
        """
        at = time.time() if now is None else now
        return [
            RateStep(end, tuple(to_rates(self.count(keys), group or RateGroup(), by)))
            for end, keys in step_keys(window_s, steps, at, self.tenant)
        ]

    @abstractmethod
    def count(self, keys: Sequence[str]) -> Counter[str | bytes]:
        """The counters of these buckets together.

        Raises:
            StoreError: the store cannot be reached.
        """

    @abstractmethod
    def close(self) -> None:
        """Give connections back."""
