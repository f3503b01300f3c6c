"""The live path of a user turn: directness, gate, rewriter, guard, decision."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from grice.middleware.runtime.deadline import TimedWorkers
from grice.middleware.runtime.isolation import isolate
from grice.middleware.settings import PipelineSettings
from grice.middleware.telemetry import traced
from grice.middleware.turns.analysis import Decision, Finding, Reason, Stage, StageFailure, TurnAnalysis
from grice.middleware.turns.courtesy import is_courtesy
from grice.middleware.turns.guard import Guard
from grice.middleware.turns.guard.agreement import is_mere_reply
from grice.middleware.turns.guard.topics import is_of_few_words, speaks_of_town
from grice.middleware.turns.menu_rewriter import MenuRewrite, MenuRewriter
from grice.middleware.turns.reply_rewriter import ReplyRewriter
from grice.middleware.turns.scope import is_out_of_scope
from grice.middleware.turns.verifier import OfferedRewrite, RewriteVerifier
from grice.middleware.turns.wording import is_same
from grice.models import Rewriter, load_directness_scorer, load_rewriter
from grice.models.dialogue import Dialogue
from grice.models.errors import DeadlineExceeded, InputError
from grice.models.meaning.reader import load_meaning_reader
from grice.models.meaning.results import MeaningQuestion
from grice.models.protocols import MeaningPredictor, Model, OffersCandidates
from grice.models.results import Directness, Rewrite
from grice.models.runtime.parallel import Workers

Asked = TypeVar("Asked")
Result = TypeVar("Result")

STAGE_THREADS = 40
"""Batches that are in a stage at a time; in the service most of them only wait to go on (`grice.models.runtime.pause`)."""
MOST_VERIFIED = 4
"""Other candidates of a refused rewrite that are verified."""

log = logging.getLogger(__name__)


@dataclass(eq=False)
class _Turn:
    """A turn on its way, with what the stages have found so far."""

    dialogue: Dialogue
    asked: MeaningQuestion | None = None
    menu_rewrite: MenuRewrite | None = None
    directness: Directness | None = None
    rewrite: Rewrite | None = None
    findings: tuple[Finding, ...] = ()
    failure: StageFailure | None = None
    is_plain: bool = False
    is_strange: bool = False

    @property
    def text(self) -> str:
        return self.dialogue.last.text

    @cached_property
    def out_of_scope(self) -> bool:
        return is_out_of_scope(self.text)


class Pipeline:
    """Decides for each user turn whether it passes, is rewritten, or needs a question back.

    The models are known by their protocol only, so a remote model or a test's fits as well. A turn on which a stage fails, or is
    later than `deadline_ms`, stays unchanged and is marked (`on_error="pass_through"`), or the error is raised (`"raise"`). One
    turn that breaks a model does not take the others of its batch with it.

    A turn that comes with a menu is rewritten by it: what it means is read, said plainly, and read again. Without a `reader`
    the one that the settings name is loaded when the first such turn comes. With a `reader` a turn without a menu is rewritten only
    if the reader takes it for indirect, too, and for its rewrite; the rewriter's own confidence decides nothing. In a dialogue
    about no town the reader says itself what the turn replies to the bot, and our rewriter, which knows nothing else, is not asked.
    """

    def __init__(
        self,
        directness: Model[Directness],
        rewriter: Model[Rewrite],
        settings: PipelineSettings | None = None,
        guard: Guard | None = None,
        reader: MeaningPredictor | None = None,
    ) -> None:
        self.settings = settings or PipelineSettings()
        self.directness = directness
        self.rewriter = rewriter
        self.guard = guard or Guard()
        self._reader = reader
        self._workers = TimedWorkers(STAGE_THREADS, "grice-stage")
        self._parallel = Workers(self.settings.runtime.workers)

    @classmethod
    def load(cls, settings: PipelineSettings | None = None) -> Pipeline:
        """The pipeline with the models that the settings name.

        Raises:
            ModelError: a model is not there, damaged, or its execution provider is not available.
        """
        chosen = settings or PipelineSettings()
        return cls(
            load_directness_scorer(chosen.directness_model, runtime=chosen.runtime),
            load_rewriter(chosen.rewriter_model, runtime=chosen.runtime),
            chosen,
            reader=load_meaning_reader(chosen.meaning_model, runtime=chosen.runtime) if chosen.verified_from else None,
        )

    @classmethod
    async def aload(cls, settings: PipelineSettings | None = None) -> Pipeline:
        """As `load`, in a thread: the event loop goes on meanwhile."""
        return await asyncio.to_thread(cls.load, settings)

    async def apredict(self, dialogues: Sequence[Dialogue | MeaningQuestion]) -> list[TurnAnalysis]:
        """As `predict`, in a thread: the event loop goes on meanwhile. A call that is cancelled is worked on to its end."""
        return await asyncio.to_thread(self.predict, dialogues)

    @cached_property
    def verifier(self) -> RewriteVerifier | None:
        """Verifies rewrites of turns without a menu; None where no reader was given, or the settings want none."""
        needed = self.settings.verified_from
        return None if self._reader is None or not needed else RewriteVerifier(self._reader, needed)

    @cached_property
    def reply_rewriter(self) -> ReplyRewriter | None:
        """Reads turns without a menu; None where there is no verifier."""
        return None if self._reader is None or self.verifier is None else ReplyRewriter(self._reader)

    @cached_property
    def menu_rewriter(self) -> MenuRewriter:
        """Rewrites turns that come with a menu.

        Raises:
            ModelError: the reader cannot be loaded.
        """
        reader = self._reader or load_meaning_reader(self.settings.meaning_model, runtime=self.settings.runtime)
        chosen = self.settings
        return MenuRewriter(reader, chosen.indirect_from, chosen.rewrite_from, chosen.clarify_from)

    def predict(self, dialogues: Sequence[Dialogue | MeaningQuestion]) -> list[TurnAnalysis]:
        """Analyse the last turn of each dialogue, in order; a dialogue with its bot's menu is a `MeaningQuestion`.

        Raises:
            InputError: something else than dialogues was given.
            GriceError: a stage failed and the settings say `raise`.
        """
        _check(dialogues)
        turns = [_Turn(each.dialogue, each) if isinstance(each, MeaningQuestion) else _Turn(each) for each in dialogues]
        readable = [turn for turn in turns if not turn.out_of_scope]
        self._read([(turn, turn.asked) for turn in readable if turn.asked is not None])
        self._score([turn for turn in readable if turn.asked is None])
        indirect = self._look_again([turn for turn in turns if self._is_indirect(turn)])
        self._rewrite(indirect)
        self._guard(indirect)
        self._verify([turn for turn in indirect if not turn.findings])
        self._replace_refused([turn for turn in indirect if turn.findings])
        return [self._analysis(turn) for turn in turns]

    def prepare(self, dialogues: Sequence[Dialogue | MeaningQuestion]) -> None:
        """Analyse them and forget the result, with menus and without however long it takes: the vectors of menus are kept then.

        Raises:
            GriceError: the reader of meaning cannot be loaded or fails.
        """
        asked = [each for each in dialogues if isinstance(each, MeaningQuestion)]
        if asked:
            self.menu_rewriter.predict(asked)
        plain = [each for each in dialogues if isinstance(each, Dialogue)]
        if self.verifier is not None and self.reply_rewriter is not None:
            self.reply_rewriter.predict(plain)
            self.verifier.predict([OfferedRewrite(each, each.last.text) for each in plain])
        self.predict(plain)

    def _read(self, turns: Sequence[tuple[_Turn, MeaningQuestion]]) -> None:
        if turns:
            for turn, found in self._ask_each("meaning", self.menu_rewriter.predict, turns):
                turn.menu_rewrite = found

    def _score(self, turns: Sequence[_Turn]) -> None:
        for turn, score in self._ask("directness", self.directness.predict, turns):
            turn.directness = score

    def _is_indirect(self, turn: _Turn) -> bool:
        """The gate: whether the turn goes to the rewriter. A mere reply is direct, however it is scored."""
        if turn.directness is None or turn.directness.score >= self.settings.direct_from:
            return False
        return not is_courtesy(turn.text) and not is_mere_reply(turn.text)

    def _look_again(self, turns: Sequence[_Turn]) -> list[_Turn]:
        """The gate's second look: of dialogues about no town those that the reader takes for indirect, too, if they are still to be
        rewritten.

        From town information the scorer of directness has learnt; elsewhere it takes half of the direct turns for indirect.
        """
        if self.reply_rewriter is None:
            return list(turns)
        strange = [turn for turn in turns if not speaks_of_town(turn.dialogue)]
        for turn, reply in self._ask("meaning", self.reply_rewriter.predict, strange):
            turn.is_plain = reply.is_direct
            turn.is_strange = isinstance(self.rewriter, Rewriter) and not is_of_few_words(turn.dialogue)
            turn.rewrite = reply.rewrite
        return [turn for turn in turns if not (turn.is_plain or turn.is_strange or turn.rewrite or turn.failure)]

    def _rewrite(self, turns: Sequence[_Turn]) -> None:
        for turn, rewrite in self._ask("rewriter", self._write, turns):
            turn.rewrite = rewrite

    def _write(self, dialogues: Sequence[Dialogue]) -> Sequence[Rewrite]:
        """Their rewrites. A lone turn leaves a second core idle: the reader of meaning, asked next, reads it there meanwhile."""
        verifier = self.verifier
        if len(dialogues) > 1 or verifier is None:
            return self.rewriter.predict(dialogues)
        return self._parallel.meanwhile(lambda: self.rewriter.predict(dialogues), lambda: verifier.read_ahead(dialogues))

    def _guard(self, turns: Sequence[_Turn]) -> None:
        """Ask the guard about every rewrite. It is our own code on short texts, so it needs no thread and no deadline."""
        checked = [(turn, turn.rewrite) for turn in turns if turn.rewrite is not None]
        with traced("grice.guard") if checked else contextlib.nullcontext():
            for turn, rewrite in checked:
                turn.findings = self._findings(turn, rewrite)

    def _verify(self, turns: Sequence[_Turn]) -> None:
        """Ask the reader of meaning about every rewrite that the guard supports."""
        offered = [(turn, turn.rewrite) for turn in turns if turn.rewrite is not None and turn.failure is None]
        supported = {turn for turn, _, _ in self._verified(offered)}
        for turn, rewrite in offered:
            if turn not in supported and turn.failure is None:
                turn.findings = (Finding("added", "meaning", rewrite.text),)

    def _verified(self, offered: Sequence[tuple[_Turn, Rewrite]]) -> list[tuple[_Turn, Rewrite, float]]:
        """The rewrites that the reader of meaning supports, with their shares; without it all of them."""
        if self.verifier is None:
            return [(turn, rewrite, 1.0) for turn, rewrite in offered]
        asked = [(turn, (turn.dialogue, rewrite)) for turn, rewrite in offered]
        found = self._ask_each("meaning", self.verifier.support, asked)
        return [(turn, rewrite, share) for turn, (rewrite, share) in found if share is not None]

    def _replace_refused(self, turns: Sequence[_Turn]) -> None:
        """Give each turn the best verified of the rewriter's other candidates that the guard supports; with none it stays refused.

        Without a reader of meaning that is the first one.
        """
        if not isinstance(self.rewriter, OffersCandidates):
            return
        offered = [
            (turn, other)
            for turn, candidates in self._ask("rewriter", self.rewriter.candidates, turns)
            for other in [each for each in candidates if not self._findings(turn, each)][:MOST_VERIFIED]
        ]
        best: dict[_Turn, tuple[Rewrite, float]] = {}
        for turn, rewrite, share in self._verified([pair for pair in offered if pair[0].failure is None]):
            if turn not in best or share > best[turn][1]:
                best[turn] = rewrite, share
        for turn, (rewrite, _) in best.items():
            if turn.failure is None:
                turn.rewrite, turn.findings = rewrite, ()

    def _findings(self, turn: _Turn, rewrite: Rewrite) -> tuple[Finding, ...]:
        try:
            return self.guard.check(turn.dialogue, rewrite.text)
        except Exception as error:  # noqa: BLE001 - one bad turn; a guard of somebody's own may fail in any way
            self._fail("guard", [turn], error)
            return ()

    def _analysis(self, turn: _Turn) -> TurnAnalysis:
        if turn.menu_rewrite is not None:
            return self._menu_analysis(turn, turn.menu_rewrite)
        decision, reason = self._decide(turn)
        text = turn.text
        if decision == "rewrite" and turn.rewrite is not None:
            text = turn.rewrite.text if self.settings.mode == "replace" else appended(turn.text, turn.rewrite.text)
        failures = () if turn.failure is None else (turn.failure,)
        return TurnAnalysis(turn.text, text, decision, reason, turn.directness, turn.rewrite, turn.findings, failures)

    def _menu_analysis(self, turn: _Turn, found: MenuRewrite) -> TurnAnalysis:
        unchanged = is_same(found.text, turn.text)
        if not found.text or unchanged:
            reason: Reason = "unchanged" if found.text else found.reason
            decision: Decision = "pass" if found.question is None else "clarify"
            return TurnAnalysis(turn.text, turn.text, decision, reason, meaning=found.meaning, clarification=found.question)
        text = found.text if self.settings.mode == "replace" else appended(turn.text, found.text)
        rewrite = Rewrite(found.text, found.meaning.confidence, 0)
        return TurnAnalysis(turn.text, text, "rewrite", found.reason, rewrite=rewrite, meaning=found.meaning)

    def _decide(self, turn: _Turn) -> tuple[Decision, Reason]:
        score, rewrite = turn.directness, turn.rewrite
        if turn.out_of_scope:
            return "pass", "out_of_scope"
        if turn.failure is not None or score is None:
            return "pass", "failed"
        if score.score >= self.settings.direct_from or is_mere_reply(turn.text) or turn.is_plain:
            return "pass", "direct"
        if rewrite is None:
            return "pass", "unknown" if turn.is_strange else "courtesy"
        if is_same(rewrite.text, turn.text):
            return "pass", "unchanged"
        untrusted: Decision = "clarify" if score.score < self.settings.clarify_below else "pass"
        if turn.findings:
            return untrusted, "refused"
        unsure = self.verifier is None and rewrite.confidence < self.settings.min_confidence
        if unsure or not rewrite.finished or rewrite.text_cut:
            return untrusted, "uncertain"
        return "rewrite", "indirect"

    def _ask(
        self, stage: Stage, work: Callable[[Sequence[Dialogue]], Sequence[Result]], turns: Sequence[_Turn]
    ) -> list[tuple[_Turn, Result]]:
        """As `_ask_each`, about the turns' dialogues."""
        return self._ask_each(stage, work, [(turn, turn.dialogue) for turn in turns])

    def _ask_each(
        self, stage: Stage, work: Callable[[Sequence[Asked]], Sequence[Result]], turns: Sequence[tuple[_Turn, Asked]]
    ) -> list[tuple[_Turn, Result]]:
        """The turns that a stage gave a result for, with it; the others are marked as failed."""

        def within_deadline(asked: Sequence[Asked]) -> Sequence[Result]:
            with traced(f"grice.{stage}"):
                return self._workers.within(self.settings.deadline_ms, stage, lambda: work(asked))

        final = (DeadlineExceeded,) if self.settings.on_error == "pass_through" else (Exception,)
        outcomes = isolate(within_deadline, [asked for _, asked in turns], final)
        failed: dict[Exception, list[_Turn]] = {}
        for (turn, _), outcome in zip(turns, outcomes, strict=True):
            if isinstance(outcome, Exception):
                failed.setdefault(outcome, []).append(turn)
        for error, marked in failed.items():
            self._fail(stage, marked, error)
        return [(turn, each) for (turn, _), each in zip(turns, outcomes, strict=True) if not isinstance(each, Exception)]

    def _fail(self, stage: Stage, turns: Sequence[_Turn], error: Exception) -> None:
        if self.settings.on_error == "raise":
            raise error
        # The message is not logged: it may quote a turn.
        log.warning("stage %s failed, %d turns pass unchanged: %s", stage, len(turns), type(error).__name__)
        for turn in turns:
            turn.failure = StageFailure(stage, type(error).__name__, str(error))


def _check(dialogues: Sequence[Dialogue | MeaningQuestion]) -> None:
    known = (Dialogue, MeaningQuestion)
    if not isinstance(dialogues, Sequence) or not all(isinstance(each, known) for each in dialogues):
        allowed = "a list of Dialogue, such as [Dialogue.of(text, history)], or of MeaningQuestion, which have a menu, too"
        raise InputError("dialogues", dialogues, allowed)


def appended(original: str, rewrite: str) -> str:
    """The original, then the rewrite as a sentence of its own. Character offsets inside the original stay valid."""
    stop = "" if original.rstrip().endswith((".", "!", "?")) else "."
    return f"{original.rstrip()}{stop} {rewrite}"
