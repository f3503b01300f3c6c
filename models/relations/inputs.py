"""What a bot should know, and a response, as pieces for the reader of relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from tokenizers import Tokenizer

from grice.models.dialogue import Turn
from grice.models.text.template import token_id

SpanKind = Literal["document", "fact", "policy", "user", "bot"]
SPAN_KINDS: tuple[SpanKind, ...] = get_args(SpanKind)
RESPONSE_KIND = len(SPAN_KINDS)
"""The kind that the pieces of the response have."""
AGES = 12
"""How many places from the end are told apart; all earlier ones are alike, as are documents and rows."""
MOST_CONTEXT = 320
MOST_SPAN = 96
MOST_RESPONSE = 128


@dataclass(frozen=True)
class KnownSpan:
    """Something that a response can clash with: a turn, a sentence of a document or policy, or a row.

    Attributes:
        place: of the turn, document, policy or row among those of its kind; turns of both speakers are counted together.
        start: where the text begins in what it is a part of, in characters. sentence: which of its sentences begins it.
    """

    kind: SpanKind
    place: int
    text: str
    start: int = 0
    sentence: int = 0


@dataclass(frozen=True)
class ContextPieces:
    """Spans as pieces, one after the other, each behind a mark.

    Attributes:
        ids, kinds, ages: of each piece. owners: of each piece, the place of its span.
        offsets: of each piece, where it begins and ends in its span's text; of marks (0, 0).
    """

    ids: tuple[int, ...]
    kinds: tuple[int, ...]
    ages: tuple[int, ...]
    owners: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ResponsePieces:
    """A response as `begin words end`; `offsets` of each piece in the text, of the marks (0, 0)."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]


def row_text(row: Mapping[str, str]) -> str:
    """A row of facts as it is read."""
    return "; ".join(f"{field}: {value}" for field, value in row.items())


def turn_spans(turns: Sequence[Turn]) -> list[KnownSpan]:
    """The turns of a dialogue as spans."""
    return [KnownSpan("user" if turn.speaker == "user" else "bot", place, turn.text) for place, turn in enumerate(turns)]


class RelationTokens:
    """Texts to pieces of `tokenizer`.

    Raises:
        WeightsError: the tokenizer has no marks.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.begin, self.mark, self.pad = (token_id(tokenizer, token) for token in ("[CLS]", "[SEP]", "[PAD]"))

    def read_context(self, spans: Sequence[KnownSpan]) -> ContextPieces:
        """All spans, of each the first `MOST_SPAN` pieces, of all the last `MOST_CONTEXT`."""
        rows: list[tuple[int, int, int, int, tuple[int, int]]] = []
        last = max((span.place for span in spans if span.kind in ("user", "bot")), default=0)
        for at, (span, read) in enumerate(zip(spans, self._encode([span.text for span in spans]), strict=True)):
            kind = SPAN_KINDS.index("document" if span.kind == "policy" else span.kind)  # it learned from no policies apart
            age = min(last - span.place, AGES - 2) if span.kind in ("user", "bot") else AGES - 1
            rows.append((self.mark, kind, age, at, (0, 0)))
            rows += [(piece, kind, age, at, where) for piece, where in read[:MOST_SPAN]]
        rows = rows[-MOST_CONTEXT:]
        ids, kinds, read_ages, owners, offsets = zip(*rows, strict=True)
        return ContextPieces(ids, kinds, read_ages, owners, offsets)

    def read_response(self, text: str) -> ResponsePieces:
        """The response, its first `MOST_RESPONSE` pieces."""
        [read] = self._encode([text])
        rows = [(self.begin, (0, 0)), *read[:MOST_RESPONSE], (self.mark, (0, 0))]
        return ResponsePieces(tuple(piece for piece, _ in rows), tuple(where for _, where in rows))

    def count(self, text: str) -> int:
        """How many pieces a span of this text takes, with its mark."""
        return min(len(self.tokenizer.encode(text, add_special_tokens=False).ids), MOST_SPAN) + 1

    def _encode(self, texts: Sequence[str]) -> list[list[tuple[int, tuple[int, int]]]]:
        """Offsets are those in the text as given: control characters are read as spaces, one for one."""
        plain = ["".join(each if each.isprintable() else " " for each in text) for text in texts]
        found = self.tokenizer.encode_batch(plain, add_special_tokens=False)
        return [list(zip(each.ids, each.offsets, strict=True)) for each in found]
