"""The way of a bot's response before it is sent: softened, scored, or replaced."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from grice.middleware.responses.softening import SURE, is_trusted
from grice.middleware.turns.guard import Guard
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import ModelError
from grice.models.frustration.detector import UserFrustration
from grice.models.protocols import Model
from grice.models.results import Behavior, Behaviors, Rewrite

ResponseStage = Literal["softener", "monitor", "frustration", "fallback", "checks"]
"""`checks`: all of them together, which were late or had no room."""

Result = TypeVar("Result")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ResponseFailure:
    """A stage that failed: which, the error's class name, and its message."""

    stage: ResponseStage
    error: str
    message: str


@dataclass(frozen=True)
class CheckedResponse:
    """A bot's response after its checks.

    Attributes:
        original: the response as it came.
        text: what may be sent: the original, or its softer form.
        rewrite: the softer form; None where none was made. Kept also when it was not trusted.
        behaviors: what `text` does; None where it was not scored.
        exceeded: the behaviours whose threshold in `ResponseChecks` it exceeds.
        shown: the behaviours that reach the thresholds of the monitor itself; None where there are none, or it was not scored.
        evidence: for a behaviour that is about an earlier turn, that turn; its place is in `behaviors.evidence`, among the turns of
            the dialogue that was checked.
        failures: stages that failed; the response was left as it was by them.
        answered: the user's turn just before it; None where there is none. frustration: what that turn tells; None where it was
            not read.
    """

    original: str
    text: str
    rewrite: Rewrite | None = None
    behaviors: Behaviors | None = None
    exceeded: tuple[Behavior, ...] = ()
    shown: tuple[Behavior, ...] | None = None
    evidence: Mapping[Behavior, Turn] = field(default_factory=dict)
    failures: tuple[ResponseFailure, ...] = ()
    answered: Turn | None = None
    frustration: UserFrustration | None = None


@dataclass(frozen=True)
class ResponseChecks:
    """What is done to a response. Models are known by their protocol only.

    Attributes:
        softener: rewrites into indirect form; None: nothing is softened.
        monitor: scores behaviours; None: nothing is scored. Its attribute `thresholds`, if it has one, says what is shown.
        thresholds: the probability, 0 to 1, above which a behaviour is too likely.
        min_confidence: a softer form of less confidence is not trusted.
        guard: refuses a softer form that the response and its history do not support.
        frustration: tells by a dialogue that ends in the user's turn how likely the user is frustrated; None: that is not read.
    """

    softener: Model[Rewrite] | None = None
    monitor: Model[Behaviors] | None = None
    thresholds: Mapping[Behavior, float] = field(default_factory=dict)
    min_confidence: float = SURE
    guard: Guard = field(default_factory=Guard)
    frustration: Model[UserFrustration] | None = None

    def check(self, dialogue: Dialogue, soften: bool = True) -> CheckedResponse:
        """Check the last turn of the dialogue, the bot's response. A stage that fails is recorded and changes nothing."""
        failures: list[ResponseFailure] = []
        rewrite, text = None, dialogue.last.text
        if self.softener is not None and soften:
            rewrite = _tried("softener", lambda: self._softened(dialogue), failures)
            trusted = rewrite is not None and _tried("softener", lambda: self._is_trusted(dialogue, rewrite), failures)
            text = rewrite.text if rewrite is not None and trusted else text
        behaviors = _tried("monitor", lambda: self._scored(Dialogue.of(text, dialogue.history, "bot")), failures)
        shown = None if behaviors is None else _tried("monitor", lambda: self._shown(behaviors), failures)
        frustration = _tried("frustration", lambda: self._frustration(dialogue), failures)
        places = {} if behaviors is None else behaviors.evidence
        return CheckedResponse(
            original=dialogue.last.text,
            text=text,
            rewrite=rewrite,
            behaviors=behaviors,
            exceeded=self._exceeded(behaviors),
            shown=shown,
            evidence={label: dialogue.history[place] for label, place in places.items()},
            failures=tuple(failures),
            answered=_answered(dialogue),
            frustration=frustration,
        )

    def _frustration(self, dialogue: Dialogue) -> UserFrustration | None:
        if self.frustration is None or _answered(dialogue) is None:
            return None
        return _only(self.frustration, Dialogue(dialogue.history))

    def _softened(self, dialogue: Dialogue) -> Rewrite | None:
        return None if self.softener is None else _only(self.softener, dialogue)

    def _is_trusted(self, dialogue: Dialogue, rewrite: Rewrite) -> bool:
        return is_trusted(dialogue, rewrite, self.guard, self.min_confidence)

    def _scored(self, dialogue: Dialogue) -> Behaviors | None:
        if self.monitor is None:
            return None
        found = _only(self.monitor, dialogue)
        if any(place >= len(dialogue.history) for place in found.evidence.values()):
            raise ModelError(f"the model names a turn as evidence that is none of the {len(dialogue.history)} before the response")
        return found

    def _shown(self, behaviors: Behaviors) -> tuple[Behavior, ...] | None:
        thresholds: Mapping[Behavior, float] | None = getattr(self.monitor, "thresholds", None)
        return None if thresholds is None else behaviors.shown(thresholds)

    def _exceeded(self, behaviors: Behaviors | None) -> tuple[Behavior, ...]:
        if behaviors is None:
            return ()
        found = {label: behaviors.probabilities.get(label) for label in self.thresholds}
        return tuple(label for label, value in found.items() if value is not None and value > self.thresholds[label])


def _answered(dialogue: Dialogue) -> Turn | None:
    before = dialogue.history[-1] if dialogue.history else None
    return before if before is not None and before.speaker == "user" else None


def _only(model: Model[Result], dialogue: Dialogue) -> Result:
    results = model.predict([dialogue])
    if len(results) != 1:
        raise ModelError(f"the model gave {len(results)} results for 1 dialogue")
    return results[0]


def _tried(stage: ResponseStage, work: Callable[[], Result | None], failures: list[ResponseFailure]) -> Result | None:
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - a stage may fail in any way; the response goes out
        log.warning("response stage %s failed: %s", stage, type(error).__name__)  # messages may quote the response
        failures.append(ResponseFailure(stage, type(error).__name__, str(error)))
        return None
