"""Which way is better, of every metric that benchmarks report."""

from __future__ import annotations

from typing import Literal

Better = Literal["higher", "lower", "neither"]

HIGHER = frozenset(
    {
        "accuracy",
        "all_right",
        "among_intents",
        "argument_accuracy",
        "argument_precision",
        "auc",
        "batching_gain",
        "bleu",
        "bleu_cased",
        "changes_found",
        "changes_right",
        "clarified_right",
        "correlation",
        "coverage",
        "each_right",
        "entity_f1",
        "evidence",
        "evidence_shown",
        "exact_match",
        "f1_neg",
        "f1_pos",
        "fine2coarse",
        "fixed",
        "found",
        "gap_recovered",
        "intent_accuracy",
        "intent_coverage",
        "option_coverage",
        "intent_f1",
        "intent_precision",
        "kendall_tau",
        "left_alone",
        "macro_f1",
        "macro_f1_without_spos-",
        "micro_f1",
        "micro_f1_change",
        "pair_accuracy",
        "pearson",
        "per_second",
        "precision",
        "precision_at_1",
        "precision_at_20",
        "precision_at_5",
        "precision_neg",
        "recall",
        "recall_at_1",
        "recall_at_2",
        "recall_at_20",
        "recall_at_5",
        "recall_neg",
        "recall_no",
        "reply_accuracy",
        "right_percent",
        "slot_accuracy",
        "times_plain",
        "tool_accuracy",
        "tool_coverage",
        "tool_precision",
    }
)
LOWER = frozenset(
    {
        "added_wishes",
        "bothered",
        "brier",
        "broken",
        "calibration_error",
        "false_alarms",
        "false_alarms_hard",
        "false_fills",
        "false_positive_rate",
        "harmed",
        "misread",
        "ms_per_1000",
        "perplexity",
        "turned_polarity",
        "unsupported",
    }
)
"""Everything in milliseconds, too."""


def better(metric: str) -> Better:
    """Which way is better; neither for what only describes a system, and for a metric that is not known here."""
    if metric in HIGHER:
        return "higher"
    return "lower" if metric in LOWER or "_ms" in metric else "neither"
