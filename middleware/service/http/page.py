"""GET / and /page/…: the page for people."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources

from fastapi import APIRouter, Request, Response

from grice.middleware.service.http.problems import Problem, Refused

router = APIRouter(include_in_schema=False)

MEDIA_TYPES = {"html": "text/html; charset=utf-8", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "cache-control": "no-cache",  # ask again each time; the ETag spares the transfer
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
UNKNOWN = Problem(404, "not-found", "There is no such file of the page.")


@dataclass(frozen=True)
class _File:
    content: bytes
    media_type: str
    etag: str


def _files() -> dict[str, _File]:
    found = {}
    for entry in resources.files("grice.middleware.service").joinpath("page").iterdir():
        kind = entry.name.rpartition(".")[2]
        if kind in MEDIA_TYPES:
            content = entry.read_bytes()
            found[entry.name] = _File(content, MEDIA_TYPES[kind], f'"{hashlib.sha256(content).hexdigest()[:32]}"')
    return found


FILES = _files()


@router.get("/")
async def page(request: Request) -> Response:
    """The page itself; it holds no data, and asks for a key where the service wants one."""
    return _answer(request, "index.html")


@router.get("/page/{name}")
async def part(request: Request, name: str) -> Response:
    """A file that the page needs."""
    return _answer(request, name)


def _answer(request: Request, name: str) -> Response:
    file = FILES.get(name)
    if file is None:
        raise Refused(UNKNOWN)
    headers = {**HEADERS, "etag": file.etag}
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)
