"""How a dialogue becomes the source text of the rewriter: the tags and the order of the DIRECT paper, section 4.1.

`<user> … <system> … <query> the turn to rewrite`: turns in order of appearance, each behind the tag of its speaker, the turn
to rewrite last behind `<query>`. One small model serves several target forms; it is told which by a tag in front.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from tokenizers import Tokenizer

from grice.models.dialogue import Turn, plain_text
from grice.models.errors import WeightsError
from grice.models.manifest import Manifest

TargetForm = Literal["direct", "indirect"]

TARGET_FORMS: tuple[str, ...] = get_args(TargetForm)
QUERY_TAG = "<query>"
SPEAKER_TAGS = {"user": "<user>", "bot": "<system>"}
FORM_TAGS = {"direct": "<direct>", "indirect": "<indirect>", "original": "<original>"}
"""`original`, the form people used unprompted, is an auxiliary target in training."""
TAGS = (QUERY_TAG, *SPEAKER_TAGS.values(), *FORM_TAGS.values())

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

_TAG_LIKE = re.compile("|".join(re.escape(tag) for tag in (*TAGS, *SPECIAL_TOKENS)))


def source_text(text: str, history: Sequence[Turn], form: str | None) -> str:
    """The source for rewriting `text` after `history` (oldest first) into `form` (None: a model with one form only)."""
    parts = [] if form is None else [FORM_TAGS[form]]
    parts += [f"{SPEAKER_TAGS[turn.speaker]} {untagged(turn.text)}" for turn in history]
    return " ".join([*parts, f"{QUERY_TAG} {untagged(text)}"])


def untagged(text: str) -> str:
    """`text` for the model: control characters out, and nothing in it that reads as one of our tags."""
    return plain_text(_TAG_LIKE.sub(lambda match: match.group()[1:-1], text))


@dataclass(frozen=True)
class SourceFormat:
    """How much of a dialogue a model reads: the newest `history_turns` turns, and `max_tokens` tokens in all.

    `history_turns` below 0 is all. `with_form`: the source starts with the tag of the wanted form, because the model writes
    several. `start_token` and `end_token` (None: none) enclose the source.
    """

    history_turns: int
    max_tokens: int
    with_form: bool = True
    start_token: str = "[CLS]"
    end_token: str | None = None

    @classmethod
    def of(cls, manifest: Manifest) -> SourceFormat:
        """The format that the manifest of a model says under `source`.

        Raises:
            ManifestError: it is none.
        """
        found = manifest.setting("source", dict, "an object")
        known = tuple(cls.__dataclass_fields__)
        if unknown := [name for name in found if name not in known]:
            raise manifest.refuse(f"source.{unknown[0]}", found[unknown[0]], f"no such key; the keys are {', '.join(known)}")
        for name in found:
            if name.endswith("_token") and not (name == "end_token" and found[name] is None):
                manifest.setting(f"source.{name}", str, "a token")
        if "with_form" in found:
            manifest.setting("source.with_form", bool, "true or false")
        manifest.count("source.history_turns", -1, 10_000)
        manifest.count("source.max_tokens", 4, 65_536)
        return cls(**found)


@dataclass(frozen=True)
class EncodedSource:
    """Token ids that a model reads, and what of the dialogue they hold."""

    ids: list[int]
    history_read: int
    history_cut: int
    text_cut: bool


def encode_source(
    tokenizer: Tokenizer, text: str, history: Sequence[Turn], form: str | None, layout: SourceFormat
) -> EncodedSource:
    """Token ids of `text` after `history`; what does not fit is cut, from the oldest turn, and of the text itself last."""
    newest = len(history) if layout.history_turns < 0 else layout.history_turns
    kept = list(history[-newest:]) if newest else []
    start = token_id(tokenizer, layout.start_token)
    end = [] if layout.end_token is None else [token_id(tokenizer, layout.end_token)]
    room = layout.max_tokens - 1 - len(end)
    while True:
        ids = tokenizer.encode(source_text(text, kept, form if layout.with_form else None), add_special_tokens=False).ids
        if len(ids) <= room or not kept:
            break
        kept = kept[1:]
    return EncodedSource([start, *ids[:room], *end], len(kept), len(history) - len(kept), len(ids) > room)


def read_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer in a `tokenizer.json`, or in a packed one (`.gz`).

    Raises:
        WeightsError: it cannot be read.
    """
    try:
        content = path.read_bytes()
        return Tokenizer.from_str((gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8"))
    except Exception as error:  # tokenizers raises its own untyped errors
        raise WeightsError(f"{path}: not a tokenizer ({error}); install or export the model again") from error


def token_id(tokenizer: Tokenizer, token: str) -> int:
    """The id of a special token.

    Raises:
        WeightsError: the tokenizer does not have it.
    """
    number: int | None = tokenizer.token_to_id(token)
    if number is None:
        raise WeightsError(f"tokenizer.json has no token {token}; it belongs to another model")
    return number
