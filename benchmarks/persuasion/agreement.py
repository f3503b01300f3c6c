"""How well is it known, in the middle of a persuasion, whether the persuadee will give?

    python -m grice.benchmarks.persuasion.agreement --data-dir DIR

Reads the stored predictions of the cross-validation by dialogue. After a quarter, half, three quarters and all of the utterances:
accuracy (at 0.5) and Brier score (the mean squared error of the probability; less is better) of our estimate, of the
authors' model, and of always saying the share of dialogues that end in a gift; with 95 % intervals by dialogue.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence

import numpy as np

from grice.benchmarks.core.folds import StoredFolds, read_folds
from grice.benchmarks.core.report import interval, table_text
from grice.benchmarks.core.results import Table
from grice.benchmarks.persuasion.folds import FOLDS, TRAINS
from grice.benchmarks.stats.bootstrap import Estimate, estimate
from grice.benchmarks.stats.metrics import Array, mean
from grice.models.data import face_acts
from grice.models.data.face_acts import FaceActDialogue
from grice.models.data.files import data_dir
from grice.models.face_acts.detector import after_refusals
from grice.models.results import FaceAct

SHARES = (0.25, 0.5, 0.75, 1.0)


def stored_agreement(stored: StoredFolds) -> Mapping[str, Sequence[float]]:
    """The stored estimates after each utterance, by dialogue.

    Raises:
        DataCorrupt: there are none.
    """
    with stored.decoding():
        found: Mapping[str, Sequence[float]] = stored.content["agreement"]
        return found


def shipped_agreement(dialogues: Sequence[FaceActDialogue], stored: StoredFolds) -> Mapping[str, Sequence[float]]:
    """The stored estimates as the detector gives them: lower after a flat refusal."""
    found = stored_agreement(stored)
    with stored.decoding():
        labels: Mapping[str, Sequence[FaceAct]] = stored.content["predictions"]
        return {
            each.dialogue_id: after_refusals(
                found[each.dialogue_id],
                [
                    (utterance.role, utterance.text, label)
                    for utterance, label in zip(each.utterances, labels[each.dialogue_id], strict=True)
                ],
            )
            for each in dialogues
        }


def estimates(dialogues: Sequence[FaceActDialogue], stored: Mapping[str, Sequence[float]], share: float) -> dict[str, Array]:
    """What each system says after `share` of the utterances, one number a dialogue."""
    places = [math.ceil(share * len(each.utterances)) - 1 for each in dialogues]
    gives = float(np.mean([each.donates for each in dialogues]))
    return {
        "grice": np.array([stored[each.dialogue_id][place] for each, place in zip(dialogues, places, strict=True)]),
        "authors": np.array([each.utterances[at].donation_probability for each, at in zip(dialogues, places, strict=True)]),
        "majority": np.full(len(dialogues), gives),
    }


def scores(dialogues: Sequence[FaceActDialogue], said: Array) -> tuple[Estimate, Estimate]:
    """Accuracy in percent and Brier score."""
    gives = np.array([each.donates for each in dialogues])
    names = [each.dialogue_id for each in dialogues]
    return estimate(mean((said >= 0.5) == gives, 100), names, 0), estimate(mean((said - gives) ** 2), names, 0)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir")
    dialogues = face_acts.read(data_dir(parser.parse_args().data_dir))
    stored = shipped_agreement(dialogues, read_folds(FOLDS, TRAINS))
    rows = []
    for share in SHARES:
        for system, said in estimates(dialogues, stored, share).items():
            accuracy, brier = scores(dialogues, said)
            rows.append((f"{share:.0%}", system, interval(accuracy, 1), interval(brier, 3), accuracy.n))
    print(table_text(Table("Agreement", ("of utterances", "system", "accuracy", "Brier", "n"), tuple(rows))))


if __name__ == "__main__":
    main()
