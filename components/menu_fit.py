"""Do the models know a bot's own examples? Asked when the bot is trained, so that nobody finds out by use."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from grice.middleware.capabilities.meaning import MeaningReport
from grice.middleware.schemas.limits import spread
from grice.middleware.settings import PipelineSettings
from grice.middleware.turns.analysis import TurnAnalysis
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion
from grice.models.protocols import Predicts
from grice.models.schema import BotSchema

MOST_EXAMPLES = 40
"""So many are read, evenly spread."""
AT_ONCE = 4
"""So many in one call."""
PATIENT_MS = 600_000
"""How long a call may take: nobody waits for an answer."""
MOST_MISREAD = 0.2
"""If more of the examples are read as another intent, it is a warning."""
MOST_REWRITTEN_AWAY = 0.05
"""If more of the examples are rewritten into another intent, it is a warning: they are plain already, and none should be."""
ADVICE = "Say in the intents' examples what tells them apart (`grice schema check` helps)"

Reader = Predicts[MeaningQuestion, MeaningReport]
Asked = TypeVar("Asked")
Result = TypeVar("Result")

log = logging.getLogger(__name__)


def patient(settings: PipelineSettings) -> PipelineSettings:
    """The settings under which models read examples in training: a rewrite alone, and time enough."""
    return replace(settings, deadline_ms=PATIENT_MS, mode="replace")


@contextmanager
def only_told(component: str) -> Iterator[None]:
    """What is done here is only told: if it fails, training goes on."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is, the bot can be trained; the error may quote an example
        log.warning("%s: the bot's own examples could not be checked: %s", component, type(error).__name__)


def tell_misread(component: str, schema: BotSchema, reader: Reader) -> None:
    """Say how many of the bot's own examples are read as another of its intents; warn where it is outside what the reader knows."""
    examples = _own_examples(schema)
    if not examples:
        return
    read = _read(reader, schema, [text for _, text in examples])
    wrong = Counter(f"{own} as {found}" for (own, _), found in zip(examples, read, strict=True) if found not in ("", own))
    told = f"{component}: {wrong.total()} of {len(examples)} of the bot's own examples are read as another intent"
    _tell(told, wrong, wrong.total() > MOST_MISREAD * len(examples), f"intents will be overruled wrong, or seldom. {ADVICE}.")


def tell_rewritten_away(
    component: str, schema: BotSchema, rewriter: Callable[[Sequence[Dialogue]], Sequence[TurnAnalysis]], reader: Reader
) -> None:
    """Say how many of the bot's own examples are rewritten into another of its intents; warn where it is outside what is known.

    Args:
        rewriter: as users' turns are rewritten.
        reader: reads each rewrite against the bot's menu.
    """
    examples = _own_examples(schema)
    if not examples:
        return
    analyses = _in_parts(rewriter, [Dialogue.of(text) for _, text in examples])
    rewritten = [(own, each.text) for (own, _), each in zip(examples, analyses, strict=True) if each.decision == "rewrite"]
    read = _read(reader, schema, [text for _, text in rewritten])
    away = Counter(f"{own} as {found}" for (own, _), found in zip(rewritten, read, strict=True) if found not in ("", own))
    told = (
        f"{component}: {len(rewritten)} of {len(examples)} of the bot's own examples are rewritten, {away.total()} of them into "
        f"another intent"
    )
    _tell(told, away, away.total() > MOST_REWRITTEN_AWAY * len(examples), f"turns will be rewritten wrong. {ADVICE}.")


def _tell(told: str, wrong: Counter[str], many: bool, then: str) -> None:
    most = ", ".join(f"{what} ({count})" for what, count in wrong.most_common(3))
    shown = f" ({most})" if most else ""
    if many:
        log.warning("%s%s: %s", told, shown, then)
    else:
        log.info("%s%s", told, shown)


def _own_examples(schema: BotSchema) -> list[tuple[str, str]]:
    return list(spread([(intent.name, text) for intent in schema.intents for text in intent.examples], MOST_EXAMPLES))


def _read(reader: Reader, schema: BotSchema, texts: Sequence[str]) -> list[str]:
    """The intent that each is read as; empty where it is none, or was not read."""
    reports = _in_parts(reader.predict, [MeaningQuestion(Dialogue.of(text), schema) for text in texts])
    best = [report.found.possible[0] if report.found and report.found.possible else None for report in reports]
    return [each.name if each is not None and each.kind == "intent" else "" for each in best]


def _in_parts(predict: Callable[[Sequence[Asked]], Sequence[Result]], asked: Sequence[Asked]) -> list[Result]:
    return [each for place in range(0, len(asked), AT_ONCE) for each in predict(asked[place : place + AT_ONCE])]
