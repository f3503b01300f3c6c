"""Files of the repository in the site: some are pages, others are copied because a page links to them.

Pages link to files as they lie in the repository, so that links work in an editor and on a code host, too. In the site they lead to
the page that a file became, or to a copy under `files/`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CARDS = sorted((ROOT / "models" / "pretrained").glob("*/README.md"))
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "rasa_project/README.md": "example-bot.md",
    **{path.relative_to(ROOT).as_posix(): f"cards/{path.parent.name}.md" for path in CARDS},
}
"""Files that are pages: path in the repository, path in the site."""
COPIES = "files/"

_SOURCES = {page: source for source, page in PAGES.items()}
_LINK = re.compile(r"""(?P<head>\]\(|\b(?:src|srcset|href)=")(?P<target>[^)\s"#]+)""")


def linked_files(page: str, text: str) -> Iterator[str]:
    """The copies that links of a page lead to."""
    for found in _LINK.finditer(text):
        target = _site_path(page, found["target"])
        if target is not None and target.startswith(COPIES):
            yield target


def content_of(copy: str) -> bytes:
    """What a copy under `files/` holds."""
    return (ROOT / copy.removeprefix(COPIES)).read_bytes()


def relink(page: str, text: str) -> str:
    """The text with links to files of the repository as links of the site."""

    def to_site(found: re.Match[str]) -> str:
        target = _site_path(page, found["target"])
        if target is None:
            return found.group()
        return found["head"] + posixpath.relpath(target, posixpath.dirname(page) or ".")

    return _LINK.sub(to_site, text)


def _site_path(page: str, target: str) -> str | None:
    """Where in the site the file is that a link of a page names; None where the link leads elsewhere, or to no file."""
    if "://" in target or target.startswith(("/", "mailto:")):
        return None
    source = _SOURCES.get(page, f"docs/{page}")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return COPIES + path if not path.startswith("..") and (ROOT / path).is_file() else None
