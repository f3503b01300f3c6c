"""Should the gate believe the directness scorer, without a menu, in a dialogue that is about no town? A sweep on written hands.

    python -m grice.benchmarks.direct.second_look [--hands H P]

The scorer has learnt from town information alone. For turns of dialogues that speak of no town: how well it, and the reader of
meaning asked without a menu, tell indirect turns from direct ones (area under the ROC curve). Then, for every `indirect_from`: how
many turns of each kind pass as direct. 0 is the scorer alone. `INDIRECT_FROM` was chosen by it on the hands on which the reader's
sureness is fitted; nothing was chosen on H, P, QJ and QO.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tqdm import tqdm

from grice.benchmarks.core.batches import BATCH
from grice.benchmarks.core.report import table_text
from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.meaning.hand_menus import read_hand_menus
from grice.benchmarks.stats.bootstrap import estimate
from grice.benchmarks.stats.ranking import auc
from grice.middleware import PipelineSettings
from grice.middleware.turns.guard.topics import speaks_of_town
from grice.models import load_directness_scorer
from grice.models.dialogue import Dialogue
from grice.models.meaning.menu import ANY_REQUEST
from grice.models.meaning.reader import load_meaning_reader
from grice.models.meaning.results import MeaningQuestion, TurnKind
from grice.models.protocols import MeaningPredictor, Model
from grice.models.results import Directness
from grice.models.training.meaning.samples import MenuTurns

INDIRECT_FROM = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
KINDS: tuple[TurnKind, ...] = ("direct", "courtesy", "indirect")


@dataclass(frozen=True)
class ScoredTurn:
    """A turn of a dialogue about no town.

    Attributes:
        directness: by the scorer. indirect: by the reader of meaning, without a menu. Both 0 to 1.
    """

    kind: TurnKind
    directness: float
    indirect: float


def score(menus: Sequence[MenuTurns], directness: Model[Directness], reader: MeaningPredictor) -> list[ScoredTurn]:
    """What both models say of the turns of `KINDS`."""
    asked: list[tuple[Dialogue, TurnKind]] = [
        (dialogue, target.kind)
        for menu in menus
        for dialogue, target in menu.turns
        if target.kind in KINDS and not speaks_of_town(dialogue)
    ]
    scored = []
    for start in tqdm(range(0, len(asked), BATCH), desc="turns", disable=None):
        chunk = asked[start : start + BATCH]
        dialogues = [dialogue for dialogue, _ in chunk]
        read = reader.predict([MeaningQuestion(dialogue, ANY_REQUEST) for dialogue in dialogues])
        found = zip(chunk, directness.predict(dialogues), read, strict=True)
        scored += [ScoredTurn(kind, plain.score, each.indirect) for (_, kind), plain, each in found]
    return scored


def areas(scored: Sequence[ScoredTurn]) -> dict[str, str]:
    """Of each model the chance that it takes an indirect turn for more indirect than a direct one, with its 95 % interval."""
    turns = [each for each in scored if each.kind in ("direct", "indirect")]
    flags, groups = [each.kind == "indirect" for each in turns], [str(place) for place in range(len(turns))]
    values = {"directness scorer": [1 - each.directness for each in turns], "reader of meaning": [each.indirect for each in turns]}
    found = {name: estimate(auc(numbers, flags), groups, 0) for name, numbers in values.items()}
    return {name: f"{each.value:.3f} [{each.low:.3f}, {each.high:.3f}]" for name, each in found.items()}


def passed(scored: Sequence[ScoredTurn], direct_from: float, indirect_from: float) -> list[str]:
    """Of each of `KINDS`: how many turns pass as direct, of how many."""
    counts = []
    for kind in KINDS:
        turns = [each for each in scored if each.kind == kind]
        direct = sum(each.directness >= direct_from or each.indirect < indirect_from for each in turns)
        counts.append(f"{direct} of {len(turns)}")
    return counts


def main() -> None:
    """Print the areas and the table."""
    hands, menus = read_hand_menus(__doc__ or "")
    scored = score(menus, load_directness_scorer(), load_meaning_reader())
    direct_from = PipelineSettings().direct_from
    for name, area in areas(scored).items():
        print(f"{name}: area {area}")
    rows: tuple[tuple[Cell, ...], ...] = tuple((each, *passed(scored, direct_from, each)) for each in INDIRECT_FROM)
    print(table_text(Table(f"Turns that pass as direct, hands {', '.join(hands)}", ("indirect_from", *KINDS), rows)))


if __name__ == "__main__":
    main()
