"""Makes indirect variants of training examples."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from grice.middleware.authoring.augment.borrowed import HintFinder, NearHint
from grice.middleware.authoring.augment.entity_transfer import transferred
from grice.middleware.authoring.augment.example import Example, Variant, letters
from grice.middleware.authoring.augment.meaning_check import MeaningCheck
from grice.middleware.authoring.augment.settings import AugmentSettings
from grice.middleware.runtime.progress import Progress
from grice.middleware.turns.guard import Guard
from grice.models.dialogue import Dialogue
from grice.models.protocols import OffersCandidates
from grice.models.results import Rewrite

Refusal = Literal["duplicate", "ambiguous", "uncertain", "guard", "entity", "way back", "meaning", "surplus", "unwritable"]
REFUSALS: Mapping[Refusal, str] = {
    "duplicate": "an example or another variant has the same letters and digits",
    "ambiguous": "an example or a variant of another intent has the same letters and digits",
    "uncertain": "the rewriter was not confident, or did not come to an end",
    "guard": "it brings in, drops or changes a number, time, day, name, price or negation",
    "entity": "an annotated entity is not in it, or not for sure",
    "way back": "it may mean something else than its example",
    "meaning": "the reader of meaning does not take it for its example",
    "surplus": "one more than the settings allow",
    "unwritable": "Rasa's format of annotation cannot express it",
}
_CHUNK = 16


class RewriteScorer(Protocol):
    """A rewriter into direct form that can be asked about a text, such as `grice.models.Rewriter`."""

    def score(self, dialogues: Sequence[Dialogue], targets: Sequence[str]) -> Sequence[tuple[float, int]]:
        """Summed natural log-probability of each target as the rewrite of a dialogue's last turn, and its number of tokens."""
        ...


@dataclass(frozen=True)
class Augmentation:
    """What came of it.

    Attributes:
        variants: in the order of their examples, the best of an example first.
        examples: how many examples were read.
        refused: candidates that were not taken, by reason.
    """

    variants: tuple[Variant, ...]
    examples: int
    refused: Mapping[Refusal, int]


@dataclass(frozen=True)
class VariantModels:
    """The models that make variants.

    Attributes:
        rewriter: writes them: `load_rewriter(form="indirect", beams=8)`.
        way_back: `load_rewriter(form="direct")`, which measures whether a variant still means its example; None: `min_way_back`
            is not applied.
        meaning: reads variants against the bot's menu. It then decides alone whether a variant means its example: neither the
            rewriter's confidence nor the way back is asked for, which know town information only.
        hints: finds indirect turns of other bots' users; used where there is `meaning`. None: none are borrowed.
    """

    rewriter: OffersCandidates[Rewrite]
    way_back: RewriteScorer | None = None
    meaning: MeaningCheck | None = None
    hints: HintFinder | None = None


def indirect_variants(
    examples: Sequence[Example],
    models: VariantModels,
    settings: AugmentSettings | None = None,
    *,
    progress: Progress | None = None,
    known: Sequence[Example] = (),
) -> Augmentation:
    """Variants of `examples` in the form that the rewriter writes, and behind them what is borrowed.

    The same call gives the same variants. Examples that begin with `/` (Rasa's shortcut for an intent) are left alone.

    Args:
        known: further examples that no variant may repeat.
    """
    chosen = settings or AugmentSettings()
    near = models.hints.near(examples, chosen.min_nearness) if models.hints and models.meaning and chosen.borrowed else {}
    maker = _Maker(models, chosen, near)
    made: list[Variant] = []
    places = [place for place, example in enumerate(examples) if not example.text.startswith("/")]
    if progress:
        progress(0, len(places))
    for start in range(0, len(places), _CHUNK):
        chunk = places[start : start + _CHUNK]
        made += maker.variants([(place, examples[place]) for place in chunk])
        if progress:
            progress(start + len(chunk), len(places))
    selected = _Selection(chosen, [*examples, *known], maker.refused).of(made)
    return Augmentation(tuple(selected), len(examples), dict(+maker.refused))


def with_rewrites(
    found: Augmentation,
    examples: Sequence[Example],
    rewriter: OffersCandidates[Rewrite],
    settings: AugmentSettings | None = None,
    *,
    progress: Progress | None = None,
) -> Augmentation:
    """`found`, and after it what `load_rewriter(form="direct")` makes of each variant, for a bot that runs the rewriter.

    Such a bot's NLU reads indirect turns as the rewriter writes them, so it learns from these as well.

    Args:
        examples: those that `found` was made of.
    """
    variants = found.variants
    listed = [variant.as_example for variant in variants]
    made = indirect_variants(listed, VariantModels(rewriter), settings, progress=progress, known=examples)
    rewrites = [replace(again, source=variants[again.place].source, place=variants[again.place].place) for again in made.variants]
    return Augmentation((*variants, *rewrites), found.examples, dict(Counter(found.refused) + Counter(made.refused)))


