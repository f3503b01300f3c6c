"""Runs of benchmarks as one page of HTML and as Markdown: figures with their intervals beside the papers' rows."""
