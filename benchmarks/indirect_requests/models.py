"""The models that the tasks share: each is loaded once, when a system asks for it, and answers a question once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grice.benchmarks.core.options import Threaded, model_option, option
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.indirect_requests.data import WantedSource
from grice.benchmarks.indirect_requests.slots.state import StateTracker, Tracked
from grice.benchmarks.llm import LlmOptions
from grice.benchmarks.rasa.host import WORK
from grice.models.protocols import SlotPredictor
from grice.models.runtime.runtime import Runtime
from grice.models.slots.questions import SlotQuestion

PLAIN = "plain"
TRACKER_FOLDER = "slot-tracker"


@dataclass(frozen=True)
class IndirectOptions(Threaded, LlmOptions):
    """What `grice bench indirect-requests` takes."""

    tasks: tuple[str, ...] = option((), "only these tasks (default: all)", "T", flag="--task")
    requests: WantedSource = option("auto", "whose requests; auto: the official ones if their files are there")
    resolver: str = model_option("slot-value resolver", "meaning")
    work: Path = option(WORK, "keeps the state tracker that the first run trains", "DIR")


def load_resolver(options: IndirectOptions) -> SlotPredictor:
    """The shipped slot-value resolver, or the exported one that the options name."""
    from grice.models.slots.resolver import load_slot_resolver

    return load_slot_resolver(options.resolver, runtime=Runtime(threads=options.threads))


def load_tracker(options: IndirectOptions) -> StateTracker:
    """The state tracker that is kept in the options' folder, trained first if there is none."""
    from grice.benchmarks.indirect_requests.slots.tracker import tracker_at
    from grice.models.sentence_encoder.encoder import load_sentence_encoder

    return tracker_at(
        options.work / TRACKER_FOLDER, options.data_dir, load_sentence_encoder(runtime=Runtime(threads=options.threads))
    )


@dataclass(frozen=True)
class Loaders:
    """Where the models are from."""

    resolver: Callable[[IndirectOptions], SlotPredictor] = load_resolver
    tracker: Callable[[IndirectOptions], StateTracker] = load_tracker


class SlotModels:
    """Resolver and tracker.

    Raises:
        ModelError, DataError: on asking for one that cannot be loaded.
    """

    def __init__(self, options: IndirectOptions, loaders: Loaders, sheet: Sheet) -> None:
        self._options, self._loaders, self._sheet = options, loaders, sheet
        self._tracked: dict[SlotQuestion, Tracked] = {}

    @cached_property
    def resolver(self) -> SlotPredictor:
        """Grice's."""
        found = self._loaders.resolver(self._options)
        self._sheet.add_model(found)
        return found

    @cached_property
    def tracker(self) -> StateTracker:
        """That of the bot which Grice is added to."""
        found = self._loaders.tracker(self._options)
        self._sheet.settings[PLAIN] = dict(found.facts)
        return found

    def track(self, questions: Sequence[SlotQuestion]) -> list[Tracked]:
        """What the tracker finds, one a question; each is read once."""
        fresh = [question for question in dict.fromkeys(questions) if question not in self._tracked]
        self._tracked.update(zip(fresh, self.tracker.predict(fresh), strict=True))
        return [self._tracked[question] for question in questions]
