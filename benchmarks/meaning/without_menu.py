"""What is told of turns where nothing is known of the bot: replies alone. A sweep on the calibration hands.

    python -m grice.benchmarks.meaning.without_menu [--hands H P]

For every `REPLY_FROM`: of the indirect turns, how many are rewritten, how many of these rewrites are the right reply, and how many
of all get a wrong one; how many direct and courtesy turns are changed. Our rewriter has learnt from towns alone and is not asked
here. Nothing was chosen on H, P, QJ and QO.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from tqdm import tqdm

from grice.benchmarks.core.batches import Remembering
from grice.benchmarks.core.report import table_text
from grice.benchmarks.core.results import Table
from grice.benchmarks.meaning.hand_menus import read_hand_menus
from grice.middleware.turns.reply_rewriter import ReplyRewriter
from grice.models.dialogue import Dialogue
from grice.models.meaning.reader import load_meaning_reader
from grice.models.protocols import MeaningPredictor
from grice.models.training.meaning.samples import MenuTurns, Target

REPLY_FROM = (0.5, 0.55, 0.6, 0.65, 0.7, 0.8)


@dataclass(frozen=True)
class ReplyEffect:
    """What one threshold does, in percent."""

    reply_from: float
    rewritten: float
    right: float
    wrong: float
    harmed: float


def sweep(reader: MeaningPredictor, menus: Sequence[MenuTurns]) -> list[ReplyEffect]:
    """The effect of every threshold on these turns, of whose menus nothing is told."""
    turns = [turn for menu in menus for turn in menu.turns]
    remembering = Remembering(reader)
    return [_effect(ReplyRewriter(remembering, each), each, turns) for each in tqdm(REPLY_FROM, desc="thresholds", disable=None)]


def _effect(rewriter: ReplyRewriter, reply_from: float, turns: Sequence[tuple[Dialogue, Target]]) -> ReplyEffect:
    found = rewriter.predict([dialogue for dialogue, _ in turns])
    told = [(target, each.act) for (_, target), each in zip(turns, found, strict=True) if each.rewrite is not None]
    indirect = [target.meaning == ("act", act) for target, act in told if target.kind == "indirect"]
    plain = [target for target, _ in told if target.kind in ("direct", "courtesy")]
    kinds = [target.kind for _, target in turns]
    count, others = kinds.count("indirect"), kinds.count("direct") + kinds.count("courtesy")
    wrong = len(indirect) - sum(indirect)
    return ReplyEffect(
        reply_from,
        _percent(len(indirect), count),
        _percent(sum(indirect), len(indirect)),
        _percent(wrong, count),
        _percent(len(plain), others),
    )


def _percent(count: int, of: int) -> float:
    return 100 * count / of if of else 0.0


def main() -> None:
    """Print the table."""
    hands, menus = read_hand_menus(__doc__ or "")
    header = ("reply_from", "rewritten %", "of them right %", "wrong of all %", "harmed %")
    rows = [(each.reply_from, *(round(value, 1) for value in astuple(each)[1:])) for each in sweep(load_meaning_reader(), menus)]
    print(table_text(Table(f"Rewrites without a menu, hands {', '.join(hands)}", header, tuple(rows))))


if __name__ == "__main__":
    main()
