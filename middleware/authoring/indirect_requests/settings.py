"""What is asked of generated requests."""

from __future__ import annotations

from dataclasses import dataclass

from grice.middleware.settings import check_settings, setting


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
