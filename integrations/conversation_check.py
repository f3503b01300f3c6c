"""What every framework's adapter asks: how should the model read the user's turns, and what does a reply do?

A conversation is rows with `role` and `content`, as language models' APIs write them. Nothing here changes them, and nothing
raises: what fails or is late leaves the turn as the user said it, or the reply without scores.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from grice.middleware.capabilities.responses import RESPONSES
from grice.middleware.capabilities.turns import TURNS
from grice.middleware.client.backends import load_backend, warm_up
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.gateways.proxy.bounded import Newest
from grice.middleware.gateways.rows import LONGEST, Row, asks_last, digests_of, is_plain, may_change, said_anew, turns_of
from grice.middleware.monitor import ResponseReport
from grice.middleware.runtime.deadline import Deadline, TimedWorkers
from grice.middleware.settings import Mode, PipelineSettings, check_settings, setting
from grice.middleware.turns.analysis import TurnAnalysis
from grice.models.dialogue import MAX_TEXT_CHARACTERS, Dialogue, Turn
from grice.models.errors import DeadlineExceeded
from grice.models.meaning.results import MeaningQuestion
from grice.models.protocols import Predicts
from grice.models.results import Behaviors
from grice.models.schema import BotSchema

KEPT = 10_000
"""Turns whose analysis is remembered, so that they are read the same when they are sent again."""
LATE_S = 5.0
"""How long a turn that was late passes without another look, in seconds: a framework's hooks ask of it one after the other."""
MOST_WAITING = 1000
"""Replies that wait for their scores; more are not scored."""
WARM_UP = Dialogue.of("It is cold in here.")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CheckPolicy:
    """What is wanted.

    Attributes:
        mode: what a rewritten turn becomes for the model: the rewrite alone, or after the original.
        budget_ms: how long a turn may wait for Grice, in milliseconds; later it passes as it is. It waits once, however many hooks
            of a framework ask of it.
        reply_budget_ms: the same of a reply that waits for its scores.
        longest: characters of a turn that may be rewritten.
        clarify: whether the user is asked back, in place of an answer, where the pipeline says so and has a question.
        clarify_with: the question where the pipeline has none of its own, as without a menu; empty: the turn passes.

    Raises:
        SettingsError: a value is out of range.
    """

    mode: Mode = "append"
    budget_ms: int = setting(200, 1, 60_000)
    reply_budget_ms: int = setting(2000, 1, 60_000)
    longest: int = setting(LONGEST, 1, MAX_TEXT_CHARACTERS)
    clarify: bool = False
    clarify_with: str = ""

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True)
class CheckedTurn:
    """A conversation as the model should read it.

    Attributes:
        analysis: of the user's turn that it ends in; None: there is none, it was left alone, or Grice failed.
        rewrites: the direct form of each user turn that is said anew, by its place among the rows: of the last one, and of earlier
            ones that were said anew before.
        question: what to ask the user in place of an answer; empty: nothing.
    """

    analysis: TurnAnalysis | None = None
    rewrites: Mapping[int, str] = field(default_factory=dict)
    question: str = ""


@dataclass(frozen=True)
class ScoredReply:
    """A reply of the bot after the monitor: the dialogue that ends in it, and what it does."""

    dialogue: Dialogue
    report: ResponseReport


@dataclass(frozen=True)
class _Late:
    """A turn that was not looked at in time, and what was found of it all the same."""

    passes_until: Deadline
    analysis: TurnAnalysis | None


