"""The judge that settings describe."""

from __future__ import annotations

from pathlib import Path

from grice.middleware.judge.llm_judge import LlmJudge
from grice.middleware.llm.budget import Budget, Limits, MemoryBudget
from grice.middleware.llm.chat_model import ChatModel
from grice.middleware.llm.chat_settings import ChatSettings
from grice.middleware.llm.reply_cache import ReplyCache
from grice.middleware.monitor.monitor_settings import MonitorSettings


def open_judge(settings: MonitorSettings, is_live: bool = True) -> LlmJudge | None:
    """The judge, with its cache; None where the settings name none. Does not connect yet.

    Args:
        is_live: it is asked about live responses: within the budget, and no longer than the deadline of a batch. A server that is
            down is left alone until it answers again.

    Raises:
        MissingExtra: openai, or redis-py for a shared budget, is not installed.
        GriceError: the cache cannot be used.
    """
    if not settings.judge_url:
        return None
    chat = ChatSettings(
        settings.judge_url,
        settings.judge_model,
        settings.judge_api_key,
        settings.judge_max_tokens,
        settings.judge_omit,
        timeout_s=settings.judge_timeout_s,
        workers=settings.judge_workers,
        prompt_price=settings.judge_prompt_price,
        completion_price=settings.judge_completion_price,
    )
    cache = ReplyCache(Path(settings.judge_cache)) if settings.judge_cache else None
    model = ChatModel(chat, cache, _budget(settings) if is_live else None, is_live)
    return LlmJudge(model, settings.judge_window, settings.judge_pairing, settings.judge_deadline_s if is_live else None)


def _budget(settings: MonitorSettings) -> Budget:
    limits = Limits(settings.judge_budget_per_hour, settings.judge_budget_usd_per_day)
    if settings.judge_budget_store == "memory":
        return MemoryBudget(limits)
    from grice.middleware.llm.redis_budget import RedisBudget

    return RedisBudget(limits, settings.redis_url)
