"""McNemar's test (1947): whether two systems are right about as often on the same rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

SIGNIFICANCE = 0.05
"""As in the ABC-Eval paper, section 6.1."""

Flags = NDArray[np.bool_]


def mcnemar(one: Flags, other: Flags) -> float:
    """The two-sided exact p-value, 0 to 1, of "both are right equally often"; 1 where they never differ.

    Exact: where only one of the two is right, it should be either with probability one half (Fagerland, Lydersen and Laake 2013,
    "McNemar's exact conditional test").

    Args:
        one, other: for each row whether that system is right.
    """
    only_one, only_other = int((one & ~other).sum()), int((~one & other).sum())
    if only_one + only_other == 0:
        return 1.0
    return float(binomtest(only_one, only_one + only_other).pvalue)