class ConversationCheck:
    """Asks pipeline and monitor on behalf of a framework. May be shared by agents, threads and event loops.

    Args:
        pipeline: analyses user turns, such as `Pipeline.load()`.
        monitor: scores replies, such as `Monitor.load()`; None: they are not scored.
        policy: what is wanted.
        menu: what the bot can do, which turns are read by; None: they are read without.
        tell: is called with each scored reply, in a thread of Grice's.
    """

    def __init__(
        self,
        pipeline: Predicts[Any, TurnAnalysis],
        monitor: Predicts[Dialogue, ResponseReport] | Predicts[Dialogue, Behaviors] | None = None,
        policy: CheckPolicy | None = None,
        menu: BotSchema | None = None,
        tell: Callable[[ScoredReply], None] | None = None,
    ) -> None:
        self.pipeline = pipeline
        self.monitor = monitor
        self.policy = policy or CheckPolicy()
        self.menu = menu
        self.tell = tell
        self._kept: Newest[TurnAnalysis] = Newest(KEPT)
        self._late: Newest[_Late] = Newest(KEPT)
        self._lock = threading.Lock()
        self._workers = TimedWorkers(4, "grice-check")
        self._later = ThreadPoolExecutor(1, "grice-scores")
        self._waiting: set[Any] = set()

    @classmethod
    def load(
        cls,
        where: PipelineSettings | RemoteSettings | None = None,
        policy: CheckPolicy | None = None,
        menu: BotSchema | None = None,
        tell: Callable[[ScoredReply], None] | None = None,
    ) -> ConversationCheck:
        """With the shipped models in this process, or with those of the REST service at `RemoteSettings(url, api_key)`, which then
        counts replies in its rates and alarms. Models are used once, so that the first user does not wait for that.

        Raises:
            GriceError: a model cannot be loaded, or a package is missing.
        """
        chosen = where or PipelineSettings()
        pipeline = load_backend(TURNS, chosen)
        if isinstance(chosen, RemoteSettings):
            from grice.middleware.client.remote import RemoteMonitor

            return cls(pipeline, RemoteMonitor(chosen), policy, menu, tell)
        monitor = load_backend(RESPONSES, chosen)
        warm_up(pipeline, [WARM_UP if menu is None else MeaningQuestion(WARM_UP, menu)])
        warm_up(monitor, [Dialogue.of("Shall I turn the heating up?", WARM_UP.turns, "bot")])
        return cls(pipeline, monitor, policy, menu, tell)

    def check_turn(self, rows: Sequence[Row]) -> CheckedTurn:
        """How the model should read a conversation; rewrites that were told before are told again."""
        try:
            return self._checked(rows)
        except Exception as error:  # noqa: BLE001 - the conversation goes on, whatever fails
            log.warning("a turn could not be checked, it passes as it is: %s", type(error).__name__)
            return CheckedTurn()

    async def acheck_turn(self, rows: Sequence[Row]) -> CheckedTurn:
        """As `check_turn`, in a thread."""
        return await asyncio.to_thread(self.check_turn, rows)

    def check_reply(self, rows: Sequence[Row], reply: str) -> ScoredReply | None:
        """What a reply to `rows` does; None where that cannot be said in time."""
        try:
            return self._workers.within(self.policy.reply_budget_ms, "the monitor", lambda: self._scored(rows, reply))
        except Exception as error:  # noqa: BLE001 - the reply goes out without scores
            log.warning("a reply could not be scored: %s", type(error).__name__)
            return None

    async def acheck_reply(self, rows: Sequence[Row], reply: str) -> ScoredReply | None:
        """As `check_reply`, in a thread."""
        return await asyncio.to_thread(self.check_reply, rows, reply)

    def check_reply_later(self, rows: Sequence[Row], reply: str) -> None:
        """Score a reply in the background; `tell` hears of it."""
        with self._lock:
            if len(self._waiting) >= MOST_WAITING:
                log.warning("%d replies wait for their scores, another one is not scored", MOST_WAITING)
                return
            task = self._later.submit(self.check_reply, rows, reply)
            self._waiting.add(task)
        task.add_done_callback(self._forget)

    def finish(self) -> None:
        """Wait until the replies are scored that wait for it."""
        with self._lock:
            waiting = list(self._waiting)
        wait(waiting)

    def _forget(self, task: object) -> None:
        with self._lock:
            self._waiting.discard(task)

    def _checked(self, rows: Sequence[Row]) -> CheckedTurn:
        digests = dict(digests_of(rows))
        with self._lock:
            known = {place: self._kept.find(digest) for place, digest in digests.items()}
        last = len(rows) - 1
        analysis = known.get(last)
        if analysis is None and asks_last(rows) and may_change(rows[last]):
            analysis = known[last] = self._looked_at(rows, digests[last])
        rewrites = {
            place: each.rewrite.text
            for place, each in known.items()
            if each is not None and each.decision == "rewrite" and each.rewrite is not None and may_change(rows[place])
        }
        return CheckedTurn(analysis, rewrites, self._question(analysis))

    def _looked_at(self, rows: Sequence[Row], digest: str) -> TurnAnalysis | None:
        """The last turn's analysis; None: there is none, the turn passes as it is, and earlier ones as they went before."""
        with self._lock:
            late = self._late.find(digest)
        if late is not None and not late.passes_until.is_over:
            return late.analysis
        analysis, is_late = None, False
        try:
            analysis = self._analysis(rows)
        except Exception as error:  # noqa: BLE001 - the conversation goes on, whatever fails
            log.warning("a turn could not be checked, it passes as it is: %s", type(error).__name__)
            is_late = isinstance(error, DeadlineExceeded)
        if analysis is not None:
            is_late = any(failure.error == DeadlineExceeded.__name__ for failure in analysis.failures)
        with self._lock:
            if is_late:
                self._late.keep(digest, _Late(Deadline(LATE_S), analysis))
            elif analysis is not None and not analysis.failures:
                self._kept.keep(digest, analysis)
        return analysis

    def _analysis(self, rows: Sequence[Row]) -> TurnAnalysis | None:
        turns = turns_of(rows)
        if not is_plain(turns[-1].text, self.policy.longest):
            return None
        dialogue = Dialogue(tuple(turns))
        asked = dialogue if self.menu is None else MeaningQuestion(dialogue, self.menu)
        (found,) = self._workers.within(self.policy.budget_ms, "the pipeline", lambda: self.pipeline.predict([asked]))
        return found

    def _question(self, analysis: TurnAnalysis | None) -> str:
        if analysis is None or analysis.decision != "clarify" or not self.policy.clarify:
            return ""
        return self.policy.clarify_with if analysis.clarification is None else analysis.clarification.question

    def _scored(self, rows: Sequence[Row], reply: str) -> ScoredReply | None:
        if self.monitor is None or not reply.strip():
            return None
        dialogue = Dialogue((*turns_of(rows), Turn("bot", reply[:MAX_TEXT_CHARACTERS])))
        (found,) = self.monitor.predict([dialogue])
        if isinstance(found, Behaviors):
            found = ResponseReport(found, found.shown(getattr(self.monitor, "thresholds", None) or {}))
        scored = ScoredReply(dialogue, found)
        try:
            if self.tell is not None:
                self.tell(scored)
        except Exception as error:  # noqa: BLE001 - a listener may fail in any way; the scores are there
            log.warning("who is told of scored replies failed: %s", type(error).__name__)
        return scored


def read_anew(row: Row, rewrite: str | None, mode: Mode) -> Any:
    """The content of a row as the model should read it; as it is where there is no rewrite."""
    return row["content"] if rewrite is None else said_anew(row, rewrite, mode)["content"]
