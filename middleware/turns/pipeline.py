"""The live path of a user turn: directness, gate, rewriter, guard."""

from __future__ import annotations

import concurrent.futures
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from grice.middleware.settings import PipelineSettings
from grice.middleware.telemetry import traced
from grice.middleware.turns.analysis import Decision, Finding, Stage, StageFailure, TurnAnalysis
from grice.middleware.turns.courtesy import is_courtesy
from grice.middleware.turns.guard.guard import Guard
from grice.models import load_directness_scorer, load_rewriter
from grice.models.dialogue import Dialogue
from grice.models.errors import DeadlineExceeded, ModelError
from grice.models.protocols import Model, OffersCandidates
from grice.models.results import Directness, Rewrite

Result = TypeVar("Result")

log = logging.getLogger(__name__)


class Pipeline:
    """Decides for each user turn whether it passes, is rewritten, or needs a question back.

    The models are known by their protocol only, so a remote model or a test's fits as well. A stage that fails or is later than
    `deadline_ms` leaves its turns unchanged and marked (`on_error="pass_through"`) or raises (`"raise"`).
    """

    def __init__(
        self,
        directness: Model[Directness],
        rewriter: Model[Rewrite],
        settings: PipelineSettings | None = None,
        guard: Guard | None = None,
    ) -> None:
        self.settings = settings or PipelineSettings()
        self.directness = directness
        self.rewriter = rewriter
        self.guard = guard or Guard()
        self._workers = concurrent.futures.ThreadPoolExecutor(max_workers=4, thread_name_prefix="grice-stage")

    @classmethod
    def load(cls, settings: PipelineSettings | None = None) -> Pipeline:
        """The pipeline with the models that the settings name.

        Raises:
            ModelError: a model is not there, damaged, or its execution provider is not available.
        """
        chosen = settings or PipelineSettings()
        return cls(
            load_directness_scorer(chosen.directness_model, **chosen.runtime),
            load_rewriter(chosen.rewriter_model, **chosen.runtime),
            chosen,
        )

    def predict(self, dialogues: Sequence[Dialogue]) -> list[TurnAnalysis]:
        """Analyse the last turn of each dialogue, in order.

        Raises:
            GriceError: a stage failed and the settings say `raise`.
        """
        analyses = [TurnAnalysis(dialogue.last.text, dialogue.last.text, "pass", "direct") for dialogue in dialogues]
        if not analyses:
            return []
        scores = self._stage("directness", lambda: _complete(self.directness.predict(dialogues), dialogues))
        if isinstance(scores, StageFailure):
            return [replace(analysis, reason="failed", failures=(scores,)) for analysis in analyses]
        analyses = [replace(analysis, directness=score) for analysis, score in zip(analyses, scores, strict=True)]
        indirect = []
        for place, (dialogue, score) in enumerate(zip(dialogues, scores, strict=True)):
            if score.score >= self.settings.direct_from:
                continue
            if is_courtesy(dialogue.last.text):
                analyses[place] = replace(analyses[place], reason="courtesy")
            else:
                indirect.append(place)
        if indirect:
            rewritten = self._rewrite([dialogues[place] for place in indirect], [analyses[place] for place in indirect])
            for place, analysis in zip(indirect, rewritten, strict=True):
                analyses[place] = analysis
        return analyses

    def _rewrite(self, dialogues: Sequence[Dialogue], analyses: Sequence[TurnAnalysis]) -> list[TurnAnalysis]:
        rewrites = self._stage("rewriter", lambda: _complete(self.rewriter.predict(dialogues), dialogues))
        if isinstance(rewrites, StageFailure):
            return [replace(analysis, reason="failed", failures=(rewrites,)) for analysis in analyses]
        checks = self._stage("guard", lambda: [self._checked(*pair) for pair in zip(dialogues, rewrites, strict=True)])
        if isinstance(checks, StageFailure):
            return [
                replace(analysis, reason="failed", failures=(checks,), rewrite=rewrite)
                for analysis, rewrite in zip(analyses, rewrites, strict=True)
            ]
        return [self._judge(analysis, *check) for analysis, check in zip(analyses, checks, strict=True)]

    def _checked(self, dialogue: Dialogue, rewrite: Rewrite) -> tuple[Rewrite, tuple[Finding, ...]]:
        """The rewrite and what the guard finds; in place of a refused one the first of the rewriter's others that it supports."""
        findings = self.guard.check(dialogue, rewrite.text)
        if findings and isinstance(self.rewriter, OffersCandidates):
            for other in self.rewriter.candidates([dialogue])[0]:
                if not self.guard.check(dialogue, other.text):
                    return other, ()
        return rewrite, findings

    def _judge(self, analysis: TurnAnalysis, rewrite: Rewrite, findings: tuple[Finding, ...]) -> TurnAnalysis:
        analysis = replace(analysis, rewrite=rewrite)
        if _letters(rewrite.text) == _letters(analysis.original):
            return replace(analysis, reason="unchanged")
        if findings:
            return replace(analysis, decision=self._untrusted(analysis), reason="refused", findings=findings)
        if rewrite.confidence < self.settings.min_confidence or not rewrite.finished or rewrite.text_cut:
            return replace(analysis, decision=self._untrusted(analysis), reason="uncertain")
        text = rewrite.text if self.settings.mode == "replace" else appended(analysis.original, rewrite.text)
        return replace(analysis, text=text, decision="rewrite", reason="indirect")

    def _untrusted(self, analysis: TurnAnalysis) -> Decision:
        score = analysis.directness.score if analysis.directness else 0.0
        return "clarify" if score < self.settings.clarify_below else "pass"

    def _stage(self, stage: Stage, work: Callable[[], Result]) -> Result | StageFailure:
        """The result of `work`, or its failure; a late result is thrown away."""
        future = self._workers.submit(work)
        try:
            with traced(f"grice.{stage}"):
                return future.result(self.settings.deadline_ms / 1000)
        except concurrent.futures.TimeoutError:
            future.cancel()
            error: Exception = DeadlineExceeded(f"{stage} did not answer within {self.settings.deadline_ms} ms")
        except Exception as caught:  # a stage may fail in any way; the conversation goes on
            error = caught
        if self.settings.on_error == "raise":
            raise error
        log.warning("stage %s failed, the turn passes unchanged: %s", stage, type(error).__name__)  # messages may quote the turn
        return StageFailure(stage, type(error).__name__, str(error))


def _complete(results: Sequence[Result], dialogues: Sequence[Dialogue]) -> Sequence[Result]:
    if len(results) != len(dialogues):
        raise ModelError(f"the model gave {len(results)} results for {len(dialogues)} dialogues")
    return results


def appended(original: str, rewrite: str) -> str:
    """The original, then the rewrite as a sentence of its own. Character offsets inside the original stay valid."""
    stop = "" if original.rstrip().endswith((".", "!", "?")) else "."
    return f"{original.rstrip()}{stop} {rewrite}"


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
