"""The service over TLS, with a certificate that is made for the test."""

from __future__ import annotations

import gc
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from fake_models import fakes
from fastapi import FastAPI
from live_service import serving

from grice.middleware.client.service import RemoteService
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.service.http.app import create_app
from grice.middleware.service.http.server import check_tls
from grice.middleware.settings import ServiceSettings
from grice.models.errors import ServiceError, SettingsError

Test = TypeVar("Test", bound=Callable[..., None])


def application(**settings: Any) -> FastAPI:
    return create_app(fakes(), ServiceSettings(**settings))


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate for 127.0.0.1, its key, and the same key under a password."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("pem")
    made = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=grice"
    made += " -addext subjectAltName=IP:127.0.0.1"
    locked = "rsa -aes256 -in key.pem -out locked.pem -passout pass:of-the-test"
    for arguments in (made, locked):
        subprocess.run([openssl, *arguments.split()], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def collected() -> Iterator[None]:
    """For tests whose handshakes fail: asyncio warns of such a connection once it is collected, then another test is blamed."""
    yield
    gc.collect()


def refused_handshakes(test: Test) -> Test:
    """Marks a test in which handshakes fail."""
    ignoring = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    marked: Test = pytest.mark.usefixtures("collected")(ignoring(test))
    return marked


@refused_handshakes
@pytest.mark.parametrize(("key", "password"), [("key.pem", ""), ("locked.pem", "of-the-test")])
def test_tls(pem: Path, key: str, password: str) -> None:
    settings: dict[str, Any] = {"tls_cert": str(pem / "cert.pem"), "tls_key": str(pem / key), "tls_key_password": password}
    check_tls(ServiceSettings(**settings))
    with serving(application(**settings)) as plain:
        assert plain.base_url.scheme == "https"
        trusting = ssl.create_default_context(cafile=str(pem / "cert.pem"))
        with httpx.Client(base_url=plain.base_url, verify=trusting, trust_env=False) as client:
            assert client.post("/v1/turns", json={"text": "a"}).status_code == 200
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            plain.get("/health/live")
        with pytest.raises(httpx.HTTPError):
            httpx.get(str(plain.base_url).replace("https", "http") + "/health/live", trust_env=False)


@refused_handshakes
def test_our_own_client_trusts_an_authority_that_is_named(pem: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {"tls_cert": str(pem / "cert.pem"), "tls_key": str(pem / "key.pem")}
    with serving(application(**settings)) as plain:
        url = str(plain.base_url).rstrip("/")
        with pytest.raises(ServiceError, match="SSL"):
            RemoteService(RemoteSettings(url, deadline_ms=20_000)).get_schema("kayaks")
        monkeypatch.setenv("SSL_CERT_FILE", str(pem / "cert.pem"))
        assert RemoteService(RemoteSettings(url, deadline_ms=20_000)).get_schema("kayaks") is None


@refused_handshakes
def test_callers_with_certificates(pem: Path) -> None:
    settings: dict[str, Any] = {
        "tls_cert": str(pem / "cert.pem"),
        "tls_key": str(pem / "key.pem"),
        "tls_client_ca": str(pem / "cert.pem"),
    }
    with serving(application(**settings)) as plain:
        nobody = ssl.create_default_context(cafile=str(pem / "cert.pem"))
        with httpx.Client(base_url=plain.base_url, verify=nobody, trust_env=False) as client, pytest.raises(httpx.HTTPError):
            client.get("/health/live")
        known = ssl.create_default_context(cafile=str(pem / "cert.pem"))
        known.load_cert_chain(pem / "cert.pem", pem / "key.pem")
        with httpx.Client(base_url=plain.base_url, verify=known, trust_env=False) as client:
            assert client.get("/health/live").status_code == 200


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"tls_cert": "key.pem", "tls_key": "key.pem"}, "setting tls_cert"),
        ({"tls_cert": "cert.pem"}, "setting tls_cert"),
        ({"tls_cert": "cert.pem", "tls_key": "locked.pem"}, "setting tls_cert"),
        ({"tls_cert": "cert.pem", "tls_key": "key.pem", "tls_client_ca": "key.pem"}, "setting tls_client_ca"),
    ],
)
def test_certificates_that_cannot_be_used(pem: Path, files: dict[str, str], message: str) -> None:
    settings = ServiceSettings(**{name: str(pem / each) for name, each in files.items()})  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=message):
        check_tls(settings)
