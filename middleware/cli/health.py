"""What `grice doctor` looks at: each thing is fine, missing (needed only by those who want it), or broken."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grice.middleware.settings import PREFIX, ServiceSettings, check_variables, from_environment, given_options
from grice.models.data.files import DATA_DIR_VARIABLE
from grice.models.data.pins import data_sets
from grice.models.data.verify import verify
from grice.models.errors import DeadlineExceeded, GriceError, MissingExtra, SettingsError
from grice.models.manifest import read_manifest, shipped
from grice.models.runtime.session import choose_provider

Soundness = Literal["ok", "missing", "broken"]
REQUIREMENT = re.compile(r"([\w.-]+)[^;]*(?:;.*extra\s*==\s*[\"']([\w-]+)[\"'])?")
EXTRA_OF_DEVELOPERS = "dev"
ASKED = ("host", "port", "redis_url")
"""The service's settings that matter here."""
WAIT_S = 2.0
ANSWER_S = 10.0
"""For what listens: a service that is busy may be slow."""


@dataclass(frozen=True)
class Diagnosis:
    """One thing that was looked at.

    Attributes:
        fix: a line to run, where one helps; else empty.
    """

    name: str
    status: Soundness
    detail: str
    fix: str = ""


def packages() -> Iterator[Diagnosis]:
    """Python, Grice, what it needs, and each extra."""
    yield Diagnosis("python", "ok", f"{platform.python_version()}, {platform.system()} {platform.machine()}")
    yield Diagnosis("grice", "ok", importlib.metadata.version("grice"))
    wanted: dict[str, list[str]] = {}
    for line in importlib.metadata.requires("grice") or []:
        match = REQUIREMENT.match(line)
        if match is not None:
            wanted.setdefault(match[2] or "", []).append(match[1])
    for extra, names in wanted.items():
        if extra != EXTRA_OF_DEVELOPERS:
            yield _extra(extra, names)


def _extra(extra: str, names: list[str]) -> Diagnosis:
    versions = {name: _version(name) for name in names}
    missing = [name for name, version in versions.items() if version is None]
    installed = ", ".join(f"{name} {version}" for name, version in versions.items() if version is not None)
    name = f"grice[{extra}]" if extra else "what every part needs"
    if not missing:
        return Diagnosis(name, "ok", installed)
    detail = f"{', '.join(missing)} not installed" + (f"; there: {installed}" if installed else "")
    line = f"pip install 'grice[{extra}]'" if extra else "pip install grice"
    return Diagnosis(name, "missing" if extra else "broken", detail, line)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def environment() -> Iterator[Diagnosis]:
    """Variables that begin like ours, and the service's settings that they make."""
    try:
        check_variables(os.environ)
        from_environment(ServiceSettings)
    except SettingsError as error:
        yield Diagnosis("GRICE_ variables", "broken", str(error), f"unset {error.what}" if error.what in os.environ else "")
    else:
        named = sorted(name for name in os.environ if name.startswith("GRICE_"))
        yield Diagnosis("GRICE_ variables", "ok", ", ".join(named) or "none is set")


def models() -> Iterator[Diagnosis]:
    """Every shipped model, with the checksums of all its files."""
    for name in shipped():
        try:
            manifest = read_manifest(name)
            size = sum(manifest.path(file).stat().st_size for file in manifest.files)
        except GriceError as error:
            yield Diagnosis(name, "broken", str(error), "pip install --force-reinstall --no-deps grice")
        else:
            what = f"version {manifest.version}, {', '.join(manifest.precisions) or 'no graph'}, {size / 1e6:.1f} MB"
            yield Diagnosis(name, "ok", f"{what}, {len(manifest.files)} checksums are right")


def providers() -> Iterator[Diagnosis]:
    """The execution providers of onnxruntime, and the one that models get."""
    import onnxruntime

    available = ", ".join(onnxruntime.get_available_providers())
    wanted = os.environ.get("GRICE_PROVIDER", "auto")
    try:
        yield Diagnosis("ONNX", "ok", f"{available}; `{wanted}` is {choose_provider(wanted)}")
    except GriceError as error:
        yield Diagnosis("ONNX", "broken", str(error), "unset GRICE_PROVIDER")


def service(args: argparse.Namespace) -> Iterator[Diagnosis]:
    """Whether the port is free, or the service answers there."""
    try:
        settings = _service_settings(args)
    except SettingsError as error:
        yield Diagnosis("port", "broken", str(error))
        return
    place = (settings.host, settings.port)
    try:
        with socket.create_connection(place, WAIT_S):
            pass
    except OSError:
        yield Diagnosis(f"port {settings.port}", "ok", f"nothing listens on {settings.host}; `grice serve` can")
        return
    yield _listener(settings)


def _service_settings(args: argparse.Namespace) -> ServiceSettings:
    variables = {f"{PREFIX}{name.upper()}" for name in ASKED}
    declared = {name: value for name, value in os.environ.items() if name in variables}
    return from_environment(ServiceSettings, declared, insecure=True, **given_options(ServiceSettings, args, ASKED))


def _listener(settings: ServiceSettings) -> Diagnosis:
    name, url = f"port {settings.port}", f"http://{settings.host}:{settings.port}"
    try:
        from grice.middleware.client.rest import Client
        from grice.middleware.client.rest.call import Patience

        with Client(url, patience=Patience(ANSWER_S, 0)) as client:
            found = client.ready()
    except MissingExtra as error:
        return Diagnosis(
            name, "missing", f"something listens on {settings.host}; to ask it: {error}", "pip install 'grice[client]'"
        )
    except DeadlineExceeded:
        return Diagnosis(name, "broken", f"what listens on {settings.host} does not answer within {ANSWER_S:.0f} s")
    except GriceError as error:
        return Diagnosis(name, "broken", f"something else than Grice listens on {settings.host} ({error})", "grice serve --port 0")
    return Diagnosis(name, "ok", f"Grice answers on {url}: {found['status']}")


def redis(args: argparse.Namespace) -> Iterator[Diagnosis]:
    """Whether Redis answers, where it is wanted."""
    try:
        url = _service_settings(args).redis_url
        from grice.middleware.runtime.redis_connection import connect, redis_errors

        with redis_errors("INFO"):
            version = connect(url, WAIT_S).info("server")["redis_version"]
    except ImportError:
        yield Diagnosis("Redis", "missing", "the package redis is not installed", "pip install 'grice[redis]'")
    except GriceError as error:
        yield Diagnosis("Redis", "missing", f"{error}; needed by --store redis and `grice monitor` only", "redis-server")
    else:
        yield Diagnosis("Redis", "ok", f"version {version} answers")


def data(given: str | None) -> Iterator[Diagnosis]:
    """The data sets that are there, with the checksums of all their files."""
    where = given or os.environ.get(DATA_DIR_VARIABLE)
    if not where:
        yield Diagnosis("data sets", "missing", "for training and benchmarks only", f"export {DATA_DIR_VARIABLE}=DIR")
        return
    for known in data_sets().values():
        line = f"grice data fetch {known.name}"
        checks = verify(known, Path(where)) if (Path(where) / known.name).is_dir() else []
        found = [each.status for each in checks]
        detail = ", ".join(f"{found.count(status)} {status}" for status in dict.fromkeys(found)) or "not there"
        if "refused" in found:
            yield Diagnosis(known.name, "broken", detail, f"grice data verify {known.name}")
        elif not found or "missing" in found:
            yield Diagnosis(known.name, "missing", detail, line if any(pin.url for pin in known.files) else f"see {known.homepage}")
        else:
            yield Diagnosis(known.name, "ok", detail)
