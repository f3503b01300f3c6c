"""What our reader says of each turn, read once and remembered in a file where the options name one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tqdm import tqdm

from grice.benchmarks.core.sheet import Sheet
from grice.middleware import PipelineSettings
from grice.middleware.capabilities.codec import decode
from grice.middleware.meaning.ranking import CatalogueReading
from grice.middleware.turns.menu_rewriter import MenuRewriter
from grice.models.errors import DataCorrupt, ServiceError
from grice.models.manifest import FILE, sha256
from grice.models.meaning.reader import MeaningReader, load_meaning_reader
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.runtime.runtime import Runtime


@dataclass(frozen=True)
class KeptReading:
    """What a turn means, what the reader says of each entry, and the sentence put behind the turn; "": it stays as it is."""

    meaning: TurnMeaning
    entries: CatalogueReading
    rewrite: str


@dataclass
class RememberedReadings:
    """Reads turns as the pipeline does, with its default settings.

    Attributes:
        model: a shipped reader, or the folder of an exported one.
        path: JSON lines of what was read earlier, by the weights and the question; None: nothing is remembered.
        replayed: turns that were taken from it.
    """

    model: str
    sheet: Sheet
    threads: int = 1
    path: Path | None = None
    replayed: int = 0
    _remembered: dict[str, KeptReading] = field(default_factory=dict)
    _told: dict[str, KeptReading] = field(default_factory=dict)
    _read: dict[MeaningQuestion, tuple[TurnMeaning, CatalogueReading]] = field(default_factory=dict)

    @cached_property
    def reader(self) -> MeaningReader:
        """The reader of meaning.

        Raises:
            ModelError: it cannot be loaded.
        """
        found = load_meaning_reader(self.model, runtime=Runtime(threads=self.threads))
        self.sheet.add_model(found)
        self._remembered = _kept(self.path)
        self._told = dict(self._remembered)
        return found

    def predict(self, questions: Sequence[MeaningQuestion]) -> list[TurnMeaning]:
        """As the reader does; each question is read once."""
        return [self._read_once(question)[0] for question in questions]

    def _read_once(self, question: MeaningQuestion) -> tuple[TurnMeaning, CatalogueReading]:
        if question not in self._read:
            (scores,) = self.reader.score([question])
            self._read[question] = self.reader.conclude(question.dialogue, scores), CatalogueReading.of(scores)
        return self._read[question]

    def read(self, questions: Sequence[MeaningQuestion], label: str) -> list[KeptReading]:
        """One reading a question, in order.

        Raises:
            ModelError: the reader cannot be loaded. DataCorrupt: the file holds something else.
        """
        weights, settings = sha256(self.reader.manifest.folder / FILE), PipelineSettings()
        rewriter = MenuRewriter(self, settings.indirect_from, settings.rewrite_from, settings.clarify_from)
        found = []
        for question in tqdm(questions, desc=label, unit="turn", disable=None):
            key = _key(weights, question)
            self.replayed += key in self._remembered
            if key not in self._told:
                (rewritten,) = rewriter.predict([question])
                self._told[key] = KeptReading(rewritten.meaning, self._read_once(question)[1], rewritten.text)
                self._keep(key, self._told[key])
            found.append(self._told[key])
        return found

    def _keep(self, key: str, reading: KeptReading) -> None:
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, **asdict(reading)}, ensure_ascii=False) + "\n")


def _key(weights: str, question: MeaningQuestion) -> str:
    turns = [[turn.speaker, turn.text] for turn in question.dialogue.turns]
    return hashlib.sha256(json.dumps([weights, question.schema.fingerprint, turns]).encode()).hexdigest()


def _kept(path: Path | None) -> dict[str, KeptReading]:
    if path is None or not path.exists():
        return {}
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row: dict[str, Any] = json.loads(line)
            found[row["key"]] = _decoded(row)
        except (ValueError, KeyError, TypeError, ServiceError) as error:
            raise DataCorrupt(f"{path}:{number}: not what this benchmark writes ({error}); delete it") from error
    return found


def _decoded(row: dict[str, Any]) -> KeptReading:
    return KeptReading(decode(TurnMeaning, row["meaning"]), decode(CatalogueReading, row["entries"]), row["rewrite"])
