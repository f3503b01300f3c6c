"""Turns of a Rasa bot of one's own, read by it without Grice and with it: `grice bench rasa-nlu --bot DIR`.

The folder holds what `rasa train` needs (`domain.yml`, `data/`), the same bot in two configurations (`config.plain.yml`,
`config.yml` with Grice's components), and `turns.yml`: a list of turns that nothing was trained or tuned on.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.core.systems import System, Systems
from grice.benchmarks.rasa.host import RasaHost
from grice.benchmarks.stats import metrics
from grice.middleware.runtime.yaml_files import load_yaml, read_text
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt
from grice.models.manifest import sha256
from grice.models.meaning.results import TurnKind

PLAIN, GRICE = "plain", "grice"
TURNS = "turns.yml"
ALLOWED = (
    '{kind: indirect, intent: NAME, text: "…", slots: {ENTITY: VALUE}, before: [{bot: "…"}]}, '
    "slots and before only where there are some"
)
KINDS: tuple[str, ...] = get_args(TurnKind)
SIGNATURES = {
    "right": "percent of turns whose intent is right and whose entities are those of `slots` and no others",
    "intent_accuracy": "percent of turns whose intent is right",
    "fixed": "percent of turns that are right with Grice and were not without",
    "broken": "percent of turns that were right without Grice and are not with it",
}
SYSTEMS = Systems[None, str](
    "rasa-nlu",
    System(PLAIN, "with --bot: the bot by its config.plain.yml, without Grice", "rival", lambda given, name: "config.plain.yml"),
    System(GRICE, "with --bot: the bot by its config.yml, with our components", "ours", lambda given, name: "config.yml"),
)


@dataclass(frozen=True)
class BotTurn:
    """A turn, and what the bot shall make of it.

    Attributes:
        kind: indirect, direct, courtesy or out_of_scope.
        slots: (entity, value in small letters) of all that is to be found.
        history: the turns before it, oldest first.
    """

    kind: str
    text: str
    intent: str
    slots: frozenset[tuple[str, str]] = frozenset()
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True)
class BotReading:
    """What the bot's NLU made of a turn: see `BotTurn`."""

    intent: str
    slots: frozenset[tuple[str, str]]


def read_turns(path: Path) -> list[BotTurn]:
    """The turns of a file.

    Raises:
        DataNotFound, DataCorrupt: there is no such file, or a turn is not in the format.
        MissingExtra: ruamel.yaml is not installed.
    """
    entries = load_yaml(read_text(path), path, "schema")
    if not isinstance(entries, list) or not entries:
        raise DataCorrupt(f"{path}: holds {type(entries).__name__}; allowed: a list of turns, each as {ALLOWED}")
    return [_turn(entry, f"{path}, turn {number}") for number, entry in enumerate(entries, 1)]


def _turn(entry: object, place: str) -> BotTurn:
    try:
        given = dict(entry)  # type: ignore[call-overload]
        history = tuple(Turn(speaker, text) for before in given.pop("before", ()) for speaker, text in before.items())
        slots = frozenset((str(entity), str(value).casefold()) for entity, value in given.pop("slots", {}).items())
        turn = BotTurn(**given, slots=slots, history=history)
    except (TypeError, ValueError, AttributeError) as error:
        raise DataCorrupt(f"{place} is {entry!r}: {error}; allowed: {ALLOWED}") from error
    if turn.kind not in KINDS:
        raise DataCorrupt(f"{place}: kind is {turn.kind!r}; allowed: {', '.join(KINDS)}")
    return turn


def score_bot(sheet: Sheet, host: RasaHost, bot: Path, names: Sequence[str], limit: int | None = None) -> None:
    """Train the bot of a folder in the configurations of the systems `names`, and score what it makes of its turns.

    Raises:
        DataError: a file of the bot is missing or malformed. ModelError: Rasa failed.
    """
    turns = read_turns(bot / TURNS)[:limit]
    sheet.groups, sheet.drawn = [str(place) for place in range(len(turns))], "turn"
    sheet.part, sheet.signatures = f"turns of the bot {bot.name}", dict(SIGNATURES)
    sheet.data[f"{bot.name}/{TURNS}"] = sha256(bot / TURNS)
    items = [
        {"text": turn.text, "history": [{"speaker": said.speaker, "text": said.text} for said in turn.history]} for turn in turns
    ]
    read = {
        name: [reading_of(parsed) for parsed in host.parse(host.train_bot(bot, SYSTEMS.find(name).build(None, name)), items)]
        for name in names
    }
    right = {
        name: [(turn.intent, turn.slots) == (found.intent, found.slots) for turn, found in zip(turns, each, strict=True)]
        for name, each in read.items()
    }
    tasks = {bot.name: KINDS, **{f"{bot.name}/{kind}": (kind,) for kind in dict.fromkeys(turn.kind for turn in turns)}}
    for (task, kinds), name in itertools.product(tasks.items(), names):
        places = [place for place, turn in enumerate(turns) if turn.kind in kinds]
        rows = ScoredRows([sheet.groups[place] for place in places])
        intents = [read[name][place].intent == turns[place].intent for place in places]
        sheet.add(task, name, "right", metrics.mean([right[name][place] for place in places], 100), rows)
        sheet.add(task, name, "intent_accuracy", metrics.mean(intents, 100), rows)
        if name != PLAIN and PLAIN in right:
            changes = [(right[PLAIN][place], right[name][place]) for place in places]
            sheet.add(task, name, "fixed", metrics.mean([now and not was for was, now in changes], 100), rows)
            sheet.add(task, name, "broken", metrics.mean([was and not now for was, now in changes], 100), rows)


def reading_of(parsed: dict[str, Any]) -> BotReading:
    """What Rasa's parse data of a turn say."""
    slots = frozenset((found["entity"], str(found["value"]).casefold()) for found in parsed["entities"])
    return BotReading(parsed["intent"]["name"] or "", slots)
