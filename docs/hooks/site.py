"""What MkDocs asks while it builds the site: pages from elsewhere, the navigation, links and figures.

Beside the files of `docs/` the site has pages that are files of the repository (`repository.py`) and pages that are made from the
code (`reference.py` and its parts). Figures are those of `benchmarks/figures.json` in every page that marks them.
"""

from __future__ import annotations

import repository
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from nav import fit_nav
from reference import reference_pages

from grice.benchmarks.core.figures import Figures
from grice.benchmarks.core.quotes import requote

FIGURES = Figures.read()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that `docs/` has not, and the files that pages link to; fit the navigation to what there is."""
    for source, page in repository.PAGES.items():
        files.append(File.generated(config, page, content=(repository.ROOT / source).read_text(encoding="utf-8")))
    for page, text in reference_pages().items():
        files.append(File.generated(config, page, content=text))
    for file in list(files.documentation_pages()):
        for name in repository.linked_files(file.src_uri, file.content_string):
            if name not in files.src_uris:
                files.append(File.generated(config, name, content=repository.content_of(name)))
    config.nav = fit_nav(config.nav or [], [file.src_uri for file in files.documentation_pages()])
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text with the figures of the file, and with links that lead to pages of the site."""
    return repository.relink(page.file.src_uri, requote(markdown, FIGURES))
