"""The part of `grice bench speed` on slot values, intentions and minds: one turn of the user.

`slots` asks which of eight values of a slot the turn means. The detector of intentions and the mind model give all that they find
after twenty turns of history: in `intentions` and `mind` those twenty were read before, outside the measured time, as in a dialogue
that goes on by one turn; in `intentions-cold` and `mind-cold` no turn was. Every call gets a dialogue of its own, whose turns have
a number that no other call has.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.speed.behaviors import PRECISIONS, Loaded, SayTurn, fresh_dialogues, numbered
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.service import METRICS
from grice.benchmarks.speed.timing import add_times, interleaved
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import ModelError
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.minds.sentence_heads import clauses
from grice.models.minds.wording import parts
from grice.models.protocols import MindPredictor, Model, SlotPredictor
from grice.models.results import Intentions
from grice.models.runtime.runtime import Runtime
from grice.models.slots.questions import SlotQuestion

SLOTS = "slots"
VARIANTS = ("intentions-cold", "intentions", "mind-cold", "mind")
INTENTIONS, MIND = VARIANTS[:2], VARIANTS[2:]
SYSTEM = "grice-int8"
"""Whose intentions and minds are timed: their heads have one precision, and the encoder is timed in `behaviors`."""

SLOT = "food"
DESCRIPTION = "the cuisine of the restaurant that the user wants to eat at"
VALUES = ("british", "chinese", "french", "indian", "italian", "japanese", "mediterranean", "thai")
MENTIONS = (
    "Have you seen Hidden Harbour (1987)?",
    "How about The Glass Orchard (1994)?",
    "You might like Seven Quiet Rivers (2003).",
    "I loved Night Train to Velmora (1979).",
    "There is also The Clockmaker's Niece (2011).",
    "My favourite is Paper Lanterns (1999).",
    "Do you know Copper Moon (1968)?",
    "Maybe try Silver Tide (2016) for a change.",
    "I think The Last Cartographer (2008) is for you.",
    "People talk about Northern Wires (1991).",
)
"""What the recommender's turns end in; the movies are invented. No two are alike once the titles are masked."""

_END = re.compile(r"([.,!?]*)$")

ReadDialogue = Callable[[Dialogue], object]


def load_resolver(options: SpeedOptions, system: str) -> SlotPredictor:
    """The exported slot-value resolver that a system name stands for."""
    from grice.models.slots.resolver import load_slot_resolver

    return load_slot_resolver(options.resolver, runtime=Runtime("cpu", options.threads, PRECISIONS[system]))


def load_detector(options: SpeedOptions) -> Model[Intentions]:
    """The detector of intentions that the options name."""
    from grice.models.face_acts.detector import load_intention_detector

    return load_intention_detector(options.intentions, runtime=Runtime("cpu", options.threads, workers=1))


def load_mind(options: SpeedOptions) -> MindPredictor:
    """The mind model that the options name."""
    from grice.models.minds.model import load_mind_model

    return load_mind_model(options.mind, runtime=Runtime("cpu", options.threads, workers=1))


def add_readers(sheet: Sheet, options: SpeedOptions, asked: Sequence[str], given: Sequence[Dialogue]) -> None:
    """Take the times of all three models; `given` says what the turns are taken from, one call for each."""
    add_slots(sheet, options, asked, given)
    add_intentions(sheet, options, asked, given)
    add_mind(sheet, options, asked, given)


def add_slots(
    sheet: Sheet,
    options: SpeedOptions,
    asked: Sequence[str],
    given: Sequence[Dialogue],
    load: Callable[[SpeedOptions, str], SlotPredictor] = load_resolver,
) -> None:
    """Take the times of each precision of the resolver that was asked for."""
    names = [name for name in asked if name in PRECISIONS]
    found = {name: _loaded(sheet, (SLOTS,), name, functools.partial(load, options, name)) for name in names}
    resolvers = {name: resolver for name, resolver in found.items() if resolver is not None}
    calls = {name: _next_question(resolver) for name, resolver in resolvers.items()}
    count = (options.rounds + 1) * len(calls)  # one round is the warm-up
    items = [_questions(dialogue, range(place * count, (place + 1) * count)) for place, dialogue in enumerate(given)]
    for name, times in interleaved(calls, items, options.rounds, SLOTS).items():
        add_times(sheet, SLOTS, name, times)
        sheet.add_model(resolvers[name])


