"""The five-stage pipeline of Mannekote et al. 2024 (Figure 2): from the slots of a schema to indirect requests for their values.

1. The schema gives slots with their values. 2. and 3. A `Writer` finds facts about a value in its situation, and writes candidates.
4. The criteria drop candidates that do not fit, or that do not mean their value alone. 5. So does a mention of the value, and what
is there already. The fifth stage costs nothing, so it comes before the fourth: what it drops is not judged.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal, TypeVar

from grice.middleware.authoring.augment.example import letters
from grice.middleware.authoring.indirect_requests.criteria import Candidate, Criteria, Writer, unambiguous_value
from grice.middleware.authoring.indirect_requests.request_slot import RequestSlot
from grice.middleware.authoring.indirect_requests.strategies import StrategyLabeller
from grice.middleware.runtime.progress import Progress
from grice.middleware.schemas.rasa.annotation import annotated
from grice.middleware.settings import check_settings, setting
from grice.models.data.indirect_requests import AMBIGUOUS, Strategy
from grice.models.dialogue import check_text
from grice.models.errors import GriceError, InputError, NoDecision
from grice.models.text.verbatim import says

Rejection = Literal["verbatim", "duplicate", "unusable", "inappropriate", "ambiguous", "other value", "unjudged", "surplus"]
REFUSALS: Mapping[Rejection, str] = {
    "verbatim": "it says the value",
    "duplicate": "another request for the slot has the same letters and digits",
    "unusable": "it is no text, too long, or cannot be written as an example of Rasa's",
    "inappropriate": "it does not fit the situation",
    "ambiguous": "it may mean several values, or none",
    "other value": "it means another value than it was written for",
    "unjudged": "a criterion could not be judged",
    "surplus": "one more than the settings allow",
}

Verdict = TypeVar("Verdict")


@dataclass(frozen=True)
class Generated:
    """A request that passed all stages.

    Attributes:
        candidate: as it was written.
        target: the value that it means, or `AMBIGUOUS`.
        strategy: how it says it.
        labelled: who says so: `writer`, who was told to use it, or `rules`.
        appropriateness, implied, world_understanding: what the criteria say.
        criteria: who judged.
    """

    candidate: Candidate
    target: str
    strategy: Strategy
    labelled: Literal["writer", "rules"]
    appropriateness: float
    implied: tuple[str, ...]
    world_understanding: float
    criteria: str


@dataclass(frozen=True)
class Generation:
    """What came of it.

    Attributes:
        requests: in the order of slots and values.
        refused: candidates that were dropped, by reason.
        empty: slots and values for which nothing is left.
    """

    requests: tuple[Generated, ...]
    refused: Mapping[Rejection, int]
    empty: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CandidateJudges:
    """Who judges candidates.

    Attributes:
        criteria: whether a candidate is an indirect request for its value.
        labeller: which strategy it follows.
    """

    criteria: Criteria
    labeller: StrategyLabeller


def generate(
    slots: Sequence[RequestSlot],
    writer: Writer,
    judges: CandidateJudges,
    settings: GenerationSettings | None = None,
    progress: Progress | None = None,
) -> Generation:
    """Indirect requests for every value of `slots`. The same parts and seed give the same requests.

    Raises:
        GriceError: the writer failed, or whoever judges answered for no candidate of a value.
    """
    selector = _Selector(judges, settings or GenerationSettings())
    wanted = [(slot, value) for slot in slots for value in slot.values]
    made: list[Generated] = []
    empty: list[tuple[str, str]] = []
    for place, (slot, value) in enumerate(wanted):
        if progress:
            progress(place, len(wanted))
        found = selector.of(writer.write(slot, value))
        made += found
        if not found:
            empty.append((slot.name, value))
    if progress:
        progress(len(wanted), len(wanted))
    return Generation(tuple(made), dict(+selector.refused), tuple(empty))


class _Selector:
    """Takes candidates of one value after another; remembers what is there."""

    def __init__(self, judges: CandidateJudges, settings: GenerationSettings) -> None:
        self.refused: Counter[Rejection] = Counter()
        self._criteria = judges.criteria
        self._labeller = judges.labeller
        self._settings = settings
        self._seen: set[tuple[str, str, str]] = set()

    def of(self, candidates: Sequence[Candidate]) -> list[Generated]:
        judged = self._judged([candidate for candidate in candidates if self._is_new(candidate)])
        by_strategy: defaultdict[Strategy, list[Generated]] = defaultdict(list)
        chance = random.Random(self._settings.seed)
        for each in chance.sample(judged, len(judged)):
            by_strategy[each.strategy].append(each)
        taken = _in_turns(list(by_strategy.values()))[: self._settings.per_value]
        self.refused["surplus"] += len(judged) - len(taken)
        return [each for each in judged if each in taken]

    def _is_new(self, candidate: Candidate) -> bool:
        text, asked = candidate.utterance, candidate.asked
        key = asked.service, asked.name, letters(text)
        if not letters(text) or not _is_writable(text):
            self.refused["unusable"] += 1
        elif says(text, candidate.target):
            self.refused["verbatim"] += 1
        elif key in self._seen:
            self.refused["duplicate"] += 1
        else:
            self._seen.add(key)
            return True
        return False

    def _judged(self, candidates: Sequence[Candidate]) -> list[Generated]:
        """Those that the criteria let pass, with what they say."""
        fits = self._kept(candidates, self._criteria.appropriateness(candidates), self._unfit)
        means = self._kept(list(fits), self._criteria.implied(list(fits)), self._misread)
        meant = {replace(candidate, target=unambiguous_value(implied)): candidate for candidate, implied in means.items()}
        rated = self._kept(list(meant), self._criteria.world_understanding(list(meant)), lambda candidate, rating: None)
        return [
            Generated(
                meant[clear],
                clear.target,
                clear.strategy or self._labeller.label(meant[clear]),
                "writer" if clear.strategy else "rules",
                fits[meant[clear]],
                means[meant[clear]],
                rating,
                self._criteria.name,
            )
            for clear, rating in rated.items()
        ]

    def _kept(
        self,
        candidates: Sequence[Candidate],
        verdicts: Sequence[Verdict | GriceError],
        refusal: Callable[[Candidate, Verdict], Rejection | None],
    ) -> dict[Candidate, Verdict]:
        """The candidates that are not refused, with their verdicts; where nobody answered for any, the first error is raised."""
        kept: dict[Candidate, Verdict] = {}
        failures = [each for each in verdicts if isinstance(each, GriceError) and not isinstance(each, NoDecision)]
        if failures and len(failures) == len(candidates):
            raise failures[0]
        for candidate, verdict in zip(candidates, verdicts, strict=True):
            reason: Rejection | None = "unjudged" if isinstance(verdict, GriceError) else refusal(candidate, verdict)
            if reason:
                self.refused[reason] += 1
            elif not isinstance(verdict, GriceError):
                kept[candidate] = verdict
        return kept

    def _unfit(self, candidate: Candidate, appropriateness: float) -> Rejection | None:
        return "inappropriate" if appropriateness < self._settings.min_appropriateness else None

    def _misread(self, candidate: Candidate, implied: tuple[str, ...]) -> Rejection | None:
        read = unambiguous_value(implied)
        if read == AMBIGUOUS:
            return None if self._settings.keep_ambiguous else "ambiguous"
        return None if read == candidate.target else "other value"


def _is_writable(text: str) -> bool:
    """Whether it can be a turn, and a line of Rasa's training data."""
    try:
        return annotated(check_text(text), []) == text
    except InputError:
        return False


def _in_turns(groups: Sequence[Sequence[Generated]]) -> list[Generated]:
    """One of each group, then a second of each, and so on, so that a limit leaves as many strategies as can be."""
    return [each for round_ in zip_longest(*groups) for each in round_ if each is not None]


@dataclass(frozen=True)
class GenerationSettings:
    """Which candidates are taken.

    Attributes:
        per_value: requests for one value at most.
        min_appropriateness: of the criterion, 1 to 10.
        keep_ambiguous: keep what may mean several values or none, labelled `<ambiguous>`; False: drop it.
        seed: which candidates are taken where there are too many.

    Raises:
        SettingsError: a value is out of range.
    """

    per_value: int = setting(5, 1, 100)
    min_appropriateness: float = setting(3.0, 1, 10)
    keep_ambiguous: bool = False
    seed: int = setting(0, 0, 2**32 - 1)

    def __post_init__(self) -> None:
        check_settings(self)