class _Maker:
    """Asks the models; refuses what does not stand for its example, whatever the other examples are."""

    def __init__(self, models: VariantModels, settings: AugmentSettings, near: Mapping[int, Sequence[NearHint]]) -> None:
        self.near = near
        self.rewriter = models.rewriter
        self.settings = settings
        self.way_back = models.way_back
        self.meaning = models.meaning
        self.guard = Guard()
        self.refused: Counter[Refusal] = Counter()

    def variants(self, examples: Sequence[tuple[int, Example]]) -> list[Variant]:
        """The variants of examples (each with its place) that may be taken: example by example, the most confident first."""
        dialogues = [_dialogue(example, example.text) for _, example in examples]
        accepted = [
            variant
            for (place, example), dialogue, rewrites in zip(examples, dialogues, self.rewriter.candidates(dialogues), strict=True)
            for rewrite in rewrites
            if (variant := self._variant(place, example, dialogue, rewrite))
        ]
        if self.meaning is not None:
            borrowed = [_borrowed(example, place, hint) for place, example in examples for hint in self.near.get(place, ())]
            own = self._kept(accepted, self.meaning.same(accepted)) if accepted else []
            return [*own, *(self._kept(borrowed, self.meaning.as_intent(borrowed)) if borrowed else [])]
        if not accepted:
            return []
        return self._meaning_the_same(accepted, self.way_back) if self.way_back else accepted

    def _variant(self, place: int, example: Example, dialogue: Dialogue, rewrite: Rewrite) -> Variant | None:
        entities = transferred(example.entities, example.text, rewrite.text)
        refusal = self._refusal(dialogue, rewrite, None in entities)
        if refusal:
            self.refused[refusal] += 1
            return None
        kept = sorted((entity for entity in entities if entity), key=lambda entity: (entity.start, entity.end))
        return Variant(example, place, rewrite.text, tuple(kept), rewrite.confidence)

    def _refusal(self, dialogue: Dialogue, rewrite: Rewrite, lost: bool) -> Refusal | None:
        if letters(rewrite.text) == letters(dialogue.last.text):
            return "duplicate"
        if (
            (self.meaning is None and rewrite.confidence < self.settings.min_confidence)
            or not rewrite.finished
            or rewrite.text_cut
            or not letters(rewrite.text)
        ):
            return "uncertain"
        findings = self.guard.check(dialogue, rewrite.text)
        if any(finding.kind != "dropped" or not self.settings.may_lose for finding in findings):
            return "guard"
        return "entity" if lost and not self.settings.may_lose else None

    def _kept(self, variants: Sequence[Variant], mean_the_same: Sequence[bool]) -> list[Variant]:
        kept = [variant for variant, same in zip(variants, mean_the_same, strict=True) if same]
        self.refused["meaning"] += len(variants) - len(kept)
        return kept

    def _meaning_the_same(self, variants: Sequence[Variant], way_back: RewriteScorer) -> list[Variant]:
        dialogues = [_dialogue(variant.source, variant.text) for variant in variants]
        scores = way_back.score(dialogues, [variant.source.text for variant in variants])
        measured = [
            replace(variant, way_back=math.exp(log_probability / max(1, tokens)))
            for variant, (log_probability, tokens) in zip(variants, scores, strict=True)
        ]
        kept = [variant for variant in measured if variant.way_back is None or variant.way_back >= self.settings.min_way_back]
        self.refused["way back"] += len(measured) - len(kept)
        return kept


class _Selection:
    """Takes variants that no example and no other variant repeats, as many as the settings allow."""

    def __init__(self, settings: AugmentSettings, examples: Sequence[Example], refused: Counter[Refusal]) -> None:
        self.settings = settings
        self.refused = refused
        self.examples = examples

    def of(self, made: Sequence[Variant]) -> list[Variant]:
        """The variants to take, in the order of their examples; the first of every example goes before any second."""
        left = {
            intent: min(self.settings.max_variants, math.ceil(self.settings.max_share * count))
            for intent, count in Counter(example.intent for example in self.examples).items()
        }
        chosen = []
        for rank, variant in sorted(self._ranked(made), key=lambda pair: (pair[0], pair[1].place)):
            most = self.settings.borrowed if variant.borrowed else self.settings.per_example
            if rank < most and left[variant.intent]:
                left[variant.intent] -= 1
                chosen.append((variant.place, rank, variant))
            else:
                self.refused["surplus"] += 1
        return [variant for _, _, variant in sorted(chosen, key=lambda entry: (entry[0], entry[2].borrowed, entry[1]))]

    def _ranked(self, made: Sequence[Variant]) -> Iterator[tuple[int, Variant]]:
        """Each variant that is new, with its rank among those of its example, from 0."""
        intents: defaultdict[str, set[str]] = defaultdict(set)
        for example in self.examples:
            intents[letters(example.text)].add(example.intent)
        seen = set(intents)
        for variant in made:
            intents[letters(variant.text)].add(variant.intent)
        ranks: Counter[tuple[int, bool]] = Counter()
        for variant in made:
            key = letters(variant.text)
            if len(intents[key]) > 1:
                self.refused["ambiguous"] += 1
            elif key in seen:
                self.refused["duplicate"] += 1
            else:
                seen.add(key)
                group = variant.place, variant.borrowed
                yield ranks[group], variant
                ranks[group] += 1


def _borrowed(example: Example, place: int, hint: NearHint) -> Variant:
    return Variant(example, place, hint.text, (), hint.nearness, borrowed=True)


def _dialogue(example: Example, text: str) -> Dialogue:
    return Dialogue.of(text, example.history)
