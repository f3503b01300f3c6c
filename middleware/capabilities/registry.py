"""The one list of capabilities, the settings that follow from it, and how their models are loaded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import make_dataclass
from typing import Any

from grice.middleware.capabilities.capability import Capability, Loading
from grice.middleware.capabilities.directness import DIRECTNESS
from grice.middleware.capabilities.intentions import INTENTIONS
from grice.middleware.capabilities.meaning import MEANING
from grice.middleware.capabilities.mind import MIND
from grice.middleware.capabilities.responses import RESPONSES
from grice.middleware.capabilities.rewrite import REWRITE
from grice.middleware.capabilities.slots import SLOTS
from grice.middleware.capabilities.turns import TURNS
from grice.middleware.monitor import MonitorSettings
from grice.middleware.settings import PipelineSettings, check_settings, setting
from grice.models.errors import InputError

AnyCapability = Capability[Any, Any]


class Registry:
    """Capabilities by name, in order: those that others need come before them."""

    def __init__(self, capabilities: Sequence[AnyCapability]) -> None:
        self._capabilities = {each.name: each for each in capabilities}

    def __iter__(self) -> Iterator[AnyCapability]:
        return iter(tuple(self._capabilities.values()))

    def __getitem__(self, name: str) -> AnyCapability:
        """The capability of that name.

        Raises:
            InputError: there is none.
        """
        if name not in self._capabilities:
            raise InputError("capability", name, ", ".join(self._capabilities))
        return self._capabilities[name]

    def add(self, capability: AnyCapability) -> None:
        """Make it known, from now on, to every service, command and client of this process.

        Raises:
            InputError: there is one of that name, or with a setting of that name.
        """
        for each in self._capabilities.values():
            if each.name == capability.name or (each.switch and each.switch == capability.switch):
                raise InputError("capability", capability.name, f"a name and a switch of its own, unlike {each.name}")
        self._capabilities[capability.name] = capability

    @contextmanager
    def adding(self, capability: AnyCapability) -> Iterator[AnyCapability]:
        """Within it the capability is known."""
        self.add(capability)
        try:
            yield capability
        finally:
            del self._capabilities[capability.name]


CAPABILITIES = Registry((DIRECTNESS, MEANING, TURNS, REWRITE, RESPONSES, SLOTS, INTENTIONS, MIND))


def capability_settings() -> type[Any]:
    """The settings class of the capabilities: which are offered, and which model each loads."""
    declared: list[tuple[str, Any, Any]] = []
    for each in CAPABILITIES:
        if each.switch:
            declared.append((each.switch, bool, setting(True, help=each.without)))
        if each.model:
            declared.append((f"{each.name}_model", str, setting(each.model, help="a shipped name or the path of a folder")))
    return make_dataclass("CapabilitySettings", declared, frozen=True, namespace={"__post_init__": check_settings})


def is_offered(capability: AnyCapability, chosen: object) -> bool:
    """Whether these settings (of `capability_settings`) leave it in."""
    return not capability.switch or bool(getattr(chosen, capability.switch))


def load_capabilities(
    chosen: object, pipeline: PipelineSettings, monitor: MonitorSettings, names: Collection[str] | None = None
) -> dict[str, Any]:
    """The models of the capabilities that the settings (of `capability_settings`) leave in, by name.

    Args:
        names: only these; those that they need have to be among them.

    Raises:
        GriceError: a model is not there, damaged, or its execution provider or a package is not available.
    """
    loaded: dict[str, Any] = {}
    for each in CAPABILITIES:
        if is_offered(each, chosen) and (names is None or each.name in names):
            model = getattr(chosen, f"{each.name}_model", "")
            loaded[each.name] = each.load(Loading(model, pipeline, monitor, loaded))
    return loaded
