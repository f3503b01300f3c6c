"""Every error that Grice raises on purpose.

    GriceError
    ├── InputError          a caller's value is not usable (also a ValueError)
    ├── SettingsError       a setting is unknown or out of range (also a ValueError)
    ├── ModelError          a model cannot be used
    │   ├── ModelNotFound       no model of that name or at that path
    │   ├── WeightsError        a weight file is missing, truncated or altered
    │   │   └── ManifestError       what the manifest says cannot be: says where, got, allowed
    │   └── ProviderError       an execution provider that this machine does not have
    ├── DataError           a data set cannot be used
    │   ├── DataNotFound        the file or folder is not there
    │   └── DataCorrupt         size, checksum or format differ from the pinned ones
    ├── StoreError          a store of dialogues or schemas cannot be reached or refused
    │   └── StoreFull           it holds as many as it may
    ├── ServiceError        the REST service cannot be reached, refused, or answered something else than its contract
    │   ├── CircuitOpen         it failed before and is not asked until it answers again
    │   └── RequestRefused      it answered a problem: has its status and what it says
    ├── DeliveryError       an event could not be delivered now; it may be sent again
    │   └── EventsRefused       the receiver will never take them: sending them again is useless
    ├── NluError            the NLU server behind the service failed
    │   └── NluLate             it did not answer in time
    ├── JudgeError          a large language model could not be asked, or its answer has no decision
    │   ├── BudgetExhausted     asking it would pass the limit of calls or of dollars
    │   └── NoDecision          it answered something else than what it was asked for
    ├── Overloaded          a bounded queue is full; try again after `retry_after_s`
    │   └── QuotaExceeded       a key has used what it may use in a minute
    ├── DeadlineExceeded    a stage did not answer in time
    └── MissingExtra        an optional dependency is not installed (also an ImportError)

A message says what is wrong, what came, what is allowed and, where there is one, the next step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class GriceError(Exception):
    """Base of all errors of this package."""


class InputError(GriceError, ValueError):
    """A caller's value is not usable. Says what, got, allowed."""

    def __init__(self, what: str, got: object, allowed: str) -> None:
        self.what = what
        self.got = shorten(got)
        self.allowed = allowed
        super().__init__(f"{what}: got {self.got}; allowed: {allowed}")


class SettingsError(GriceError, ValueError):
    """A setting is unknown or out of range. Says which, got, allowed."""

    def __init__(self, what: str, got: object, allowed: str) -> None:
        self.what = what
        self.got = shorten(got)
        self.allowed = allowed
        super().__init__(f"setting {what}: got {self.got}; allowed: {allowed}")


class ModelError(GriceError):
    """A model cannot be used."""


class ModelNotFound(ModelError):
    """There is no model of that name in `pretrained/`, nor one at that path."""

    def __init__(self, name: str, available: Iterable[str]) -> None:
        known = ", ".join(sorted(available)) or "none"
        super().__init__(
            f"model {shorten(name)} not found; shipped models: {known}; or give the path of a folder with a manifest.json"
        )


class WeightsError(ModelError):
    """A weight file is missing, truncated or altered."""


class ManifestError(WeightsError):
    """A model's manifest is malformed, or does not fit its files. Says where, got, allowed."""

    def __init__(self, where: str, got: object, allowed: str) -> None:
        super().__init__(f"{where}: got {shorten(got)}; allowed: {allowed}; install or export the model again")


class ProviderError(ModelError):
    """The execution provider that was asked for is not there."""

    def __init__(self, got: str, available: Iterable[str]) -> None:
        super().__init__(f"execution provider {shorten(got)} is not available; available here: auto, {', '.join(available)}")


class DataError(GriceError):
    """A data set cannot be used."""


class DataNotFound(DataError):
    """The file or folder of a data set is not there."""


class DataCorrupt(DataError):
    """Size, checksum or format of a data file differ from what is expected."""


class StoreError(GriceError):
    """A store cannot be reached or refused the operation."""


class StoreFull(StoreError):
    """A store holds as many as it may. Says how many, and what to do."""


class DeliveryError(GriceError):
    """Events could not be delivered now; they may be sent again, the receiver takes each one once."""


class EventsRefused(DeliveryError):
    """The receiver will never take at least one of the events."""


class NluError(GriceError):
    """The NLU server behind the service cannot be reached, or answered something that is not parse data."""


class NluLate(NluError):
    """The NLU server behind the service did not answer in time."""


class JudgeError(GriceError):
    """A large language model could not be asked, or its answer has no decision."""


class BudgetExhausted(JudgeError):
    """Asking a large language model would pass the limit of calls an hour or of US dollars a day."""


class NoDecision(JudgeError):
    """A large language model answered something else than what it was asked for; it would again."""


class ServiceError(GriceError):
    """The REST service cannot be reached, refused, or answered something else than its contract."""


class CircuitOpen(ServiceError):
    """The service failed before and is not asked until it answers again."""


class RequestRefused(ServiceError):
    """The REST service answered a problem: `status` is its HTTP status, `problem` what it says (RFC 9457)."""

    def __init__(self, message: str, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = problem
        super().__init__(message)


class Overloaded(GriceError):
    """A bounded queue is full."""

    def __init__(self, message: str, retry_after_s: float = 1.0) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class QuotaExceeded(Overloaded):
    """A key has used what it may use in a minute."""


class DeadlineExceeded(GriceError):
    """A stage, or the service, did not answer within its deadline. It may after `retry_after_s`; None: it never will."""

    def __init__(self, message: str, retry_after_s: float | None = 1.0) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class MissingExtra(GriceError, ImportError):
    """An optional dependency is not installed; says the install line."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'grice[{extra}]'")


def shorten(value: object, limit: int = 80) -> str:
    """`repr(value)`, cut to about `limit` characters, so that a message stays readable and never dumps a document.

    Both ends stay: the end of a path tells it from others.
    """
    half = limit // 2 - 10
    if isinstance(value, (str, bytes)) and len(value) > limit:
        kind = "characters" if isinstance(value, str) else "bytes"
        return f"{value[:half]!r}…{value[-half:]!r} ({len(value)} {kind})"
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - half]}…{text[-half:]}"
