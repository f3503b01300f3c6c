"""The rewriter: a turn in direct (or indirect) form, after its history."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from grice.models.dialogue import Dialogue, check_each
from grice.models.errors import InputError
from grice.models.manifest import Manifest, read_manifest
from grice.models.results import Rewrite
from grice.models.rewriter.generation import DecoderShape, Generator, Hypothesis
from grice.models.rewriter.supported import SupportedTokens
from grice.models.runtime.parallel import Workers
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.runtime.word_table import WORDS, read_word_table
from grice.models.text.template import (
    TARGET_FORMS,
    EncodedSource,
    SourceFormat,
    TargetForm,
    encode_source,
    read_tokenizer,
    untagged,
)
from grice.models.text.written_form import written_form

CANDIDATES = 4
"""Beams for alternatives to a rewrite that cannot be used."""
BATCH = 32
"""Turns generated at once; more are done in turns, so that one call cannot take all memory."""


class Rewriter:
    """Rewrites the last turn of a dialogue with a small BART on onnxruntime.

    Where the manifest says `supported_only`, a rewrite can only have numbers, days, names and the like that the turn or the history
    that was read has; see `grice.models.rewriter.supported`.

    Args:
        manifest: which model; see `load_rewriter`.
        form: "direct" for understanding a user, "indirect" for softening a bot's reply.
        beams: 1 is greedy.

    Raises:
        InputError: the model does not write that form, or a number is out of range.
        WeightsError, ProviderError: the model cannot be loaded.
    """

    def __init__(
        self,
        manifest: Manifest,
        form: TargetForm = "direct",
        beams: int = 1,
        runtime: Runtime = Runtime(),
    ) -> None:
        forms = manifest.texts("forms", TARGET_FORMS)
        if form not in forms:
            raise InputError("form", form, ", ".join(forms))
        if isinstance(beams, bool) or not isinstance(beams, int) or not 1 <= beams <= 16:
            raise InputError("beams", beams, "1 to 16")
        self.manifest = manifest
        self.form = form
        self.beams = beams
        self.uncased: bool = manifest.setting("uncased", bool, "true or false")
        self.layout = SourceFormat.of(manifest)
        self.tokenizer = read_tokenizer(manifest.tokenizer_path)
        self.supported = SupportedTokens(self.tokenizer) if manifest.setting("supported_only", bool, "true or false") else None
        self.workers = Workers(runtime.workers)
        self.generator = _generator(manifest.folder, replace(runtime, workers=0))
        self.provider = self.generator.encoder.provider

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Rewrite]:
        """The last turn of each dialogue in the wanted form, in order. Turns of like length are generated together."""
        check_each(dialogues, Dialogue, "dialogues")
        sources = [encode_source(self.tokenizer, d.last.text, d.history, self.form, self.layout) for d in dialogues]
        order = sorted(range(len(sources)), key=lambda place: len(sources[place].ids))
        generated = self.workers.map(self._generate, [sources[place].ids for place in order], BATCH)
        results = {
            place: self._result(dialogues[place], sources[place], found) for place, found in zip(order, generated, strict=True)
        }
        return [results[place] for place in range(len(dialogues))]

    def _generate(self, sources: Sequence[list[int]]) -> list[Hypothesis]:
        support = self.supported.of(sources) if self.supported else None
        return self.generator.beam(sources, self.beams, support=support)

    def candidates(self, dialogues: Sequence[Dialogue]) -> list[list[Rewrite]]:
        """Several rewrites of the last turn of each dialogue, the best first, from a beam search of width 4 or more."""
        check_each(dialogues, Dialogue, "dialogues")
        results = []
        for dialogue in dialogues:
            source = encode_source(self.tokenizer, dialogue.last.text, dialogue.history, self.form, self.layout)
            support = self.supported.of([source.ids]) if self.supported else None
            (found,) = self.generator.candidates([source.ids], max(CANDIDATES, self.beams), support=support)
            results.append([self._result(dialogue, source, generated) for generated in found])
        return results

    def score(self, dialogues: Sequence[Dialogue], targets: Sequence[str]) -> list[tuple[float, int]]:
        """How well the model expects each target as its rewrite: summed natural log-probability, and number of tokens.

        Perplexity is exp(-sum of the first / sum of the second). The end token counts.
        """
        check_each(dialogues, Dialogue, "dialogues")
        check_each(targets, str, "targets")
        if len(dialogues) != len(targets):
            raise InputError("targets", f"{len(targets)} targets", f"{len(dialogues)}, one a dialogue")
        pairs = []
        for start in range(0, len(dialogues), BATCH):
            chunk = dialogues[start : start + BATCH]
            sources = [encode_source(self.tokenizer, d.last.text, d.history, self.form, self.layout).ids for d in chunk]
            wanted = [
                self.tokenizer.encode(untagged(text), add_special_tokens=False).ids for text in targets[start : start + BATCH]
            ]
            limit = self.generator.shape.max_new_tokens
            pairs += self.generator.score(sources, [ids[:limit] for ids in wanted])
        return pairs

    def _result(self, dialogue: Dialogue, source: EncodedSource, generated: Hypothesis) -> Rewrite:
        text = self.tokenizer.decode(generated.ids)
        if self.uncased:
            read = dialogue.turns[len(dialogue.turns) - 1 - source.history_read :]
            text = written_form(text, [turn.text for turn in read])
        return Rewrite(
            text.strip(),
            math.exp(generated.log_prob / max(1, generated.tokens)),
            generated.tokens,
            generated.finished,
            source.history_read,
            source.history_cut,
            source.text_cut,
        )


@functools.lru_cache(maxsize=8, typed=True)
def _generator(folder: Path, runtime: Runtime) -> Generator:
    """One set of sessions for all forms and beam widths of a model."""
    manifest = read_manifest(folder)
    encoder = Session(manifest.graph("encoder", runtime.precision), runtime, manifest.weights("encoder", runtime.precision))
    return Generator(
        encoder,
        Session(manifest.graph("decoder", runtime.precision), runtime),
        DecoderShape.of(manifest),
        read_word_table(manifest, "decoder") if WORDS in encoder.shapes else None,
    )


@functools.lru_cache(maxsize=16, typed=True)
def load_rewriter(
    name: str | Path = "rewriter",
    form: TargetForm = "direct",
    *,
    beams: int = 1,
    runtime: Runtime = Runtime(),
) -> Rewriter:
    """A shipped rewriter by name, or one from a folder; loaded once a process for the same arguments.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """
    return Rewriter(read_manifest(name, "rewriting"), form, beams, runtime)
