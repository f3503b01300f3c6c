"""What people say of alarms: seen, right or wrong; kept beside the alarms, and told as labelled responses."""

from __future__ import annotations

from grice.middleware.feedback.feedback import AlarmVerdict, Feedback
from grice.middleware.feedback.store import FeedbackStore, MemoryFeedback
from grice.middleware.settings import ServiceSettings

__all__ = ["AlarmVerdict", "Feedback", "FeedbackStore", "MemoryFeedback", "open_feedback"]


def open_feedback(settings: ServiceSettings) -> FeedbackStore:
    """The feedback in the store that the settings name (`store`). Does not connect yet.

    Raises:
        MissingExtra: the store is Redis, and redis-py is not installed.
        SettingsError: its URL cannot be read.
    """
    if settings.store != "redis":
        return MemoryFeedback()
    from grice.middleware.feedback.redis import RedisFeedback

    return RedisFeedback(settings.redis_url, settings.store_timeout_ms / 1000)
