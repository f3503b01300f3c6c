"""How a response relates to what was said and what is known, in one pass; with the words on both sides."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from grice.models.dialogue import check_each
from grice.models.errors import shorten
from grice.models.frustration.detector import FrustrationDetector, load_frustration_detector
from grice.models.manifest import Manifest, read_manifest
from grice.models.relations.budget import NEVER, AlarmThresholds, fine_of
from grice.models.relations.evidence import sentence_support
from grice.models.relations.inputs import ContextPieces, KnownSpan, RelationTokens, ResponsePieces
from grice.models.relations.known import choose_spans
from grice.models.relations.labels import FAULTS, LABELS, SETTINGS, RelationLabel, Setting
from grice.models.relations.pointing import POINTED_BY, describe_spans
from grice.models.relations.quotes import likeliest_span, quote_context, quote_response, span_shares
from grice.models.relations.repeats import find_repeat
from grice.models.relations.results import QuotedPair, QuotedSpan, RelationFinding, RelationQuestion, ResponseRelations
from grice.models.relations.rules import find_by_rule
from grice.models.relations.settled import is_settled
from grice.models.relations.user_side import add_frustration
from grice.models.results import BEHAVIORS
from grice.models.runtime.heads import Floats, sigmoid, softmax
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.runtime.word_table import read_word_table
from grice.models.sentence_encoder.encoder import load_encoder_of
from grice.models.text.template import read_tokenizer

OUTPUTS = ("bad", "labels", "setting", "context", "own")
BY_RULE: float = 0.97
"""How likely a response is faulty of which a rule says so (`grice.models.relations.rules`); where an alarm needs more, so much."""
NOTHING = KnownSpan("user", -1, "-")
"""Read where nothing was said and nothing given."""


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
        fine: of each setting, the thresholds of budgets (`grice.models.relations.budget.STEPS`); empty where it knows none.
        guesses_facts: whether `!Fac` is told where the bot was given nothing (`with_guesses`).
        frustration: tells `user_frustration`; None: nothing does (`with_frustration`).
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
        self.fine = fine_of(manifest)
        self.pointing = np.array([manifest.number(f"pointing.{name}", -100.0, 100.0) for name in POINTED_BY], np.float32)
        self.guesses_facts = False
        self.frustration: FrustrationDetector | None = None
        self.faulty = _percentiles(manifest)

    def with_thresholds(self, thresholds: AlarmThresholds) -> RelationReader:
        """The same reader with other thresholds."""
        other = copy.copy(self)
        other.thresholds = thresholds
        return other

    def with_guesses(self) -> RelationReader:
        """The same reader, which also says how likely `!Fac` is where the bot was given nothing: by the response's form alone."""
        other = copy.copy(self)
        other.guesses_facts = True
        return other

    def with_frustration(self, detector: FrustrationDetector | None) -> RelationReader:
        """The same reader, which also tells by `detector` how likely the user is frustrated; None: it does not."""
        other = copy.copy(self)
        other.frustration = detector
        return other

    def with_budget(self, budget: float) -> RelationReader:
        """The same reader with thresholds of another budget: so many false alarms per 100 fine responses.

        Raises:
            InputError: the budget is out of range, or the model does not know its thresholds.
        """
        return self.with_thresholds(self.thresholds.with_budget(budget, self.fine))

    def predict(self, asked: Sequence[RelationQuestion]) -> list[ResponseRelations]:
        """What is found of each response, in order. Safe to call from several threads.

        Raises:
            InputError: something else than questions is asked.
        """
        check_each(asked, RelationQuestion, "what relations are asked")
        return [
            add_frustration(self.conclude(question, self.score(question)), question.dialogue, self.frustration)
            for question in asked
        ]

    def score(self, question: RelationQuestion) -> ReadResponse:
        """What the network says of a response."""
        spans = choose_spans(question, self.tokens, self.encoder, self.most_context) or [NOTHING]
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
        labels: dict[RelationLabel, float | None] = {
            label: _share(curve, float(score)) for label, curve, score in zip(LABELS, self.label_curves, scores.labels, strict=True)
        }
        if not question.has_evidence and not self.guesses_facts:
            labels["!Fac"] = None
        bad = _share(self.bad_curve, scores.bad)
        setting: Setting = question.setting or SETTINGS[int(scores.setting.argmax())]
        words = quote_response(question.dialogue.last.text, len(question.dialogue.history), scores.response, scores.of_response)
        found = {label: RelationFinding(label, share, None, words) for label, share in labels.items() if share is not None}
        repeat = find_repeat(question.dialogue.history, question.dialogue.last.text)
        if repeat is not None:
            found["Red"] = replace(found["Red"], about=repeat.about, words=repeat.words)
        by_rule = find_by_rule(question, repeat)
        least = self.thresholds.of_setting(setting)
        for each in by_rule:
            labels[each.label] = share = max(labels[each.label] or 0.0, BY_RULE)
            bad, found[each.label] = max(bad, BY_RULE, least if least < NEVER else 0.0), replace(each, probability=share)
        pointed = self._pointed(scores, question.dialogue.last.text)
        found = {label: _pointing(each, scores, pointed) for label, each in found.items()}
        bad, findings = self._unsettled(question, bad, list(found.values()))
        shown = [each for each in findings if self._shows(each)]
        alarm = bad >= least
        if alarm and not any(each.label != "Emp" for each in shown):
            shown.append(_likeliest(findings))
        shown.sort(key=lambda each: -each.probability)
        support = sentence_support(question, shown)
        likely = {label: labels[label] or 0.0 for label in FAULTS}
        about = next((each.about for each in by_rule if each.about), None) or _about(likely, scores, pointed)
        quotes = {label: QuotedPair(found[label].about, found[label].words) for label in BEHAVIORS if label in found}
        return ResponseRelations(bad, alarm, setting, labels, about, tuple(shown), support, quotes)

    def _pointed(self, scores: ReadResponse, response: str) -> Floats:
        """How likely the response is about each span, if it has a fault that can be."""
        shares = span_shares(scores.context, scores.of_context, len(scores.spans))
        found: Floats = softmax(describe_spans(scores.spans, response, shares) @ self.pointing)
        return found

    def _unsettled(
        self, question: RelationQuestion, bad: float, findings: list[RelationFinding]
    ) -> tuple[float, list[RelationFinding]]:
        """The findings that nothing exact speaks against; where no shown fault is left, nothing is likelier than the likeliest."""
        left = [each for each in findings if not is_settled(question, each)]
        shown = [each for each in findings if each.label != "Emp" and self._shows(each)]
        if shown and not any(each in left for each in shown):
            bad = min(bad, _likeliest(left).probability)
        return bad, left

    def _shows(self, finding: RelationFinding) -> bool:
        return finding.probability >= self.thresholds.of_label(finding.label)


