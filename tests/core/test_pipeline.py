import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from grice.middleware import Finding, Guard, Pipeline, PipelineSettings, appended
from grice.models import Dialogue, Turn
from grice.models.errors import DeadlineExceeded, InputError, WeightsError
from grice.models.results import Directness, Rewrite

HISTORY = [Turn("bot", "There is an expensive hotel. Shall I book it?")]
INDIRECT = Dialogue.of("I don't have that much money", HISTORY)
DIRECT = Dialogue.of("Find me a cheap hotel", HISTORY)


@dataclass
class Scripted:
    """A model that answers from a table of texts and counts what it was asked."""

    answers: Mapping[str, Any]
    asked: int = 0

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Any]:
        self.asked += len(dialogues)
        return [self.answers[dialogue.last.text] for dialogue in dialogues]


@dataclass
class Acting:
    """A model that runs a function instead of answering."""

    act: Callable[[], object]

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Any]:
        self.act()
        return []


SCORES = Scripted({INDIRECT.last.text: Directness(0.05), DIRECT.last.text: Directness(0.9)})


def pipeline(rewrite: Rewrite, **settings: Any) -> Pipeline:
    return Pipeline(SCORES, Scripted({INDIRECT.last.text: rewrite}), PipelineSettings(**settings))


def test_direct_turn_passes_without_waking_the_rewriter() -> None:
    rewriter = Scripted({})
    result = Pipeline(SCORES, rewriter).predict([DIRECT])[0]
    assert (result.decision, result.reason, result.text) == ("pass", "direct", DIRECT.last.text)
    assert rewriter.asked == 0


def test_indirect_turn_is_replaced() -> None:
    result = pipeline(Rewrite("Find me a cheap hotel", 0.9, 6), mode="replace").predict([INDIRECT])[0]
    assert (result.decision, result.reason, result.text) == ("rewrite", "indirect", "Find me a cheap hotel")
    assert result.original == INDIRECT.last.text


def test_append_keeps_the_original_in_front() -> None:
    result = pipeline(Rewrite("Find me a cheap hotel", 0.9, 6), mode="append").predict([INDIRECT])[0]
    assert result.text == "I don't have that much money. Find me a cheap hotel"
    assert appended("Why? ", "Tell me.") == "Why? Tell me."


def test_mixed_batch_keeps_its_order() -> None:
    results = pipeline(Rewrite("Find me a cheap hotel", 0.9, 6)).predict([DIRECT, INDIRECT, DIRECT])
    assert [result.decision for result in results] == ["pass", "rewrite", "pass"]


def test_unsupported_rewrite_is_refused_and_the_turn_stays() -> None:
    result = pipeline(Rewrite("Book a hotel for 9 nights", 0.9, 6)).predict([INDIRECT])[0]
    assert (result.decision, result.reason, result.text) == ("clarify", "refused", INDIRECT.last.text)
    assert "9" in {finding.value for finding in result.findings}
    assert result.rewrite is not None


def test_refused_rewrite_gives_way_to_a_supported_candidate() -> None:
    class Offering(Scripted):
        def candidates(self, dialogues: Sequence[Dialogue]) -> list[list[Rewrite]]:
            texts = ["Book a hotel for 9 nights", "Find a cheap hotel", "Find a hotel"]
            return [[Rewrite(text, 0.8, 6) for text in texts] for _ in dialogues]

    offering = Offering({INDIRECT.last.text: Rewrite("Book a hotel for 8 nights", 0.9, 6)})
    result = Pipeline(SCORES, offering, PipelineSettings(mode="replace")).predict([INDIRECT])[0]
    assert (result.decision, result.text, result.findings) == ("rewrite", "Find a cheap hotel", ())
    assert result.rewrite is not None
    assert result.rewrite.text == "Find a cheap hotel"


def test_refused_rewrite_of_a_fairly_direct_turn_passes() -> None:
    result = pipeline(Rewrite("Book a hotel for 9 nights", 0.9, 6), clarify_below=0.01).predict([INDIRECT])[0]
    assert (result.decision, result.reason) == ("pass", "refused")


@pytest.mark.parametrize(
    "rewrite", [Rewrite("Find me a cheap hotel", 0.1, 6), Rewrite("Find me a cheap hotel", 0.9, 64, finished=False)]
)
def test_uncertain_rewrite_is_not_used(rewrite: Rewrite) -> None:
    result = pipeline(rewrite).predict([INDIRECT])[0]
    assert (result.decision, result.reason, result.text) == ("clarify", "uncertain", INDIRECT.last.text)


