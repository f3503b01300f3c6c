"""The pages of the reference, each made from the code when the site is built."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from reference_commands import commands_page
from reference_python import python_pages
from reference_rest import rest_page

from grice.middleware.cli import Parser, command_parser
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.service.http.metrics import Metrics
from grice.middleware.settings import declarations
from grice.middleware.settings.declaration import Declaration, settings_classes


def reference_pages() -> dict[str, str]:
    """Markdown by path in the site."""
    return {
        "reference/settings.md": settings_page(),
        "reference/commands.md": commands_page(),
        "reference/rest.md": rest_page(),
        "reference/metrics.md": metrics_page(),
        **python_pages(),
    }


def settings_page() -> str:
    """Every setting that is read from the environment, by its class."""
    flags = _flags()
    return "\n".join(
        [
            "# Settings\n",
            "Each setting is an environment variable. Where the flag is not empty, it is also an option, of the commands whose",
            "[help](commands.md) names it. A flag takes precedence over its variable. An unknown `GRICE_…` variable is refused.",
            *(line for kind in settings_classes() for line in _settings_of(kind, flags)),
        ]
    )


def _flags() -> Mapping[str, set[str]]:
    """The flags of each setting on any command, by its name; an option that has the same name by chance has another help.

    A flag that is not named after the variable comes with its command: it may mean something else elsewhere.
    """
    options: list[tuple[str, argparse.Action]] = []

    class Noting(Parser):
        """Notes every option."""

        def add_argument(self, *args: Any, **kwargs: Any) -> argparse.Action:
            options.append((self.prog, super().add_argument(*args, **kwargs)))
            return options[-1][1]

    command_parser(Noting)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for setting in (each for kind in settings_classes() for each in declarations(kind)):
        for command, option in options:
            told = (option.help or "").replace("%%", "%")
            if option.dest == setting.name and told.startswith(setting.help.rstrip(".")):
                (flag,) = option.option_strings
                after_it = flag.endswith(f"-{setting.name.replace('_', '-')}")
                found[setting.name].add(f"`{flag}`" if after_it else f"`{flag}` of `{command}`")
    return found


def _settings_of(kind: type[Any], flags: Mapping[str, set[str]]) -> Iterator[str]:
    yield f"\n## {kind.__name__}\n"
    yield "| variable | flag | default | range | what it is |\n|---|---|---|---|---|"
    for each in declarations(kind):
        flag = ", ".join(sorted(flags.get(each.name, ())))
        yield f"| `{each.variable}` | {flag} | {_default(each)} | {_range(each)} | {cell(each.help)} |"


def _default(declared: Declaration) -> str:
    if declared.secret or declared.default in (None, "", ()):
        return ""
    return f"`{str(declared.default).lower() if isinstance(declared.default, bool) else declared.default}`"


def _range(declared: Declaration) -> str:
    choices = getattr(declared.required, "__args__", ()) if declared.required is not tuple[str, ...] else ()
    if choices:
        return ", ".join(f"`{each}`" for each in choices)
    return "" if declared.low is None else f"{declared.low:,g} to {declared.high:,g}"


def metrics_page() -> str:
    """Every Prometheus metric of the service, the worker and the proxy, as they declare it."""
    service = Metrics()
    monitor = MonitorMetrics(service.registry)
    rows = sorted(row for each in (service, monitor) for row in _metrics_of(each))
    return "\n".join(
        [
            "# Metrics\n",
            "What Prometheus reads at `/metrics` of the service, and at `--metrics-port` of `grice monitor`. No label holds a",
            "text of a dialogue. Beside these there are the usual `process_…` metrics.\n",
            "| metric | kind | labels | what it counts |\n|---|---|---|---|",
            *rows,
        ]
    )


def _metrics_of(holder: object) -> Iterator[str]:
    for metric in vars(holder).values():
        if not hasattr(metric, "describe"):
            continue
        labels = ", ".join(f"`{name}`" for name in vars(metric).get("_labelnames", ()))
        for family in metric.describe():
            name = f"{family.name}_total" if family.type == "counter" else family.name
            yield f"| `{name}` | {family.type} | {labels} | {cell(family.documentation)} |"


def cell(text: str) -> str:
    """A text that a cell of a table can hold."""
    return " ".join(text.split()).replace("|", "\\|")
