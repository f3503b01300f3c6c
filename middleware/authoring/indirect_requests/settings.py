"""What is asked of generated requests."""

from __future__ import annotations

from dataclasses import dataclass

from grice.middleware.settings import check_within


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

    per_value: int = 5
    min_appropriateness: float = 3.0
    keep_ambiguous: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_within("per_value", self.per_value, 1, 100)
        check_within("min_appropriateness", self.min_appropriateness, 1, 10)
        check_within("seed", self.seed, 0, 2**32 - 1)