def test_rewrite_that_changes_nothing_passes() -> None:
    result = pipeline(Rewrite("I don't have THAT much money.", 0.9, 6)).predict([INDIRECT])[0]
    assert (result.decision, result.reason, result.text) == ("pass", "unchanged", INDIRECT.last.text)


def fail() -> None:
    raise WeightsError("the weights are gone")


@pytest.mark.parametrize(
    ("directness", "rewriter", "stage"),
    [(Acting(fail), Scripted({}), "directness"), (SCORES, Acting(fail), "rewriter"), (SCORES, Acting(lambda: None), "rewriter")],
)
def test_failing_stage_passes_the_turn_unchanged_and_marked(directness: object, rewriter: object, stage: str) -> None:
    result = Pipeline(directness, rewriter).predict([INDIRECT])[0]  # type: ignore[arg-type]
    assert (result.decision, result.reason, result.text) == ("pass", "failed", INDIRECT.last.text)
    assert [failure.stage for failure in result.failures] == [stage]
    assert result.failures[0].message


def test_failing_guard_passes_the_turn_unchanged_and_marked() -> None:
    class Broken(Guard):
        def check(self, dialogue: Dialogue, rewrite: str) -> tuple[Finding, ...]:
            raise RuntimeError("no idea")

    broken = Pipeline(SCORES, Scripted({INDIRECT.last.text: Rewrite("Find me a cheap hotel", 0.9, 6)}), guard=Broken())
    result = broken.predict([INDIRECT])[0]
    assert (result.reason, result.text, result.failures[0].stage) == ("failed", INDIRECT.last.text, "guard")


def test_late_stage_passes_the_turn_unchanged_and_marked() -> None:
    slow = Pipeline(SCORES, Acting(lambda: time.sleep(0.5)), PipelineSettings(deadline_ms=20))
    result = slow.predict([INDIRECT])[0]
    assert (result.reason, result.text, result.failures[0].error) == ("failed", INDIRECT.last.text, "DeadlineExceeded")


def test_raise_policy_raises() -> None:
    settings = PipelineSettings(on_error="raise", deadline_ms=20)
    with pytest.raises(WeightsError, match="gone"):
        Pipeline(Acting(fail), Scripted({}), settings).predict([INDIRECT])
    with pytest.raises(DeadlineExceeded, match="rewriter did not answer within 20 ms"):
        Pipeline(SCORES, Acting(lambda: time.sleep(0.5)), settings).predict([INDIRECT])


def test_no_dialogues() -> None:
    assert Pipeline(SCORES, Scripted({})).predict([]) == []


def test_shipped_models_rewrite_an_indirect_turn() -> None:
    results = Pipeline.load(PipelineSettings(mode="replace")).predict([INDIRECT, DIRECT])
    assert all(result.directness is not None and not result.failures for result in results)
    assert results[1].text == DIRECT.last.text


class Offering(Scripted):
    """Gives the same other candidates for every turn; says which turns it was asked about together, and fails or waits on some."""

    def __init__(self, answers: Mapping[str, Any], texts: Sequence[str], act: Callable[[str], object] = lambda text: None) -> None:
        super().__init__(answers)
        self.texts = texts
        self.act = act
        self.searched: list[list[str]] = []

    def candidates(self, dialogues: Sequence[Dialogue]) -> list[list[Rewrite]]:
        self.searched.append([dialogue.last.text for dialogue in dialogues])
        for dialogue in dialogues:
            self.act(dialogue.last.text)
        return [[Rewrite(text, 0.8, 6) for text in self.texts] for _ in dialogues]


MANY = [Dialogue.of(f"I don't have that much money {'so ' * number}today", HISTORY) for number in range(16)]
ALL_INDIRECT = Scripted({dialogue.last.text: Directness(0.05) for dialogue in MANY})


def sixteen(act: Callable[[str], object] = lambda text: None) -> Offering:
    """The rewrites of three of sixteen turns are refused."""
    texts = ["Find a cheap hotel today"] * 13 + ["Book a hotel for 8 nights today"] * 3
    rewrites = {dialogue.last.text: Rewrite(text, 0.9, 6) for dialogue, text in zip(MANY, texts, strict=True)}
    return Offering(rewrites, ["Book a hotel for 9 nights today", "Find a cheap hotel today"], act)


def test_other_candidates_are_searched_for_all_refused_rewrites_together() -> None:
    offering = sixteen()
    results = Pipeline(ALL_INDIRECT, offering).predict(MANY)
    assert [result.decision for result in results] == ["rewrite"] * 16
    assert offering.searched == [[dialogue.last.text for dialogue in MANY[13:]]]


