"""How well a network tells fine responses from faulty ones, on samples that it did not learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from grice.models.relations.inputs import RelationTokens
from grice.models.runtime.heads import Floats
from grice.models.training.processor import has_bf16
from grice.models.training.relations.loss import step_of
from grice.models.training.relations.network import RelationNetwork
from grice.models.training.relations.samples import RelationSample, TaughtResponse

TOGETHER = 16


@dataclass(frozen=True)
class JudgedResponse:
    """A response, what the network says of it, and of which span it says that it is about (None: it was not asked)."""

    sample: RelationSample
    response: TaughtResponse
    bad: float
    labels: Floats
    span: int


@torch.no_grad()
def judge(
    network: RelationNetwork, samples: Sequence[RelationSample], tokens: RelationTokens, half: bool = True
) -> list[JudgedResponse]:
    """Every response of the samples, in their order; in `half` precision where the processor has it."""
    found: list[JudgedResponse] = []
    for start in range(0, len(samples), TOGETHER):
        chosen = samples[start : start + TOGETHER]
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half and has_bf16()):
            scores = network(step_of(chosen, tokens).batch)
        shares = torch.softmax(scores.context, 1).numpy()
        row = 0
        for sample in chosen:
            owners = np.array(tokens.read_context(sample.spans).owners)
            for response in sample.responses:
                held = np.bincount(owners, shares[row, : len(owners)], len(sample.spans))
                found.append(
                    JudgedResponse(sample, response, float(scores.bad[row]), scores.labels[row].numpy().copy(), int(held.argmax()))
                )
                row += 1
    return found


def auc(scores: Sequence[float], bad: Sequence[bool]) -> float:
    """The chance that a bad one scores above a fine one; 0.5 where there are none of either."""
    values, flags = np.asarray(scores, float), np.asarray(bad, bool)
    if flags.all() or not flags.any():
        return 0.5
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    positive = int(flags.sum())
    return float((ranks[flags].sum() - positive * (positive + 1) / 2) / (positive * (len(values) - positive)))


def figures(judged: Sequence[JudgedResponse]) -> dict[str, float]:
    """Area under the curve in all and by setting, the share found at 5 % false alarms, of pairs and of evidence that are right."""
    known = [each for each in judged if each.response.bad is not None]
    found = {"auc": auc([each.bad for each in known], [bool(each.response.bad) for each in known])}
    for setting in sorted({each.sample.setting for each in known if each.sample.setting}):
        some = [each for each in known if each.sample.setting == setting]
        found[f"auc/{setting}"] = auc([each.bad for each in some], [bool(each.response.bad) for each in some])
    fine = [each.bad for each in known if not each.response.bad]
    bad = [each.bad for each in known if each.response.bad]
    if fine and bad:
        found["recall_at_5"] = 100 * float(np.mean(np.array(bad) > np.quantile(fine, 0.95)))
    found["pairs"] = pair_accuracy(known)
    pointed = [each.span == each.response.clash.span for each in known if each.response.clash is not None]
    if pointed:
        found["evidence"] = 100 * float(np.mean(pointed))
    return found


def pair_accuracy(judged: Sequence[JudgedResponse]) -> float:
    """Of the pairs of one context, how many percent have the bad one above the fine one; ties count half."""
    groups: dict[int, list[JudgedResponse]] = {}
    for each in judged:
        groups.setdefault(id(each.sample), []).append(each)
    won = [
        1.0 if one.bad > other.bad else 0.5 if one.bad == other.bad else 0.0
        for group in groups.values()
        for one in group
        if one.response.bad
        for other in group
        if other.response.bad is False
    ]
    return 100 * float(np.mean(won)) if won else 0.0
