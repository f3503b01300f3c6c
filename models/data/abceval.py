"""ABC-Eval's doubly annotated responses with ChatGPT's and specialised models' labels (Finch, Paek and Choi 2023).

File: `behavior-classification-results.json`: an object of dialogues, `NUMBERS_BOT` to a list of exchanges, each with the `user`'s
turn, the `system`'s response to it, and `behaviors`: for each name in full `human` (0 or 1 of both annotators), `gpt`
(ChatGPT-3.5), and `specialized` for the six behaviours that have such a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.data.files import existing, in_format, read_json
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import DataCorrupt
from grice.models.results import BEHAVIORS, Behavior

FOLDER = "abceval"
FILE = "behavior-classification-results.json"
ANNOTATORS = 2


@dataclass(frozen=True)
class LabelledResponse:
    """A bot's response and who found which behaviours in it.

    Attributes:
        dialogue_id: as in the file.
        bot: the bot's name: what follows the first underscore of `dialogue_id`.
        place: of the response among those of its dialogue, 0 the first.
        history: all turns before it, oldest first: user, bot, user, …; the last is the user's.
        response: its text.
        annotators: what the first and the second annotator say.
        chatgpt: what ChatGPT-3.5 says.
        specialized: what the specialised model for the behaviour says; None where there is no such model.
    """

    dialogue_id: str
    bot: str
    place: int
    history: tuple[Turn, ...]
    response: str
    annotators: Mapping[Behavior, tuple[bool, bool]]
    chatgpt: Mapping[Behavior, bool]
    specialized: Mapping[Behavior, bool | None]

    @property
    def dialogue(self) -> Dialogue:
        """The dialogue that ends in the response: what a monitor reads."""
        return Dialogue.of(self.response, self.history, "bot")


def read(data_dir: Path) -> list[LabelledResponse]:
    """The responses in `abceval/`, in file order.

    Raises:
        DataNotFound: the file is missing.
        DataCorrupt: it is damaged, or a text in it is not usable as a turn; says which response.
    """
    path = existing(data_dir / FOLDER, FILE)
    content = read_json(path)
    if not isinstance(content, dict) or not content:
        raise DataCorrupt(f"{path}: not in the format of ABC-Eval (an object of dialogues); fetch it again")
    return [response for key, exchanges in content.items() for response in _dialogue(key, exchanges, path)]


def _dialogue(key: str, exchanges: Sequence[Mapping[str, Any]], path: Path) -> Iterator[LabelledResponse]:
    if not isinstance(exchanges, list) or not exchanges:
        raise DataCorrupt(f"{path}: dialogue {key} has no list of exchanges; fetch it again")
    history: tuple[Turn, ...] = ()
    for place, exchange in enumerate(exchanges):
        with in_format("ABC-Eval", f"{path}, dialogue {key}, response {place}"):
            asked, said = Turn("user", exchange["user"]), Turn("bot", exchange["system"])
            found = {label: exchange["behaviors"][DEFINITIONS[label].name] for label in BEHAVIORS}
            yield LabelledResponse(
                key,
                key.partition("_")[2],
                place,
                (*history, asked),
                said.text,
                {label: _pair(entry["human"]) for label, entry in found.items()},
                {label: _flag(entry["gpt"]) for label, entry in found.items()},
                {label: _flag(entry["specialized"]) if "specialized" in entry else None for label, entry in found.items()},
            )
        history = (*history, asked, said)


def _pair(values: Sequence[object]) -> tuple[bool, bool]:
    first, second = map(_flag, values)
    return first, second


def _flag(value: object) -> bool:
    if value not in (0, 1):
        raise ValueError(f"a label is {value!r}, not 0 or 1")
    return value == 1