def add_intentions(
    sheet: Sheet,
    options: SpeedOptions,
    asked: Sequence[str],
    given: Sequence[Dialogue],
    load: Callable[[SpeedOptions], Model[Intentions]] = load_detector,
) -> None:
    """Take the times of the detector, if its system was asked for."""
    model = _loaded(sheet, INTENTIONS, SYSTEM, functools.partial(load, options)) if SYSTEM in asked else None
    if model is not None:
        predict = model.predict
        _add_reader(sheet, options, given, _Reader(INTENTIONS, lambda dialogue: predict([dialogue]), numbered))
        sheet.add_model(model)


def add_mind(
    sheet: Sheet,
    options: SpeedOptions,
    asked: Sequence[str],
    given: Sequence[Dialogue],
    load: Callable[[SpeedOptions], MindPredictor] = load_mind,
) -> None:
    """Take the times of the mind model, if its system was asked for."""
    model = _loaded(sheet, MIND, SYSTEM, functools.partial(load, options)) if SYSTEM in asked else None
    if model is not None:
        predict = model.predict
        reader = _Reader(MIND, lambda dialogue: predict([RecommendationDialogue(dialogue)]), recommended)
        _add_reader(sheet, options, given, reader)
        sheet.add_model(model)


def _loaded(sheet: Sheet, tasks: Sequence[str], system: str, load: Callable[[], Loaded]) -> Loaded | None:
    """The model; None where it cannot be loaded. Then the reason is said, and other tasks of that system go on."""
    try:
        return load()
    except ModelError as error:
        for task in tasks:
            sheet.add_unscored(task, system, METRICS, str(error))
        return None


def _next_question(resolver: SlotPredictor) -> Callable[[Iterator[SlotQuestion]], object]:
    return lambda questions: resolver.predict([next(questions)])


def _questions(dialogue: Dialogue, numbers: Iterable[int]) -> Iterator[SlotQuestion]:
    """On dialogues like `dialogue`, one for each number, in which no turn is like another's."""
    found = []
    for number in numbers:
        turns = tuple(Turn(turn.speaker, numbered(turn.text, number, place)) for place, turn in enumerate(dialogue.turns))
        found.append(SlotQuestion(Dialogue(turns), SLOT, DESCRIPTION, VALUES))
    return iter(found)


def recommended(text: str, number: int, place: int) -> str:
    """What is said in a dialogue about movies: sentences of `text`; the recommender also names a movie.

    Every clause has the number, because clauses are read one by one, too.
    """
    said = parts(text)
    if place % 2:  # the user, who seeks, says the last
        said = [said[0], MENTIONS[place // 2 % len(MENTIONS)]]
    return " ".join(", ".join(_END.sub(rf" {number}\1", clause, count=1) for clause in clauses(part)) for part in said)


@dataclass(frozen=True)
class _Reader:
    """A model whose answer to a dialogue is timed.

    Attributes:
        tasks: on dialogues that it has not read; on dialogues of which it has read all but the last turn.
        worded: what is said in its dialogues.
    """

    tasks: tuple[str, str]
    read: ReadDialogue
    worded: SayTurn


class _Follower:
    """Reads each dialogue up to its last turn `before` the call, and then in the call with it."""

    def __init__(self, read: ReadDialogue) -> None:
        self._read = read

    def before(self, dialogues: Iterator[Dialogue]) -> None:
        self._dialogue = next(dialogues)
        self._read(Dialogue(self._dialogue.history))

    def call(self, _: Iterator[Dialogue]) -> None:
        self._read(self._dialogue)


def _add_reader(sheet: Sheet, options: SpeedOptions, given: Sequence[Dialogue], reader: _Reader) -> None:
    cold, live = reader.tasks
    unread = interleaved({SYSTEM: _next(reader.read)}, _items(options, cold, given, reader.worded), options.rounds, cold)
    add_times(sheet, cold, SYSTEM, unread[SYSTEM])
    follower = _Follower(reader.read)
    before = {SYSTEM: follower.before}
    followed = interleaved({SYSTEM: follower.call}, _items(options, live, given, reader.worded), options.rounds, live, before)
    add_times(sheet, live, SYSTEM, followed[SYSTEM])


def _items(options: SpeedOptions, task: str, given: Sequence[Dialogue], worded: SayTurn) -> list[Iterator[Dialogue]]:
    """Dialogues that end with the user; numbers go on behind those of `behaviors`, whose encoder is the same and remembers."""
    count = options.rounds + 1  # one round is the warm-up
    first = (len(PRECISIONS) + VARIANTS.index(task)) * count * len(given)
    return fresh_dialogues(given, count, first, "user", worded)


def _next(read: ReadDialogue) -> Callable[[Iterator[Dialogue]], object]:
    return lambda dialogues: read(next(dialogues))
