"""What the rewriter learns from: pairs of a source text and a target, from DIRECT and, before that, from other dialogue data."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from grice.models.data import direct
from grice.models.dialogue import Turn
from grice.models.text.template import QUERY_TAG, SourceFormat, encode_source, token_id, untagged
from grice.models.training import corpora
from grice.models.training.trainer import bucketed
from grice.models.training.vocabulary import CLS, MASK, PAD, SEP

IGNORED = -100
NO_HISTORY = 0.1


@dataclass(frozen=True)
class RewriteExample:
    """Rewrite `text`, said after `history` (oldest first), into `target`, which has the given form."""

    text: str
    history: tuple[Turn, ...]
    form: str
    target: str
    noisy: bool = False


def to_direct(triples: Iterable[direct.Triple]) -> list[RewriteExample]:
    """The task that matters most: indirect→direct, one example a row."""
    return [RewriteExample(row.indirect, row.history, "direct", row.direct) for row in triples]


def from_direct(triples: Sequence[direct.Triple]) -> list[RewriteExample]:
    """Three examples a row: indirect→direct, direct→indirect and original→direct.

    The last is no task of the paper's; it shows each direct form once more, and that what is direct already stays.
    """
    back = [RewriteExample(row.direct, row.history, "indirect", row.indirect) for row in triples]
    return to_direct(triples) + back + [RewriteExample(row.original, row.history, "direct", row.direct) for row in triples]


def unlabelled_turns(data_dir: Path, limit: int, seed: int = 0) -> list[RewriteExample]:
    """User turns to denoise: all of MultiWOZ's (see `corpora`), then SGD's by chance until there are `limit`."""
    ours = [example for turns in corpora.multiwoz_dialogues(data_dir) for example in _user_turns(turns)]
    ours += [RewriteExample(turn.text, (), "original", turn.text, noisy=True) for turn in corpora.multiwoz_utterances(data_dir)]
    others = [example for turns in corpora.sgd_dialogues(data_dir) for example in _user_turns(turns)]
    random.Random(seed).shuffle(others)
    return ours + others[: max(0, limit - len(ours))]


def _user_turns(turns: Sequence[Turn]) -> list[RewriteExample]:
    return [
        RewriteExample(turn.text, tuple(turns[max(0, place - 4) : place]), "original", turn.text, noisy=True)
        for place, turn in enumerate(turns)
        if turn.speaker == "user" and len(turn.text.split()) >= 3
    ]


@dataclass(frozen=True)
class SpecialIds:
    """What frames a target: the decoder reads `decoder_start` first and has to write `end` last."""

    pad: int = PAD
    decoder_start: int = CLS
    end: int = SEP


@dataclass(frozen=True)
class Encoded:
    """Token ids of one example: the whole `source`, and the `target` without what frames it."""

    source: list[int]
    target: list[int]


def encode(tokenizer: Tokenizer, example: RewriteExample, layout: SourceFormat, drop_history: bool = False) -> Encoded:
    """Token ids of an example, with its history or without."""
    history = () if drop_history else example.history
    source = encode_source(tokenizer, example.text, history, example.form, layout)
    target = tokenizer.encode(untagged(example.target), add_special_tokens=False).ids
    return Encoded(source.ids, target[: layout.max_tokens - 1])


def corrupt(tokens: list[int], query: int, random_: random.Random) -> list[int]:
    """BART's text infilling on what follows the query tag: about 30 % of the tokens in spans of 1 to 4, each span one [MASK];
    now and then a span is lost altogether or two neighbours change places."""
    start = len(tokens) - 1 - tokens[::-1].index(query) + 1
    kept, body = tokens[:start], tokens[start:]
    out: list[int] = []
    place = 0
    while place < len(body):
        if random_.random() < 0.14:
            place += random_.randint(1, 4)
            if random_.random() < 0.7:
                out.append(MASK)
        elif place + 1 < len(body) and random_.random() < 0.05:
            out += [body[place + 1], body[place]]
            place += 2
        else:
            out.append(body[place])
            place += 1
    return kept + (out or [MASK])


@dataclass(frozen=True)
class RewriteBatch:
    """Padded token ids, each of shape (batch, length). `labels` has -100 where nothing is to be learned."""

    source: Tensor
    mask: Tensor
    decoder_input: Tensor
    labels: Tensor


def collate(rows: Sequence[Encoded], special: SpecialIds = SpecialIds()) -> RewriteBatch:
    """One batch."""
    source = _padded([row.source for row in rows], special.pad)
    return RewriteBatch(
        source,
        _padded([[1] * len(row.source) for row in rows], 0),
        _padded([[special.decoder_start, *row.target] for row in rows], special.pad),
        _padded([[*row.target, special.end] for row in rows], IGNORED),
    )


def _padded(rows: Sequence[list[int]], filler: int) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [filler] * (width - len(row)) for row in rows])


def batcher(
    tokenizer: Tokenizer, examples: Sequence[RewriteExample], layout: SourceFormat, batch_size: int, seed: int
) -> Callable[[int], Sequence[RewriteBatch]]:
    """The batches of an epoch, bucketed by length; in a share `NO_HISTORY` of the examples the history is hidden."""
    query = token_id(tokenizer, QUERY_TAG)

    def batches(epoch: int) -> Sequence[RewriteBatch]:
        chance = random.Random(f"{seed}:{epoch}")
        encoded = []
        for example in examples:
            row = encode(tokenizer, example, layout, drop_history=chance.random() < NO_HISTORY)
            encoded.append(replace(row, source=corrupt(row.source, query, chance)) if example.noisy else row)
        generator = torch.Generator().manual_seed(seed * 1000 + epoch)
        lengths = [len(row.source) + len(row.target) for row in encoded]
        return [collate([encoded[index] for index in batch]) for batch in bucketed(lengths, batch_size, generator)]

    return batches
