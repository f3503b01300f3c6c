"""GET / and /page/…: the page for people."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from grice.middleware.service.http.problems import Problem, Refused

if TYPE_CHECKING:
    from importlib.abc import Traversable

router = APIRouter(include_in_schema=False)

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css",
    "js": "text/javascript",
    "json": "application/json",
    "svg": "image/svg+xml",
}
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
UNKNOWN = Problem(404, "not-found", "There is no such file of the page or the documentation.")


@dataclass(frozen=True)
class PageFile:
    """A file that browsers may keep and ask for again."""

    content: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> PageFile:
        """The file with its tag."""
        return cls(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, PageFile]]:
    for entry in folder.iterdir():
        kind = entry.name.rpartition(".")[2]
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        elif kind in MEDIA_TYPES:
            yield prefix + entry.name, PageFile.of(entry.read_bytes(), MEDIA_TYPES[kind])


FILES = dict(_files(resources.files("grice.middleware.service").joinpath("page")))
"""By their place in the folder of the page."""


@router.get("/")
async def page(request: Request) -> Response:
    """The page itself; it holds no data, and asks for a key where the service wants one."""
    return answer_file(request, page_file("index.html"))


@router.get("/page/{name:path}")
async def part(request: Request, name: str) -> Response:
    """A file that the page needs."""
    return answer_file(request, page_file(name))


def page_file(name: str) -> PageFile:
    """A file of the page.

    Raises:
        Refused: there is none of that name.
    """
    if name not in FILES:
        raise Refused(UNKNOWN)
    return FILES[name]


def answer_file(request: Request, file: PageFile) -> Response:
    """The file, or that it is as the caller has it."""
    headers = {**HEADERS, "etag": file.etag}
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)
