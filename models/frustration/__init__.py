"""Whether the user is frustrated with the bot, or with how the talk goes, as the user's own turns tell."""

from grice.models.frustration.detector import FrustrationDetector, UserFrustration, load_frustration_detector

__all__ = ["FrustrationDetector", "UserFrustration", "load_frustration_detector"]