def test_a_late_search_for_candidates_fails_the_refused_turns_alone() -> None:
    gate = threading.Event()
    try:
        results = Pipeline(ALL_INDIRECT, sixteen(lambda text: gate.wait(30)), PipelineSettings(deadline_ms=100)).predict(MANY)
    finally:
        gate.set()
    assert [result.decision for result in results] == ["rewrite"] * 13 + ["pass"] * 3
    assert {(failure.stage, failure.error) for result in results[13:] for failure in result.failures} == {
        ("rewriter", "DeadlineExceeded")
    }
    assert all(result.reason == "failed" and result.rewrite and result.findings for result in results[13:])


def test_a_search_that_breaks_on_one_turn_leaves_the_others() -> None:
    def act(text: str) -> None:
        if text == MANY[14].last.text:
            raise RuntimeError("no idea")

    results = Pipeline(ALL_INDIRECT, sixteen(act)).predict(MANY)
    assert [result.decision for result in results] == ["rewrite"] * 14 + ["pass", "rewrite"]
    assert [failure.error for failure in results[14].failures] == ["RuntimeError"]


def test_a_turn_that_breaks_a_model_fails_alone() -> None:
    class Brittle(Scripted):
        def predict(self, dialogues: Sequence[Dialogue]) -> list[Any]:
            if any(dialogue.last.text == MANY[1].last.text for dialogue in dialogues):
                raise RuntimeError("no idea")
            return super().predict(dialogues)

    results = Pipeline(Brittle(ALL_INDIRECT.answers), sixteen()).predict(MANY[:3])
    assert [result.reason for result in results] == ["indirect", "failed", "indirect"]
    assert [failure.stage for failure in results[1].failures] == ["directness"]


def time_out() -> None:
    raise TimeoutError("the disk is slow")


def test_a_timeout_of_the_model_s_own_is_no_missed_deadline() -> None:
    result = Pipeline(SCORES, Acting(time_out), PipelineSettings(deadline_ms=30_000)).predict([INDIRECT])[0]
    assert [(failure.error, failure.message) for failure in result.failures] == [("TimeoutError", "the disk is slow")]
    with pytest.raises(TimeoutError, match="the disk is slow"):
        Pipeline(SCORES, Acting(time_out), PipelineSettings(deadline_ms=30_000, on_error="raise")).predict([INDIRECT])


@pytest.mark.parametrize("asked", [["text"], "text", [INDIRECT, None], INDIRECT, [INDIRECT.last]])
def test_what_is_no_dialogue_is_refused(asked: Any) -> None:
    with pytest.raises(InputError, match=r"dialogues: got .*; allowed: a list of Dialogue"):
        Pipeline(SCORES, Scripted({})).predict(asked)


def test_a_guard_that_breaks_on_a_candidate_leaves_the_turn_unchanged() -> None:
    class Brittle(Guard):
        def check(self, dialogue: Dialogue, rewrite: str) -> tuple[Finding, ...]:
            if "9" in rewrite:
                raise RuntimeError("no idea")
            return super().check(dialogue, rewrite)

    results = Pipeline(ALL_INDIRECT, sixteen(), guard=Brittle()).predict(MANY[12:14])
    assert [(result.reason, result.text == result.original) for result in results] == [("indirect", False), ("failed", True)]
    assert [failure.stage for failure in results[1].failures] == ["guard"]


@pytest.mark.parametrize(
    ("score", "confidence", "decision", "reason"),
    [
        (0.6, 0.9, "pass", "direct"),  # as direct as `direct_from`
        (0.599, 0.9, "rewrite", "indirect"),
        (0.05, 0.45, "rewrite", "indirect"),  # as confident as `min_confidence`
        (0.05, 0.449, "clarify", "uncertain"),
        (0.1, 0.2, "pass", "uncertain"),  # as direct as `clarify_below`
        (0.099, 0.2, "clarify", "uncertain"),
    ],
)
def test_thresholds_belong_to_the_side_that_they_begin(score: float, confidence: float, decision: str, reason: str) -> None:
    scores = Scripted({INDIRECT.last.text: Directness(score)})
    rewriter = Scripted({INDIRECT.last.text: Rewrite("Find me a cheap hotel", confidence, 6)})
    settings = PipelineSettings(direct_from=0.6, min_confidence=0.45, clarify_below=0.1)
    result = Pipeline(scores, rewriter, settings).predict([INDIRECT])[0]
    assert (result.decision, result.reason) == (decision, reason)
    assert (result.rewrite is None) == (reason == "direct")  # what passes does not wake the rewriter
