"""A `Judge` that is a large language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.judge.decision import JudgeDecision, read_decision
from grice.middleware.judge.prompt import Context, contexts, judge_messages
from grice.middleware.llm.budget import Budget, Limits, MemoryBudget
from grice.middleware.llm.chat_model import ChatModel
from grice.middleware.llm.chat_settings import ChatSettings
from grice.middleware.llm.reply import Message, Reply
from grice.middleware.llm.reply_cache import ReplyCache
from grice.middleware.monitor.reports import Judgement, JudgeQuestion, WatchedLabel, dialogue_of
from grice.middleware.monitor.settings import MonitorSettings
from grice.models.errors import GriceError


class Chat(Protocol):
    """Answers several conversations; a `ChatModel` does."""

    def complete_all(
        self, conversations: Sequence[Sequence[Message]], deadline_s: float | None = None, tenants: Sequence[str] | None = None
    ) -> list[Reply | GriceError]:
        """The replies, in order, with the error in the place of one that failed; each tenant's are remembered apart."""
        ...

    def close(self) -> None:
        """Give connections back."""
        ...


@dataclass(frozen=True)
class _Answer:
    """What came of one call."""

    context: Context
    decision: JudgeDecision
    reply: Reply | None
    error: str = ""


class LlmJudge:
    """Asks a model one question a behaviour, in the layout of Finch, Paek & Choi 2023.

        judge = LlmJudge(ChatModel(ChatSettings("http://127.0.0.1:8000/v1", "some-model")))
        judge.judge([(Dialogue.of("I never had a dog.", [("bot", "My dog is called Rex.")], speaker="bot"), "!Sel")])

    Args:
        chat: the model.
        window: turns of context that it reads, the newest; None: all.
        pairing: whether the response is held against one earlier turn at a time, for the behaviours in `PAIRED`. It takes about as
            many calls as there are turns; any yes is a yes, and with none and some undecided the behaviour is unscored.
        deadline_s: how long all questions of one call of `judge` may take; None: each has the time of the model's settings.
    """

    def __init__(self, chat: Chat, window: int | None = None, pairing: bool = False, deadline_s: float | None = None) -> None:
        self.chat = chat
        self.window = window
        self.pairing = pairing
        self.deadline_s = deadline_s

    def judge(self, questions: Sequence[JudgeQuestion], tenants: Sequence[str] | None = None) -> list[Judgement]:
        """One judgement a question, in order. A question that fails is unscored and says why; nothing is raised for it.

        Args:
            tenants: whose each question is, for the cache and the budget; None: all the default tenant's.
        """
        asked = [contexts(dialogue_of(about), label, self.window, self.pairing) for about, label in questions]
        prompts = [
            judge_messages(about, label, context.places)
            for (about, label), parts in zip(questions, asked, strict=True)
            for context in parts
        ]
        owners = [DEFAULT_TENANT] * len(questions) if tenants is None else tenants
        asking = [owner for owner, parts in zip(owners, asked, strict=True) for _ in parts]
        replies = iter(self.chat.complete_all(prompts, self.deadline_s, asking))
        answers = [[_answer(context, next(replies)) for context in parts] for parts in asked]
        return [_judgement(behavior, parts) for (_, behavior), parts in zip(questions, answers, strict=True)]


def _answer(context: Context, reply: Reply | GriceError) -> _Answer:
    if isinstance(reply, GriceError):
        return _Answer(context, JudgeDecision(None, unscored=str(reply)), None, type(reply).__name__)
    return _Answer(context, read_decision(reply), reply)


def _judgement(behavior: WatchedLabel, answers: Sequence[_Answer]) -> Judgement:
    """What the answers about the parts of one dialogue come to; the newest part decides where several say the same."""
    shown = [answer for answer in answers if answer.decision.shown]
    unscored = [answer for answer in answers if answer.decision.shown is None]
    chosen = (shown or unscored or answers)[-1]
    replies = [answer.reply for answer in answers if answer.reply is not None]
    costs = [reply.cost for reply in replies]
    return Judgement(
        behavior,
        chosen.decision.shown,
        chosen.decision.reasoning,
        chosen.decision.unscored,
        chosen.error,
        chosen.context.against if shown else None,
        sum(reply.prompt_tokens or 0 for reply in replies),
        sum(reply.completion_tokens or 0 for reply in replies),
        None if not costs or None in costs else sum(cost or 0.0 for cost in costs),
        len(replies) == len(answers) and all(reply.cached for reply in replies),
    )


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
