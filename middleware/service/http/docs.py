"""GET /docs and /docs/…: the API's documentation for people, from this service alone."""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode
from functools import lru_cache
from importlib import resources
from urllib.parse import unquote

from fastapi import APIRouter, Request, Response

from grice.middleware.service.http.page import MEDIA_TYPES, PageFile, answer_file, page_file
from grice.middleware.service.http.problems import Problem, Refused

router = APIRouter(include_in_schema=False)

ASSETS = "fastapi_swagger.resources"
"""The package that brings the files of Swagger UI."""
NAMES = ("swagger-ui.css", "swagger-ui-bundle.js")
NOT_INSTALLED = Problem(
    501, "not-installed", "Swagger UI is not installed: pip install 'grice[server]'. The OpenAPI document is at /openapi.json."
)
NOTICE = """Swagger UI, copyright SmartBear Software, is licensed under the Apache License, Version 2.0.
The licence is at https://www.apache.org/licenses/LICENSE-2.0.
Its style sheet is served with its embedded pictures as files of their own; nothing else is changed.
"""

_PICTURE = re.compile(
    r"""url\((?P<quote>"?)data:image/(?P<kind>[a-z]+)[^,]*?(?P<coded>;base64)?,(?P<data>.*?)(?P=quote)\)""", re.DOTALL
)


@router.get("/docs")
async def docs(request: Request) -> Response:
    """The documentation itself."""
    if not _assets():
        raise Refused(NOT_INSTALLED)
    return answer_file(request, page_file("docs/index.html"))


@router.get("/docs/{name}")
async def asset(request: Request, name: str) -> Response:
    """A file that it needs."""
    own = {"icon.svg": "icon.svg"}.get(name, f"docs/{name}")
    return answer_file(request, _assets().get(name) or page_file(own))


@lru_cache(maxsize=1)
def _assets() -> dict[str, PageFile]:
    """The files of Swagger UI by name; none where it is not installed.

    The policy of the page allows no pictures inside of style sheets, so those become files.
    """
    try:
        folder = resources.files(ASSETS)
        style, script = [(folder / name).read_bytes() for name in NAMES]
    except (ModuleNotFoundError, FileNotFoundError):
        return {}
    found = {"LICENSE.txt": PageFile.of(NOTICE.encode(), "text/plain; charset=utf-8")}

    def out_of_line(picture: re.Match[str]) -> str:
        kind = picture["kind"]
        data = b64decode(picture["data"]) if picture["coded"] else unquote(picture["data"].replace('\\"', '"')).encode()
        name = f"{hashlib.sha256(data).hexdigest()[:12]}.{kind}"
        found[name] = PageFile.of(data, MEDIA_TYPES.get(kind, f"image/{kind}"))
        return f'url("{name}")'

    found[NAMES[0]] = PageFile.of(_PICTURE.sub(out_of_line, style.decode()).encode(), MEDIA_TYPES["css"])
    found[NAMES[1]] = PageFile.of(script, MEDIA_TYPES["js"])
    return found
