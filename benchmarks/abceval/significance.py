"""Which systems differ on ABC-Eval: McNemar's test with each annotator as the truth (the paper, section 6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grice.benchmarks.abceval.outputs import Output, Outputs
from grice.benchmarks.stats.mcnemar import SIGNIFICANCE, Flags, mcnemar
from grice.models.data.abceval import ANNOTATORS
from grice.models.results import Behavior

AUTOMATED = ("chatgpt", "specialized")
DAGGER, STAR = "†", "⋆"


@dataclass(frozen=True)
class Comparison:
    """Two systems on one behaviour, over the responses that both have scored.

    Attributes:
        accuracy, other_accuracy: in %, the mean over the annotators.
        p_values: of McNemar's test against each annotator.
    """

    accuracy: float
    other_accuracy: float
    p_values: tuple[float, ...]

    @property
    def significant(self) -> int:
        """On how many annotators' labels they differ."""
        return sum(p < SIGNIFICANCE for p in self.p_values)


def compared(one: Output, other: Output, truth: Flags) -> Comparison:
    """`one` beside `other`; at least one response must be scored by both."""
    both = one.scored & other.scored
    right, other_right = ((output.said == truth)[both] for output in (one, other))
    p_values = tuple(mcnemar(right[:, column], other_right[:, column]) for column in range(ANNOTATORS))
    return Comparison(100 * float(right.mean()), 100 * float(other_right.mean()), p_values)


def marks(label: Behavior, systems: Mapping[str, Outputs], truth: Flags) -> dict[str, str]:
    """The paper's daggers and stars at the accuracies of one behaviour, by system.

    A dagger for each annotator on whose labels ChatGPT and the specialised model differ stands at the more accurate of them, a
    star for each on whose labels the human differs from the most accurate of these stands at the human.
    """
    automated = {name: systems[name][label] for name in AUTOMATED if label in systems[name]}
    best = max(automated, key=lambda name: _accuracy(automated[name], truth))
    found = {"human": STAR * compared(systems["human"][label], automated[best], truth).significant}
    for other in automated.keys() - {best}:
        found[best] = DAGGER * compared(automated[best], automated[other], truth).significant
    return found


def _accuracy(output: Output, truth: Flags) -> float:
    return float((output.said == truth)[output.scored].mean())


def against(
    outputs: Outputs, others: Mapping[str, Outputs], truth: Mapping[Behavior, Flags]
) -> Iterable[tuple[Behavior, str, Comparison]]:
    """One system beside each of `others`, behaviour by behaviour, where both have scored something in common."""
    for label, output in outputs.items():
        for name, theirs in others.items():
            if label in theirs and (output.scored & theirs[label].scored).any():
                yield label, name, compared(output, theirs[label], truth[label])
