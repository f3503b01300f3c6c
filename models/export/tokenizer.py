"""A tokenizer's file as it ships: packed, and the same bytes whenever it is written."""

from __future__ import annotations

import gzip
from pathlib import Path

from tokenizers import Tokenizer

from grice.models.manifest import TOKENIZER


def pack_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Write `tokenizer.json.gz` into a folder."""
    (folder / TOKENIZER).write_bytes(gzip.compress(tokenizer.to_str().encode("utf-8"), mtime=0))
