"""Invented dialogues with invented labels, in the format of ABC-Eval's released results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from data_fixtures import write_json

from grice.models.behavior_definitions import DEFINITIONS
from grice.models.data.abceval import FILE, FOLDER
from grice.models.results import BEHAVIORS, Behavior

DIALOGUES = 12
EXCHANGES = 5
SPECIALIZED: tuple[Behavior, ...] = ("Emp", "!Emp", "!Fac", "!Sel", "Ign", "!Rel")
"""The behaviours that have a specialised model."""

Labels = Mapping[Behavior, tuple[int, int, int, int]]
"""The first and the second annotator, ChatGPT, the specialised model: 0 or 1."""


def exchange(user: str, system: str, labels: Labels | None = None) -> dict[str, Any]:
    """A user's turn and the response; behaviours that `labels` leaves out are 0."""
    behaviors: dict[str, Any] = {}
    for label, definition in DEFINITIONS.items():
        first, second, chatgpt, specialized = (labels or {}).get(label, (0, 0, 0, 0))
        behaviors[definition.name] = {"human": [first, second], "gpt": chatgpt}
        if label in SPECIALIZED:
            behaviors[definition.name]["specialized"] = specialized
    return {"user": user, "system": system, "behaviors": behaviors}


def invented() -> dict[str, list[dict[str, Any]]]:
    """Dialogues about an allotment. Every behaviour is there and not there, for every annotator and model."""
    return {
        f"({number},7)_{'sprout' if number % 2 else 'root'}": [_exchange(number, place) for place in range(EXCHANGES)]
        for number in range(DIALOGUES)
    }


def _exchange(number: int, place: int) -> dict[str, Any]:
    labels = {label: _labels(5 * number + 3 * place + 7 * order) for order, label in enumerate(BEHAVIORS)}
    return exchange(f"Row {place} of bed {number} has beans.", f"Beans like sun, I water bed {number} at {place + 5}.", labels)


def _labels(seed: int) -> tuple[int, int, int, int]:
    mixed = (seed * 2654435761) % 2**32 >> 16
    truth = int(mixed % 10 < 3)
    noise = [int((mixed >> shift) % 16 < 3) for shift in (3, 5, 7, 9)]
    return (truth ^ noise[0], truth ^ noise[1], truth ^ noise[2], truth ^ noise[3])


def stored_folds() -> dict[str, Any]:
    """A cross-validation of `invented()` in three folds: probability 0.9 where the first annotator says yes, otherwise 0.2."""
    dialogues = invented()
    return {
        "about": {"recipe": "none: invented"},
        "folds": {key: number % 3 for number, key in enumerate(dialogues)},
        "thresholds": [dict.fromkeys(BEHAVIORS, 0.5 + 0.1 * fold) for fold in range(3)],
        "probabilities": {key: [_probabilities(exchange) for exchange in exchanges] for key, exchanges in dialogues.items()},
    }


def _probabilities(found: Mapping[str, Any]) -> list[float]:
    humans = [found["behaviors"][DEFINITIONS[label].name]["human"] for label in BEHAVIORS]
    return [0.9 if human[0] else 0.2 for human in humans]


def write_abceval(folder: Path, content: Any = None) -> Path:
    """The results file in `folder/abceval/`. Returns its path."""
    path = folder / FOLDER / FILE
    write_json(path, invented() if content is None else content)
    return path
