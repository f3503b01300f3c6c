"""The rewriter in float weights, run by PyTorch: what our runtime is compared with.

In a fresh clone these are the weights that the shipped int8 files stand for (`grice export checkpoint rewriter`); what `grice train
rewriter` wrote will do as well.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grice.models.dialogue import Dialogue
from grice.models.errors import WeightsError
from grice.models.text.template import SourceFormat, encode_source

MAX_NEW_TOKENS = 64
FORM = "direct"
SHIPPED = Path("shipped")
"""Stands for the weights of the rewriter that is measured."""


class FloatRewriter:
    """A rewriter's float checkpoint, and how it reads a dialogue.

    Raises:
        ModelNotFound: there is no model in the folder.
        WeightsError: it is damaged, or does not say how it reads a dialogue.
    """

    def __init__(self, folder: Path) -> None:
        from grice.models.training.checkpoint import load_checkpoint
        from grice.models.training.rewriter.recipe import restore

        found = load_checkpoint(folder, restore)
        self.folder, self.model, self.tokenizer = folder, found.model, found.tokenizer
        try:
            self.layout = SourceFormat(**found.facts["layout"])
        except (KeyError, TypeError) as error:
            raise WeightsError(f"{folder}: no source format ({error!r}); train or export the model again") from error

    def sources(self, dialogues: Sequence[Dialogue]) -> list[list[int]]:
        """Token ids that the model reads, one list a dialogue."""
        return [encode_source(self.tokenizer, d.last.text, d.history, FORM, self.layout).ids for d in dialogues]

    def texts(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """The words of generated token ids."""
        return [self.tokenizer.decode(list(row), skip_special_tokens=True) for row in rows]


@contextlib.contextmanager
def float_rewriter(checkpoint: Path, rewriter: str) -> Iterator[FloatRewriter]:
    """The rewriter in the folder `checkpoint`, or for `SHIPPED` that of the model `rewriter` in dequantised weights.

    Its folder may be gone afterwards.

    Raises:
        ModelNotFound, WeightsError: there is none, or it is damaged.
    """
    if checkpoint != SHIPPED:
        yield FloatRewriter(checkpoint)
        return
    from grice.models.export.checkpoint import export_checkpoint

    with tempfile.TemporaryDirectory(prefix="grice-float-") as folder:
        yield FloatRewriter(export_checkpoint(rewriter, Path(folder)))


class PyTorchRewriter:
    """`BartForConditionalGeneration.generate`, greedy, with its cache."""

    def __init__(self, checkpoint: FloatRewriter, threads: int) -> None:
        import torch

        torch.set_num_threads(threads)
        self._torch: Any = torch
        self._checkpoint = checkpoint
        self._model: Any = checkpoint.model
        self._pad = self._model.config.pad_token_id

    def generate(self, sources: Sequence[Sequence[int]]) -> list[list[int]]:
        """Generated ids of each source, without start and end."""
        torch, width = self._torch, max(map(len, sources))
        ids = torch.tensor([[*row, *[self._pad] * (width - len(row))] for row in sources])
        with torch.inference_mode():
            rows = self._model.generate(
                input_ids=ids, attention_mask=(ids != self._pad).long(), max_new_tokens=MAX_NEW_TOKENS, num_beams=1, do_sample=False
            ).tolist()
        end = self._model.config.eos_token_id
        return [row[1 : row.index(end, 1) if end in row[1:] else len(row)] for row in rows]

    def rewrite(self, dialogues: Sequence[Dialogue]) -> list[str]:
        """The last turn of each dialogue in direct form."""
        return self._checkpoint.texts(self.generate(self._checkpoint.sources(dialogues)))
