"""What Grice adds to Rasa's parse data, and what it sets right there after the NLU has read a rewritten turn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from grice.middleware.analysis import TurnAnalysis
from grice.middleware.entity_alignment import align_entities
from grice.middleware.settings import PipelineSettings

_WORD = re.compile(r"\S+")


def annotation(analysis: TurnAnalysis, settings: PipelineSettings) -> dict[str, Any]:
    """The value of the key `grice` of parse data: what the NLU read, and why. All of it is JSON."""
    directness = analysis.directness
    rewrite = analysis.rewrite
    return {
        "original": analysis.original,
        "text": analysis.text,
        "mode": settings.mode,
        "decision": analysis.decision,
        "reason": analysis.reason,
        "directness": directness and directness.score,
        "label": directness and ("direct" if directness.score >= settings.direct_from else "indirect"),
        "rewrite": rewrite and {"text": rewrite.text, "confidence": rewrite.confidence},
        "findings": [asdict(finding) for finding in analysis.findings],
        "failures": [asdict(failure) for failure in analysis.failures],
    }


def restored(parsed: Mapping[str, Any], original: str, text: str) -> dict[str, Any]:
    """Parse data of `text` (what the pipeline made of `original`) as parse data of `original`: its text, entities and tokens."""
    tokens = {"text_tokens": _tokens(parsed["text_tokens"], original, text)} if "text_tokens" in parsed else {}
    return {**parsed, "text": original, "entities": align_entities(parsed["entities"], original, text), **tokens}


def _tokens(spans: Sequence[Sequence[int]], original: str, text: str) -> list[list[int]]:
    """Where the words of `original` are: the NLU's tokens as far as it read the original, else its words by white space."""
    if text == original:
        return [list(span) for span in spans]
    stem = original.rstrip()
    if not text.startswith(stem):
        return [list(match.span()) for match in _WORD.finditer(original)]
    return [[start, min(end, len(stem))] for start, end in spans if start < len(stem)]
