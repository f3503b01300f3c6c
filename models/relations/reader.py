"""How a response relates to what was said and what is known, in one pass; with the words on both sides."""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from grice.models.dialogue import Turn, check_each
from grice.models.manifest import Manifest, read_manifest
from grice.models.relations.budget import AlarmThresholds
from grice.models.relations.evidence import sentence_support
from grice.models.relations.inputs import ContextPieces, KnownSpan, RelationTokens, ResponsePieces
from grice.models.relations.known import choose_spans
from grice.models.relations.labels import LABELS, SETTINGS, RelationLabel, Setting
from grice.models.relations.quotes import quote_context, quote_response
from grice.models.relations.repeats import Repeat, find_repeat
from grice.models.relations.results import RelationFinding, RelationQuestion, ResponseRelations
from grice.models.runtime.heads import Floats, sigmoid, softmax
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.runtime.word_table import read_word_table
from grice.models.sentence_encoder.encoder import load_encoder_of
from grice.models.text.template import read_tokenizer

OUTPUTS = ("bad", "labels", "setting", "context", "own")
BY_RULE: float = 0.97
"""How likely a response is faulty that says again what was said, word for word, for no reason."""
WITHOUT_EVIDENCE: tuple[RelationLabel, ...] = ("!Com", "!Emp", "Emp", "!Rel")
"""Labels that need not be about a particular turn or row."""


@dataclass(frozen=True)
class ReadResponse:
    """What the network says of a response, before calibration: `labels` by `LABELS`, `setting` by `SETTINGS`, shares of pieces."""

    spans: tuple[KnownSpan, ...]
    context: ContextPieces
    response: ResponsePieces
    bad: float
    labels: Floats
    setting: Floats
    of_context: Floats
    of_response: Floats


class RelationReader:
    """The network on onnxruntime, with rules for repeats and values beside it.

    Attributes:
        encoder: of sentences; it finds what is nearest in meaning where not all fits, and has the table of pieces.
        faulty: percentiles of how likely faulty responses that were not learned from are said to be, from the least to the most.

    Raises:
        WeightsError, ProviderError: the model cannot be loaded. ManifestError: its settings cannot be.
    """

    def __init__(
        self,
        manifest: Manifest,
        runtime: Runtime = Runtime(),
    ) -> None:
        self.manifest = manifest
        self.precision = runtime.precision
        self.encoder = load_encoder_of(manifest, replace(runtime, precision="int8"))
        self.encoder.check_fitted(manifest)
        self.words = read_word_table(self.encoder.manifest, "encoder")
        self.tokens = RelationTokens(read_tokenizer(self.encoder.manifest.tokenizer_path))
        self.session = Session(manifest.graph("reader", runtime.precision), runtime, manifest.weights("reader", runtime.precision))
        self.provider = self.session.provider
        self.most_context = manifest.count("most_context", 32, 320)
        self.bad_curve = _curve(manifest, "bad")
        self.label_curves = [_curve(manifest, f"labels.{label}") for label in LABELS]
        self.thresholds = AlarmThresholds.of(manifest)
        self.faulty = tuple(float(each) for each in manifest.setting("faulty", list, "percentiles, 101 numbers"))

    def with_thresholds(self, thresholds: AlarmThresholds) -> RelationReader:
        """The same reader with other thresholds."""
        other = copy.copy(self)
        other.thresholds = thresholds
        return other

    def predict(self, asked: Sequence[RelationQuestion]) -> list[ResponseRelations]:
        """What is found of each response, in order. Safe to call from several threads.

        Raises:
            InputError: something else than questions is asked.
        """
        check_each(asked, RelationQuestion, "what relations are asked")
        return [self.conclude(question, self.score(question)) for question in asked]

    def score(self, question: RelationQuestion) -> ReadResponse:
        """What the network says of a response."""
        spans = choose_spans(question, self.tokens, self.encoder, self.most_context) or [KnownSpan("user", 0, "-")]
        return self.score_beside(spans, question.dialogue.last.text)

    def score_beside(self, spans: Sequence[KnownSpan], response: str) -> ReadResponse:
        """What it says of a response, held against these spans."""
        context, read = self.tokens.read_context(spans), self.tokens.read_response(response)
        feed: dict[str, Any] = {name: np.array([getattr(context, name)], np.int64) for name in ("kinds", "ages")}
        for name, ids in (("words", context.ids), ("response_words", read.ids)):
            feed[name] = self.words.vectors(np.array([ids], np.int64))
        found = self.session.run(OUTPUTS, {**feed, "response_mask": np.ones((1, len(read.ids)), np.int64)})
        bad, labels, setting, of_context, of_response = (each[0] for each in found)
        return ReadResponse(
            tuple(spans), context, read, float(bad), labels, softmax(setting), softmax(of_context), softmax(of_response)
        )

    def conclude(self, question: RelationQuestion, scores: ReadResponse) -> ResponseRelations:
        """Probabilities, the setting, what is shown and where."""
        response = question.dialogue.last.text
        labels = {
            label: _share(curve, float(score)) for label, curve, score in zip(LABELS, self.label_curves, scores.labels, strict=True)
        }
        bad = _share(self.bad_curve, scores.bad)
        setting: Setting = question.setting or SETTINGS[int(scores.setting.argmax())]
        findings = [self._finding(label, share, question, scores) for label, share in labels.items()]
        repeat = _unreasonable_repeat(question.dialogue.history, response)
        if repeat is not None:
            bad, labels["Red"] = max(bad, BY_RULE), max(labels["Red"], BY_RULE)
            findings = [each for each in findings if each.label != "Red"]
            findings.append(RelationFinding("Red", labels["Red"], repeat.about, repeat.words, rule=True))
        shown = [each for each in findings if each.probability >= self.thresholds.of_label(each.label)]
        alarm = bad >= self.thresholds.of_setting(setting)
        faults = [each for each in findings if each.label != "Emp"]
        if alarm and not any(each.label != "Emp" for each in shown):
            shown.append(max(faults, key=lambda each: each.probability))
        shown.sort(key=lambda each: -each.probability)
        support = sentence_support(question, shown)
        about = quote_context(scores.spans, scores.context, scores.of_context) if repeat is None else repeat.about
        return ResponseRelations(bad, alarm, setting, labels, about, tuple(shown), support)

    def _finding(self, label: RelationLabel, share: float, question: RelationQuestion, scores: ReadResponse) -> RelationFinding:
        about = None if label in WITHOUT_EVIDENCE else quote_context(scores.spans, scores.context, scores.of_context)
        place = len(question.dialogue.history)
        return RelationFinding(
            label, share, about, quote_response(question.dialogue.last.text, place, scores.response, scores.of_response)
        )


def _unreasonable_repeat(turns: Sequence[Turn], response: str) -> Repeat | None:
    repeat = find_repeat(turns, response)
    return repeat if repeat is not None and repeat.exact and not repeat.reason else None


def _curve(manifest: Manifest, place: str) -> tuple[float, float]:
    return manifest.number(f"curves.{place}.slope", 0.0, 100.0), manifest.number(f"curves.{place}.offset", -100.0, 100.0)


def _share(curve: tuple[float, float], score: float) -> float:
    return float(sigmoid(np.float32(curve[0] * score + curve[1])))


@functools.lru_cache(maxsize=4, typed=True)
def load_relation_reader(name: str | Path = "relations", *, runtime: Runtime = Runtime()) -> RelationReader:
    """The shipped reader by name, or one from a folder; loaded once a process for the same arguments.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded. InputError: an argument is out of range.
    """
    return RelationReader(read_manifest(name, "relations"), runtime)
