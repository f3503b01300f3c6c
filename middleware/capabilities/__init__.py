"""What the service can find in turns, each thing declared once; needs no optional package."""

from grice.middleware.capabilities.capability import Capability, Loading, encode_dialogue
from grice.middleware.capabilities.registry import CAPABILITIES, Registry, capability_settings, is_offered, load_capabilities

__all__ = [
    "CAPABILITIES",
    "Capability",
    "Loading",
    "Registry",
    "capability_settings",
    "encode_dialogue",
    "is_offered",
    "load_capabilities",
]
