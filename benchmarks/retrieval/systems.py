"""What finds the entry: an encoder alone, the same with Grice, and shared words as the floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grice.benchmarks.core.options import Threaded, model_option, option
from grice.benchmarks.core.systems import System, Systems
from grice.benchmarks.indirect_requests.slots.features import share
from grice.benchmarks.retrieval.cases import RetrievalCase
from grice.benchmarks.retrieval.encoders import PublishedEncoder
from grice.benchmarks.retrieval.readings import KeptReading, RememberedReadings
from grice.middleware.meaning.ranking import LIKENESS, PRIOR, WEIGHT, add_prior, add_reading
from grice.middleware.turns.pipeline import appended
from grice.models.meaning.menu import say_intent
from grice.models.schema import BotSchema, IntentSpec
from grice.models.text.verbatim import words

PLAIN, OURS, BY_PRIOR = "plain", "grice", "grice-prior"
LARGER = "mpnet"


@dataclass(frozen=True)
class RetrievalOptions(Threaded):
    """What `grice bench retrieval` takes."""

    tasks: tuple[str, ...] = option((), "only these tasks (default: all)", "T", flag="--task")
    reader: str = model_option("reader of meaning", "meaning")
    larger: Path = option(Path("runs/all-mpnet-base-v2"), "the folder of all-mpnet-base-v2", "DIR")
    weight: float = option(WEIGHT, "of the log of an entry's share of what the turn may mean, beside a cosine", "W", (0, 10))
    likeness: float = option(LIKENESS, "of the reader's own cosine, beside a cosine", "W", (0, 10))
    share: float = option(1.0, "the part of all turns that is read, chosen by their text", "P", (0.01, 1))
    readings: Path | None = option(None, "remembers what the reader said: a run that was stopped goes on", "FILE.jsonl")


@dataclass(frozen=True)
class RetrievalTask:
    """Turns of one set, and what the systems are built from."""

    name: str
    cases: Sequence[RetrievalCase]
    likeness: float
    weight: float
    readings: RememberedReadings
    encoders: Mapping[str, Callable[[], PublishedEncoder]]

    def encoder(self, system: str) -> PublishedEncoder:
        """The one that a system is built on; its checksum is noted.

        Raises:
            DataNotFound, MissingExtra: it is not there.
        """
        found = self.encoders[LARGER if system.endswith(f"-{LARGER}") else ""]()
        self.readings.sheet.models[found.name] = found.checksum
        return found


Ranks = Sequence[int]
"""Of each case the place of the right entry, from 1; entries that are as like count as before it."""


def _plain(task: RetrievalTask, name: str) -> Ranks:
    texts = [case.question.dialogue.last.text for case in task.cases]
    return [_rank(case, found) for case, found in zip(task.cases, _similarities(task, name, texts), strict=True)]


def _with_grice(task: RetrievalTask, name: str) -> Ranks:
    def rank(case: RetrievalCase, found: Mapping[str, float], read: KeptReading) -> int:
        return _rank(case, add_reading(found, read.entries, task.likeness, task.weight))

    return _with_readings(task, name, rank)


def _with_prior(task: RetrievalTask, name: str) -> Ranks:
    return _with_readings(task, name, lambda case, found, read: _rank(case, add_prior(found, read.meaning, PRIOR)))


def _with_readings(task: RetrievalTask, name: str, rank: Callable[[RetrievalCase, Mapping[str, float], KeptReading], int]) -> Ranks:
    """Ranks by the similarities of turns with their rewrites, and what was read of them."""
    read = task.readings.read([case.question for case in task.cases], f"{OURS} {task.name}")
    own = [case.question.dialogue.last.text for case in task.cases]
    texts = [appended(text, each.rewrite) if each.rewrite else text for text, each in zip(own, read, strict=True)]
    return [rank(*each) for each in zip(task.cases, _similarities(task, name, texts), read, strict=True)]


def _similarities(task: RetrievalTask, name: str, texts: Sequence[str]) -> list[dict[str, float]]:
    encoder = task.encoder(name)
    vectors = encoder.encode(texts)
    kept: dict[BotSchema, NDArray[np.float32]] = {}

    def entries(case: RetrievalCase) -> NDArray[np.float32]:
        schema = case.question.schema
        if schema not in kept:
            kept[schema] = np.stack([_entry(encoder, intent) for intent in schema.intents])
        return kept[schema]

    return [
        dict(zip(_names(case), (entries(case) @ vector).tolist(), strict=True))
        for case, vector in zip(task.cases, vectors, strict=True)
    ]


def _names(case: RetrievalCase) -> list[str]:
    return [intent.name for intent in case.question.schema.intents]


def _entry(encoder: PublishedEncoder, intent: IntentSpec) -> NDArray[np.float32]:
    """The mean of the vectors of an intent's texts, of length 1."""
    mean: NDArray[np.float32] = encoder.encode([say_intent(intent), *intent.examples]).mean(0)
    unit: NDArray[np.float32] = mean / np.linalg.norm(mean)
    return unit


def _by_words(task: RetrievalTask, name: str) -> Ranks:
    ranks = []
    for case in task.cases:
        said = words(case.question.dialogue.last.text)
        ranks.append(_rank(case, {each.name: _shared(each, said) for each in case.question.schema.intents}))
    return ranks


def _shared(intent: IntentSpec, said: Sequence[str]) -> float:
    return max(share(words(text), said) for text in (say_intent(intent), *intent.examples))


def _rank(case: RetrievalCase, scores: Mapping[str, float]) -> int:
    return sum(score >= scores[case.gold] for score in scores.values())


SYSTEMS = Systems[RetrievalTask, Ranks](
    "retrieval",
    System(PLAIN, "cosine of the last message and each entry, by all-MiniLM-L6-v2", "floor", _plain),
    System(OURS, "the same with the rewrite behind the message, and what the reader says of each entry", "ours", _with_grice),
    System(
        BY_PRIOR,
        "the same with the rewrite and the ten likeliest meanings, which is all that the service tells",
        "ours",
        _with_prior,
    ),
    System(f"{PLAIN}-{LARGER}", "as plain, by all-mpnet-base-v2", "floor", _plain),
    System(f"{OURS}-{LARGER}", "as grice, by all-mpnet-base-v2", "ours", _with_grice),
    System("lexical", "the part of the words of one of the entry's texts that the message has", "floor", _by_words),
)
