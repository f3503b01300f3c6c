"""What is asked of a variant."""

from __future__ import annotations

from dataclasses import dataclass

from grice.models.errors import SettingsError


@dataclass(frozen=True)
class AugmentSettings:
    """Which variants are taken.

    Attributes:
        per_example: variants of one example at most, 1 to 16; no more than the beams of the rewriter. They differ by little, so
            many of them weigh more than they teach.
        min_confidence: without a menu: the rewriter's confidence in a variant, at least, 0 to 1.
        min_way_back: without a menu: how well a rewriter into direct form expects the example after the variant, at least, 0 to 1.
            It refuses variants that mean something else, above all those of greetings and other set phrases.
        max_share: variants of an intent at most, as a multiple of its examples; above 0.
        max_variants: variants of an intent at most.
        borrowed: with a menu: indirect turns of other bots' users for one example at most, whose direct form is near it and which
            are read as its intent, 0 to 64. They speak of other things than your bot does, and have no annotations: read them.
            0: none.
        min_nearness: how near that direct form has to come, as a cosine of vectors of sentences, 0 to 1.
        may_lose: take variants that lost an annotated entity, a number, day, name or price of the example. Such a variant is a
            hint ("I am on a tight budget"), fit to learn an intent from; it has no annotation for what it lost.
    """

    per_example: int = 2
    min_confidence: float = 0.5
    min_way_back: float = 0.1
    max_share: float = 16.0
    max_variants: int = 1_000_000
    borrowed: int = 12
    min_nearness: float = 0.55
    may_lose: bool = False

    def __post_init__(self) -> None:
        _within("per_example", self.per_example, 1, 16)
        _within("min_confidence", self.min_confidence, 0.0, 1.0)
        _within("min_way_back", self.min_way_back, 0.0, 1.0)
        _within("borrowed", self.borrowed, 0, 64)
        _within("min_nearness", self.min_nearness, 0.0, 1.0)
        _within("max_share", self.max_share, 0.01, 16.0)
        _within("max_variants", self.max_variants, 1, 2**31)


def _within(name: str, value: object, low: float, high: float) -> None:
    whole = isinstance(low, int)
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)) or not low <= value <= high:
        raise SettingsError(name, value, f"{'whole numbers ' if whole else ''}{low} to {high}")
