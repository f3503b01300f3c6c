"""Where feedback is kept."""

from __future__ import annotations

import copy
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict
from collections.abc import Mapping

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.feedback.feedback import Feedback

MOST = 10_000
"""Alarms of a tenant that memory knows verdicts of; the oldest verdict goes first."""


class FeedbackStore(ABC):
    """The newest verdict on each alarm of a tenant. Thread-safe.

    Attributes:
        tenant: whose alarms.
    """

    tenant: str = DEFAULT_TENANT

    def of(self, tenant: str) -> FeedbackStore:
        """The feedback of another tenant. It is closed with this one."""
        other = copy.copy(self)
        other.tenant = tenant
        return other

    @abstractmethod
    def put(self, feedback: Feedback) -> None:
        """Keep it in place of an earlier verdict on the same alarm.

        Raises:
            StoreError: the store cannot be reached.
        """

    @abstractmethod
    def all(self) -> Mapping[str, Feedback]:
        """By the place of the alarm.

        Raises:
            StoreError: the store cannot be reached.
        """

    @abstractmethod
    def close(self) -> None:
        """Give connections back."""


class MemoryFeedback(FeedbackStore):
    """A `FeedbackStore` of one process, forgotten with it."""

    def __init__(self) -> None:
        self._kept: defaultdict[str, OrderedDict[str, Feedback]] = defaultdict(OrderedDict)
        self._lock = threading.Lock()

    def put(self, feedback: Feedback) -> None:
        with self._lock:
            mine = self._kept[self.tenant]
            mine[feedback.place] = feedback
            mine.move_to_end(feedback.place)
            if len(mine) > MOST:
                mine.popitem(last=False)

    def all(self) -> Mapping[str, Feedback]:
        with self._lock:
            return dict(self._kept.get(self.tenant, {}))

    def close(self) -> None:
        """There are no connections."""