def _about(labels: Mapping[RelationLabel, float], scores: ReadResponse, pointed: Floats) -> QuotedSpan | None:
    chosen = likeliest_span(labels, scores.spans, pointed)
    return None if chosen is None else quote_context(scores.spans, scores.context, scores.of_context, chosen)


def _pointing(finding: RelationFinding, scores: ReadResponse, pointed: Floats) -> RelationFinding:
    """The finding with what it is about; what was found by comparing words or values stays."""
    return finding if finding.about else replace(finding, about=_about({finding.label: 1.0}, scores, pointed))


def _likeliest(findings: Sequence[RelationFinding]) -> RelationFinding:
    return max((each for each in findings if each.label != "Emp"), key=lambda each: each.probability)


def _percentiles(manifest: Manifest) -> tuple[float, ...]:
    allowed = "percentiles, 101 numbers from 0 to 1"
    given = manifest.setting("faulty", list, allowed)
    numbers = [each for each in given if isinstance(each, (int, float)) and not isinstance(each, bool) and 0 <= each <= 1]
    if len(given) != 101 or len(numbers) != 101:
        raise manifest.refuse("faulty", shorten(str(given)), allowed)
    return tuple(map(float, numbers))


def _curve(manifest: Manifest, place: str) -> tuple[float, float]:
    return manifest.number(f"curves.{place}.slope", 0.0, 100.0), manifest.number(f"curves.{place}.offset", -100.0, 100.0)


def _share(curve: tuple[float, float], score: float) -> float:
    return float(sigmoid(np.float32(curve[0] * score + curve[1])))


@functools.lru_cache(maxsize=4, typed=True)
def load_relation_reader(name: str | Path = "relations", *, runtime: Runtime = Runtime()) -> RelationReader:
    """The shipped reader by name, or one from a folder, with the shipped detector of frustration; loaded once a process.

    Raises:
        ModelNotFound, WeightsError, ProviderError: a model cannot be loaded. InputError: an argument is out of range.
    """
    reader = RelationReader(read_manifest(name, "relations"), runtime)
    return reader.with_frustration(load_frustration_detector(runtime=runtime))
