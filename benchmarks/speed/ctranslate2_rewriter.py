"""The trained rewriter in CTranslate2, int8: the fastest generator for BART that one can install."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grice.benchmarks.speed.checkpoint import MAX_NEW_TOKENS, FloatRewriter
from grice.models.dialogue import Dialogue

TOKENIZER = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "bos_token": "[CLS]",
    "eos_token": "[SEP]",
    "unk_token": "[UNK]",
    "pad_token": "[PAD]",
}


class CTranslate2Rewriter:
    """Greedy search in CTranslate2 with a checkpoint converted to `quantization`.

    Args:
        quantization: "int8" or "float32".
    """

    def __init__(self, checkpoint: FloatRewriter, threads: int, quantization: str = "int8") -> None:
        import ctranslate2

        self._checkpoint = checkpoint
        with tempfile.TemporaryDirectory(prefix="grice-ctranslate2-") as folder:
            converted = _convert(checkpoint.folder, Path(folder), quantization)
            self._translator: Any = ctranslate2.Translator(
                str(converted), device="cpu", compute_type=quantization, inter_threads=1, intra_threads=threads
            )

    def generate(self, sources: Sequence[Sequence[int]]) -> list[list[int]]:
        """Generated ids of each source, without start and end."""
        tokenizer: Any = self._checkpoint.tokenizer
        rows = [[tokenizer.id_to_token(token) for token in source] for source in sources]
        results = self._translator.translate_batch(rows, beam_size=1, max_decoding_length=MAX_NEW_TOKENS)
        return [[tokenizer.token_to_id(token) for token in result.hypotheses[0]] for result in results]

    def rewrite(self, dialogues: Sequence[Dialogue]) -> list[str]:
        """The last turn of each dialogue in direct form."""
        return self._checkpoint.texts(self.generate(self._checkpoint.sources(dialogues)))


def _convert(checkpoint: Path, folder: Path, quantization: str) -> Path:
    """The converted model, below `folder`."""
    from ctranslate2.converters import TransformersConverter

    prepared = folder / "prepared"
    shutil.copytree(checkpoint, prepared)
    config = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
    # transformers 5 no longer writes this key, and CTranslate2 reads it; BART is post-norm.
    (prepared / "config.json").write_text(json.dumps({**config, "normalize_before": False}), encoding="utf-8")
    (prepared / "tokenizer_config.json").write_text(json.dumps(TOKENIZER), encoding="utf-8")
    return Path(TransformersConverter(str(prepared)).convert(str(folder / "converted"), quantization=quantization))
