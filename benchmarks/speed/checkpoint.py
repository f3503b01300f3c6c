"""The trained rewriter before export, run by PyTorch: what the exported one is compared with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from grice.models.dialogue import Dialogue
from grice.models.errors import ModelNotFound, WeightsError
from grice.models.manifest import shipped
from grice.models.text.template import SourceFormat, encode_source

MAX_NEW_TOKENS = 64
FORM = "direct"


class Checkpoint:
    """Folder, tokenizer and source format of a model that `grice train rewriter` wrote.

    Raises:
        ModelNotFound: there is no model in the folder.
        WeightsError: its `training.json` does not say how it reads a dialogue.
    """

    def __init__(self, folder: Path) -> None:
        if not (folder / "config.json").is_file():
            raise ModelNotFound(str(folder), shipped())
        self.folder = folder
        try:
            self.layout = SourceFormat(**json.loads((folder / "training.json").read_text(encoding="utf-8"))["layout"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise WeightsError(f"{folder / 'training.json'}: no source format ({error!r}); train the model again") from error
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    def sources(self, dialogues: Sequence[Dialogue]) -> list[list[int]]:
        """Token ids that the model reads, one list a dialogue."""
        return [encode_source(self.tokenizer, d.last.text, d.history, FORM, self.layout).ids for d in dialogues]

    def texts(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """The words of generated token ids."""
        return [self.tokenizer.decode(list(row), skip_special_tokens=True) for row in rows]


class PyTorchRewriter:
    """`BartForConditionalGeneration.generate`, greedy, with its cache."""

    def __init__(self, checkpoint: Checkpoint, threads: int) -> None:
        import torch
        from transformers import BartForConditionalGeneration

        torch.set_num_threads(threads)
        self._torch: Any = torch
        self._checkpoint = checkpoint
        self._model: Any = BartForConditionalGeneration.from_pretrained(checkpoint.folder)  # in evaluation mode
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
