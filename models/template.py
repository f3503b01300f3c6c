"""How a dialogue becomes the source text of the rewriter: the tags and the order of the DIRECT paper, section 4.1.

`<user> … <system> … <query> the turn to rewrite`: turns in order of appearance, each behind the tag of its speaker, the turn
to rewrite last behind `<query>`. One small model serves several target forms; it is told which by a tag in front.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, get_args

from grice.models.dialogue import Turn, plain_text

TargetForm = Literal["direct", "indirect"]

TARGET_FORMS: tuple[str, ...] = get_args(TargetForm)
QUERY_TAG = "<query>"
SPEAKER_TAGS = {"user": "<user>", "bot": "<system>"}
FORM_TAGS = {"direct": "<direct>", "indirect": "<indirect>", "original": "<original>"}
"""`original`, the form people used unprompted, is an auxiliary target in training."""
TAGS = (QUERY_TAG, *SPEAKER_TAGS.values(), *FORM_TAGS.values())

_TAG_LIKE = re.compile("|".join(re.escape(tag) for tag in TAGS), re.IGNORECASE)


def source_text(text: str, history: Sequence[Turn], form: str | None) -> str:
    """The source for rewriting `text` after `history` (oldest first) into `form` (None: a model with one form only)."""
    parts = [] if form is None else [FORM_TAGS[form]]
    parts += [f"{SPEAKER_TAGS[turn.speaker]} {untagged(turn.text)}" for turn in history]
    return " ".join([*parts, f"{QUERY_TAG} {untagged(text)}"])


def untagged(text: str) -> str:
    """`text` for the model: control characters out, and nothing in it that reads as one of our tags."""
    return plain_text(_TAG_LIKE.sub(lambda match: match.group()[1:-1], text))
