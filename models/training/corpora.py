"""Text of the dialogue data at hand, for vocabularies and denoising; of MultiWOZ's test split only DIRECT's train part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grice.models.data import direct, multiwoz, sgd
from grice.models.dialogue import Turn
from grice.models.text.template import TAGS
from grice.models.training import vocabulary


def multiwoz_dialogues(data_dir: Path) -> list[list[Turn]]:
    """The dialogues of the validation split."""
    return [[utterance.turn for utterance in turns] for turns in multiwoz.read(data_dir / "multiwoz21", "val").values()]


def multiwoz_utterances(data_dir: Path) -> list[Turn]:
    """The extra annotated utterances, without those of the test split's dialogues."""
    evaluated = set(multiwoz.read(data_dir / "multiwoz21", "test"))
    return [said.turn for session, said in multiwoz.read_user_utterances(data_dir / "multiwoz21") if session not in evaluated]


def sgd_dialogues(data_dir: Path) -> list[list[Turn]]:
    """The dialogues of SGD's training split."""
    return [[turn.turn for turn in dialogue.turns] for dialogue in sgd.read(data_dir / "sgd", "train")]


def texts(data_dir: Path, rows: Sequence[direct.Triple]) -> list[str]:
    """Every text of the above and all three forms of the given rows."""
    dialogues = multiwoz_dialogues(data_dir) + sgd_dialogues(data_dir)
    said = [turn.text for turns in dialogues for turn in turns] + [turn.text for turn in multiwoz_utterances(data_dir)]
    return said + [text for row in rows for text in (row.original, row.direct, row.indirect)]


def vocabulary_of(data_dir: Path, rows: Sequence[direct.Triple], path: Path) -> vocabulary.Vocabulary:
    """The vocabulary saved at `path`, or one cut from `texts` and saved there."""
    return vocabulary.read_or_cut(path, lambda: texts(data_dir, rows), TAGS, at_least=2, size=10_000)
