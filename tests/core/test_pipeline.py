import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from grice.middleware import Guard, Pipeline, PipelineSettings, appended
from grice.models import Dialogue, Turn
from grice.models.errors import DeadlineExceeded, WeightsError
from grice.models.results import Directness, Rewrite

HISTORY = [Turn("bot", "There is an expensive hotel. Shall I book it?")]
INDIRECT = Dialogue.of("I don't have that much money", HISTORY)
DIRECT = Dialogue.of("Find me a cheap hotel", HISTORY)


@dataclass
class Scripted:
    """A model that answers from a table of texts and counts what it was asked."""

    answers: dict[str, object]
    asked: int = 0

    def predict(self, dialogues: Sequence[Dialogue]) -> list:
        self.asked += len(dialogues)
        return [self.answers[dialogue.last.text] for dialogue in dialogues]


@dataclass
class Acting:
    """A model that runs a function instead of answering."""

    act: Callable[[], object]

    def predict(self, dialogues: Sequence[Dialogue]) -> list:
        self.act()
        return []


SCORES = Scripted({INDIRECT.last.text: Directness(0.05), DIRECT.last.text: Directness(0.9)})


def pipeline(rewrite: Rewrite, **settings: object) -> Pipeline:
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
        def check(self, dialogue: Dialogue, rewrite: str) -> tuple:
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
