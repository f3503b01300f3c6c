"""Runs of benchmarks as one page of HTML and as Markdown: figures with their intervals beside the papers' rows."""

from grice.benchmarks.report.content import content_of
from grice.benchmarks.report.inputs import Inputs, read_inputs
from grice.benchmarks.report.markdown import markdown
from grice.benchmarks.report.page import page
from grice.benchmarks.report.shown import Content

__all__ = ["Content", "Inputs", "content_of", "markdown", "page", "read_inputs"]
