"""The part of `grice bench speed` on the reader of meaning: a turn of the user and the bot's pending one, against a menu.

The menu has ten intents and three slots of five values. Its vectors are kept, as they are when a bot is running.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.speed.behaviors import PRECISIONS, load_precisions
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.timing import add_times, interleaved
from grice.models.dialogue import Dialogue
from grice.models.meaning.results import MeaningQuestion
from grice.models.protocols import MeaningPredictor
from grice.models.runtime.runtime import Runtime
from grice.models.schema import BotSchema, IntentSpec, SlotSpec

TASK = "meaning"
INTENTS: Mapping[str, str] = {
    "find_place": "find somewhere to eat or stay",
    "ask_price": "ask what something costs",
    "ask_discount": "ask for a cheaper one or a discount",
    "book": "book a table or a room",
    "change_booking": "change a booking that was made",
    "cancel_booking": "call a booking off",
    "ask_way": "ask how to get there",
    "call_taxi": "have a taxi come",
    "ask_hours": "ask when a place is open",
    "complain": "say that something was not in order",
}
SLOTS: Mapping[str, tuple[str, ...]] = {
    "price": ("free", "cheap", "moderate", "expensive", "luxury"),
    "area": ("centre", "north", "south", "east", "west"),
    "kind of place": ("restaurant", "hotel", "guesthouse", "museum", "park"),
}
MENU = BotSchema(
    tuple(IntentSpec(name, text) for name, text in INTENTS.items()),
    tuple(SlotSpec(name, f"{name} that the user wants", values) for name, values in SLOTS.items()),
)

LoadReader = Callable[[SpeedOptions, str], MeaningPredictor]


def load_reader(options: SpeedOptions, system: str) -> MeaningPredictor:
    """The exported reader of meaning that a system name stands for."""
    from grice.models.meaning.reader import load_meaning_reader

    return load_meaning_reader(options.meaning, runtime=Runtime("cpu", options.threads, PRECISIONS[system], workers=1))


def add_meanings(
    sheet: Sheet, options: SpeedOptions, asked: Sequence[str], given: Sequence[Dialogue], load: LoadReader = load_reader
) -> None:
    """Take the times of each precision that was asked for; one call for the last two turns of each dialogue."""
    readers = load_precisions(sheet, TASK, options, asked, load)
    calls = {name: _single(reader) for name, reader in readers.items()}
    items = [MeaningQuestion(Dialogue(dialogue.turns[-2:]), MENU) for dialogue in given]
    for name, times in interleaved(calls, items, options.rounds, TASK).items():
        add_times(sheet, TASK, name, times)
        sheet.add_model(readers[name])


def _single(reader: MeaningPredictor) -> Callable[[MeaningQuestion], object]:
    return lambda question: reader.predict([question])
