"""A smaller WordPiece vocabulary cut out of MiniLM's: the output layer is most of a small decoder's work and size.

Every single character stays (alone and as a continuation), so a word that lost its piece is spelt out, never unknown.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from grice.models.text.template import SPECIAL_TOKENS, read_tokenizer
from grice.models.training import warm_start

PAD, UNK, CLS, SEP, MASK = range(5)


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer and, for its ids without the added tags, MiniLM's ids."""

    tokenizer: Tokenizer
    kept_ids: tuple[int, ...]


def cut(texts: Iterable[str], tags: Sequence[str], at_least: int, size: int) -> Vocabulary:
    """MiniLM's tokenizer with the pieces that occur at least `at_least` times in `texts`, the `size` most frequent at most.

    Ids: 0 to 4 are [PAD], [UNK], [CLS], [SEP], [MASK], then `tags`, then the pieces in MiniLM's order.
    """
    full = Tokenizer.from_file(str(warm_start.folder() / "tokenizer.json"))
    full.no_padding()
    full.no_truncation()
    counts: Counter[str] = Counter()
    for encoding in full.encode_batch(list(texts), add_special_tokens=False):
        counts.update(encoding.tokens)
    ids = full.get_vocab()
    frequent = {piece for piece, count in counts.most_common(size) if count >= at_least}
    letters = {piece for piece in ids if len(piece.removeprefix("##")) == 1 and ord(piece.removeprefix("##")) < 0x250}
    pieces = sorted((frequent | letters) - set(SPECIAL_TOKENS), key=ids.__getitem__)
    order = [*SPECIAL_TOKENS, *tags, *pieces]
    layout = json.loads(full.to_str())
    layout["model"]["vocab"] = {piece: number for number, piece in enumerate(order)}
    layout["added_tokens"] = [
        {
            "id": number,
            "content": piece,
            "special": True,
            "normalized": False,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
        }
        for number, piece in enumerate(order[: len(SPECIAL_TOKENS) + len(tags)])
    ]
    layout["post_processor"] = None
    layout["padding"] = layout["truncation"] = None
    return Vocabulary(Tokenizer.from_str(json.dumps(layout)), tuple(ids[piece] for piece in (*SPECIAL_TOKENS, *pieces)))


def read_or_cut(path: Path, texts: Callable[[], Iterable[str]], tags: Sequence[str], at_least: int, size: int) -> Vocabulary:
    """The vocabulary that was saved at `path`, or else one cut from `texts` and saved there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        cut(texts(), tags, at_least, size).tokenizer.save(str(path))
    return read(path)


def read(path: Path) -> Vocabulary:
    """The vocabulary whose tokenizer was saved at `path`: a resumed run must not cut another from data that has changed."""
    tokenizer = read_tokenizer(path)
    ids = Tokenizer.from_file(str(warm_start.folder() / "tokenizer.json")).get_vocab()
    ordered = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    return Vocabulary(tokenizer, tuple(ids[piece] for piece, _ in ordered if piece in ids))
