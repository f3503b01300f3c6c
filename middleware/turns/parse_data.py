"""What Grice adds to Rasa's parse data, and what it sets right there after the NLU has read a rewritten turn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from grice.middleware.settings import ReadingMode
from grice.middleware.turns.analysis import TurnAnalysis
from grice.middleware.turns.blending import weight_of
from grice.middleware.turns.clarification import Clarification
from grice.middleware.turns.entity_alignment import align_entities
from grice.middleware.turns.pipeline import appended

PLAIN = ("direct", "courtesy")
"""Reasons of turns that need no rewrite."""

_WORD = re.compile(r"\S+")


def text_read(analysis: TurnAnalysis, mode: ReadingMode) -> str:
    """What the NLU reads of an analysed turn, beside the original in mode `blend`; the original where it is not rewritten."""
    if analysis.decision != "rewrite" or analysis.rewrite is None:
        return analysis.original
    return appended(analysis.original, analysis.rewrite.text) if mode == "append" else analysis.rewrite.text


def annotation(analysis: TurnAnalysis, mode: ReadingMode) -> dict[str, Any]:
    """The value of the key `grice` of parse data: what the NLU read, and why. All of it is JSON."""
    rewrite = analysis.rewrite
    return {
        "original": analysis.original,
        "text": text_read(analysis, mode),
        "mode": mode,
        "decision": analysis.decision,
        "reason": analysis.reason,
        "directness": analysis.directness and analysis.directness.score,
        "label": _label(analysis),
        "rewrite": rewrite and {"text": rewrite.text, "confidence": rewrite.confidence},
        "clarification": analysis.clarification and _question(analysis.clarification),
        "findings": [asdict(finding) for finding in analysis.findings],
        "failures": [asdict(failure) for failure in analysis.failures],
        **({"weight": weight_of(analysis)} if mode == "blend" else {}),
    }


def _question(asked: Clarification) -> dict[str, Any]:
    return {**asdict(asked), "options": [asdict(option) for option in asked.options]}


def _label(analysis: TurnAnalysis) -> str | None:
    """None where nobody knows."""
    if analysis.meaning is not None:
        return "direct" if analysis.reason in PLAIN else "indirect" if analysis.decision != "pass" else None
    if analysis.directness is None:
        return None
    return "direct" if analysis.reason in PLAIN else "indirect"


def without_question(annotated: Mapping[str, Any]) -> dict[str, Any]:
    """An annotation without its question to the user: its NLU knows what the turn means."""
    if annotated.get("decision") != "clarify":
        return dict(annotated)
    return {**annotated, "decision": "pass", "clarification": None}


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
