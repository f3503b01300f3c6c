"""A turn with its history, and the words of options, as pieces for the reader of meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from grice.models.dialogue import Dialogue
from grice.models.errors import WeightsError

MOST_TURN = 64
MOST_HISTORY = 48
MOST_OPTION = 32
HISTORY_TURNS = 4
"""How many turns before the last are read, the bot's pending one among them."""

SPECIAL = (("<s>", "</s>", "<pad>"), ("[CLS]", "[SEP]", "[PAD]"))


@dataclass(frozen=True)
class TurnPieces:
    """A turn and what came before it.

    Attributes:
        ids: `begin history end end turn end`; without history `begin turn end`.
        start: place of the turn's first piece. offsets: where each piece of the turn begins and ends in its text.
        history_read: how many turns before are read, whole or in part. text_cut: the end of the turn is not.
    """

    ids: tuple[int, ...]
    start: int
    offsets: tuple[tuple[int, int], ...]
    history_read: int = 0
    text_cut: bool = False


class MeaningTokens:
    """Texts to pieces.

    Args:
        tokenizer: of the trunk; its special pieces are those of MPNet or of BERT.

    Raises:
        WeightsError: it has other ones.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        known = tokenizer.get_vocab(with_added_tokens=True)
        special = next((pieces for pieces in SPECIAL if all(piece in known for piece in pieces)), None)
        if special is None:
            raise WeightsError(f"tokenizer: none of the special pieces {SPECIAL}; export the model again")
        self.begin, self.end, self.pad = (known[piece] for piece in special)

    def read_turn(self, dialogue: Dialogue) -> TurnPieces:
        """The last turn of a dialogue. Of a long history its end is kept, of a long turn its beginning."""
        last = self.tokenizer.encode(dialogue.last.text, add_special_tokens=False)
        told = [f"{turn.speaker}: {turn.text}" for turn in dialogue.history[-HISTORY_TURNS:]]
        before = self.tokenizer.encode(" ".join(told), add_special_tokens=False)
        history = before.ids[-MOST_HISTORY:]
        head = [self.begin, *history, self.end, self.end] if history else [self.begin]
        turn = last.ids[:MOST_TURN]
        seen = sum(map(len, told)) + len(told) - 1 - before.offsets[-MOST_HISTORY:][0][0] if history else 0
        return TurnPieces(
            (*head, *turn, self.end),
            len(head),
            tuple(last.offsets[: len(turn)]),
            _last_within(told, seen),
            len(turn) < len(last.ids),
        )

    def read_options(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The words of options: `begin words end`."""
        found = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [(self.begin, *each.ids[:MOST_OPTION], self.end) for each in found]


def _last_within(texts: Sequence[str], letters: int) -> int:
    """How many texts, joined by spaces, the last `letters` reach into."""
    count = 0
    for text in reversed(texts):
        if letters <= 0:
            break
        count, letters = count + 1, letters - len(text) - 1
    return count
