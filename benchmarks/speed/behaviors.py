"""The monitor's part of `grice bench speed`: all nine scores of one response after twenty turns of history.

The turns are those of held-out dialogues, user and bot in turns. Every call gets a dialogue of its own, whose turns end in a number
that no other call has: a monitor that remembers earlier turns finds none of them in its memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import attempt
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.service import METRICS
from grice.benchmarks.speed.timing import add_times, interleaved
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.protocols import Model
from grice.models.results import Behaviors
from grice.models.runtime.runtime import Runtime

TASK = "behaviors"
HISTORY = 20
PRECISIONS = {"grice-int8": "int8", "grice-fp32": "fp32"}

Loaded = TypeVar("Loaded")
Loader = Callable[[SpeedOptions, str], Model[Behaviors]]
SayTurn = Callable[[str, int, int], str]
"""From a text, the number of its dialogue and its place there to what is said."""


def load_monitor(options: SpeedOptions, system: str) -> Model[Behaviors]:
    """The exported monitor that a system name stands for."""
    from grice.models.behaviors.monitor import load_behavior_monitor

    return load_behavior_monitor(options.behaviors, runtime=Runtime("cpu", options.threads, PRECISIONS[system], workers=1))


def add_behaviors(
    sheet: Sheet, options: SpeedOptions, asked: Sequence[str], given: Sequence[Dialogue], load: Loader = load_monitor
) -> None:
    """Take the times of each precision that was asked for; `given` says what the turns are taken from, one call for each."""
    monitors = load_precisions(sheet, TASK, options, asked, load)
    calls = {name: _next(monitor.predict) for name, monitor in monitors.items()}
    items = fresh_dialogues(given, (options.rounds + 1) * len(calls))  # one round is the warm-up
    for name, times in interleaved(calls, items, options.rounds, TASK).items():
        add_times(sheet, TASK, name, times)
        sheet.add_model(monitors[name])


def load_precisions(
    sheet: Sheet, task: str, options: SpeedOptions, asked: Sequence[str], load: Callable[[SpeedOptions, str], Loaded]
) -> dict[str, Loaded]:
    """The model in each precision that was asked for, by system; why others cannot be loaded goes into the sheet.

    Raises:
        ModelError: one that was asked for by name cannot be loaded.
    """
    names = [name for name in asked if name in PRECISIONS]
    found, reasons = attempt({name: partial(load, options, name) for name in names}, options)
    for name, reason in reasons.items():
        sheet.add_unscored(task, name, METRICS, reason)
    return found


def numbered(text: str, number: int, place: int) -> str:
    """The text with the number of its dialogue behind it."""
    return f"{text} {number}"


def fresh_dialogues(
    given: Sequence[Dialogue], count: int, first: int = 0, last: Speaker = "bot", worded: SayTurn = numbered
) -> list[Iterator[Dialogue]]:
    """For each of `given`, `count` dialogues of `HISTORY` turns and one that `last` says, in which no turn is like another's.

    Args:
        first: number of the first dialogue; the others follow.
        worded: makes turns that differ for different numbers.
    """
    texts: dict[Speaker, list[str]] = {
        speaker: [turn.text for dialogue in given for turn in dialogue.turns if turn.speaker == speaker]
        for speaker in ("user", "bot")
    }
    speakers: tuple[Speaker, Speaker] = ("bot", "user") if last == "bot" else ("user", "bot")  # `HISTORY` is even
    starts = [place * (HISTORY // 2 + 1) for place in range(len(given))]
    return [
        iter([_dialogue(texts, speakers, start, first + place * count + number, worded) for number in range(count)])
        for place, start in enumerate(starts)
    ]


def _dialogue(
    texts: Mapping[Speaker, Sequence[str]], speakers: tuple[Speaker, Speaker], start: int, number: int, worded: SayTurn
) -> Dialogue:
    turns = []
    for place in range(HISTORY + 1):
        speaker = speakers[place % 2]
        said = texts[speaker] or texts["user"]
        turns.append(Turn(speaker, worded(said[(start + place // 2) % len(said)], number, place)))
    return Dialogue(tuple(turns))


def _next(predict: Callable[[Sequence[Dialogue]], object]) -> Callable[[Iterator[Dialogue]], object]:
    return lambda dialogues: predict([next(dialogues)])
