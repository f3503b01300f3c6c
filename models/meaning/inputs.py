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
    """

    ids: tuple[int, ...]
    start: int
    offsets: tuple[tuple[int, int], ...]


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
        before = " ".join(f"{turn.speaker}: {turn.text}" for turn in dialogue.turns[:-1][-HISTORY_TURNS:])
        history = self.tokenizer.encode(before, add_special_tokens=False).ids[-MOST_HISTORY:] if before else []
        head = [self.begin, *history, self.end, self.end] if history else [self.begin]
        turn = last.ids[:MOST_TURN]
        return TurnPieces((*head, *turn, self.end), len(head), tuple(last.offsets[: len(turn)]))

    def read_options(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The words of options: `begin words end`."""
        found = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [(self.begin, *each.ids[:MOST_OPTION], self.end) for each in found]
