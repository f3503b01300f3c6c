"""Settings: one frozen dataclass a part, checked when made; the environment is read here and nowhere else."""

from grice.middleware.settings.connections import ConnectionSettings
from grice.middleware.settings.declaration import (
    PREFIX,
    add_options,
    attributes,
    check_settings,
    check_variables,
    check_within,
    declarations,
    from_environment,
    from_options,
    given_options,
    known_variables,
    secret,
    setting,
)
from grice.middleware.settings.runtime import RUNTIME, RuntimeSettings
from grice.middleware.settings.service import (
    MAX_PARTITIONS,
    Mode,
    PipelineSettings,
    Policy,
    ReadingMode,
    ServiceSettings,
    StoreKind,
    is_loopback,
)
from grice.middleware.settings.sinks import SinkSettings

__all__ = [
    "MAX_PARTITIONS",
    "PREFIX",
    "RUNTIME",
    "ConnectionSettings",
    "Mode",
    "PipelineSettings",
    "Policy",
    "ReadingMode",
    "RuntimeSettings",
    "ServiceSettings",
    "SinkSettings",
    "StoreKind",
    "add_options",
    "attributes",
    "check_settings",
    "check_variables",
    "check_within",
    "declarations",
    "from_environment",
    "from_options",
    "given_options",
    "is_loopback",
    "known_variables",
    "secret",
    "setting",
]
