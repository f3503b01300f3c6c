"""Choose from which confidence on the Rasa component fills a slot, on the dev split of SGD: never on test.

    python -m grice.benchmarks.indirect_requests.slots.confidence --data-dir DIR

The resolver has not seen these dialogues in training, but most of their services: `--unseen` asks about the others alone. Asked
about are turns that give a value without saying it verbatim, and slots of which a turn says nothing.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from grice.benchmarks.core.report import interval, table_text
from grice.benchmarks.core.results import Table
from grice.benchmarks.indirect_requests.slots.turns import FOLDER, inform_turns, silent_questions
from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.bootstrap import estimate
from grice.models.data import sgd
from grice.models.results import SlotValues
from grice.models.slots.questions import SlotQuestion
from grice.models.slots.resolver import load_slot_resolver

CONFIDENCES = (0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SPLIT = "dev"
SILENT_SHARE = 0.05
SEED = 0

ConfidenceQuestion = tuple[str, SlotQuestion, str | None]
"""The dialogue, the question, and the value that is meant; None: nothing is said of the slot."""


def main() -> None:
    """Print a line for every confidence."""
    parser = argparse.ArgumentParser(description="Choose from which confidence on a slot is filled, on the dev split of SGD.")
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--model", default="meaning", help="a shipped name or the path of a folder")
    parser.add_argument("--limit", type=int, default=1000, help="questions of each kind, drawn at random")
    parser.add_argument("--unseen", action="store_true", help="only services that the training split does not have")
    args = parser.parse_args()
    indirect, silent = read_questions(args.data_dir / FOLDER, args.unseen)
    kinds = [random.Random(SEED).sample(asked, min(args.limit, len(asked))) for asked in (indirect, silent)]
    resolver = load_slot_resolver(args.model)
    found = [resolver.predict([question for _, question, _ in asked]) for asked in kinds]
    part = "dev split of SGD, services not trained on" if args.unseen else "dev split of SGD"
    print(f"{part}, {len(kinds[0])} turns that do not say their value and {len(kinds[1])} silent ones; 95 % by dialogue")
    rows = []
    for confidence in CONFIDENCES:
        fills, silent_fills = ([fill(each, confidence) for each in results] for results in found)
        groups, silent_groups = ([group for group, _, _ in asked] for asked in kinds)
        right = [(value == target, group) for value, (group, _, target) in zip(fills, kinds[0], strict=True) if value is not None]
        cells = (
            _share([value is not None for value in fills], groups),
            _share([correct for correct, _ in right], [group for _, group in right]),
            _share([value is not None for value in silent_fills], silent_groups),
        )
        rows.append((confidence, *cells))
    print(table_text(Table("Slots", ("confidence", "filled", "right of filled", "filled of silent"), tuple(rows))))


def read_questions(folder: Path, unseen: bool) -> tuple[list[ConfidenceQuestion], list[ConfidenceQuestion]]:
    """The questions about turns that do not say their value, and those about slots of which a turn says nothing.

    Args:
        folder: SGD's. unseen: leave out services that the training split has, too.

    Raises:
        DataNotFound, DataCorrupt: the data cannot be read.
    """
    known = sgd.read_schema(folder, "train") if unseen else {}
    indirect: list[ConfidenceQuestion] = [
        (each.group, each.question, each.target)
        for each in inform_turns(folder, SPLIT)
        if not each.verbatim and each.service not in known
    ]
    asked = silent_questions(folder, SPLIT, SILENT_SHARE, SEED, known)
    return indirect, [(group, each, None) for group, each in asked]


def fill(found: SlotValues, confidence: float) -> str | None:
    """The value that the slot gets from that confidence on."""
    return found.value if max(found.probabilities) >= confidence else None


def _share(flags: Sequence[bool], groups: Sequence[str]) -> str:
    return interval(estimate(metrics.mean(flags), groups, SEED), nothing="-")


if __name__ == "__main__":
    main()
