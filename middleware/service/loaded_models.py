"""What the loaded models say of themselves."""

from __future__ import annotations

from grice.middleware.service.answers import ModelRole, WireModel
from grice.middleware.service.engine import Engine
from grice.models.manifest import Manifest


def loaded_models(engine: Engine) -> list[WireModel]:
    """One entry a role. A model of another make, with no manifest, goes by its class name."""
    models: dict[ModelRole, object] = {
        "directness": engine.pipeline.directness,
        "rewriter": engine.pipeline.rewriter,
        "softener": engine.softener,
    }
    if engine.responses is not None:
        models["behaviors"] = engine.responses.monitor.model
    if engine.resolver is not None:
        models["slots"] = engine.resolver
    if engine.detector is not None:
        models["intentions"] = engine.detector
    if engine.mind is not None:
        models["mind"] = engine.mind
    return [_entry(role, model) for role, model in models.items()]


def _entry(role: ModelRole, model: object) -> WireModel:
    manifest = getattr(model, "manifest", None)
    provider = str(getattr(model, "provider", "unknown"))
    if not isinstance(manifest, Manifest):
        return WireModel(role=role, name=type(model).__name__, version="unknown", provider=provider, sha256={})
    sums = {name: str(entry["sha256"]) for name, entry in manifest.files.items()}
    return WireModel(role=role, name=manifest.name, version=manifest.version, provider=provider, sha256=sums)
