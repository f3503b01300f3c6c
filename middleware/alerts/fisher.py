"""Fisher's exact test, one-sided: could chance alone make two shares differ so much?"""

from __future__ import annotations

import math

NEGLIGIBLE = 1e-12
"""Terms smaller than this part of the sum end it."""


def probability_of_so_many(shown: int, scored: int, shown_before: int, scored_before: int) -> float:
    """The probability of `shown` or more among the last `scored` responses, if they show it as often as those before, 0 to 1.

    The upper tail of the hypergeometric distribution (Fisher 1935, The Design of Experiments, section 21.02), which is right for
    small counts too.
    """
    total, shown_in_all = scored + scored_before, shown + shown_before
    most = min(scored, shown_in_all)
    term = math.exp(_log_choose(scored, shown) + _log_choose(scored_before, shown_before) - _log_choose(total, shown_in_all))
    if term == 0.0 and shown * total < scored * shown_in_all:  # so much less than expected that it cannot be written
        return 1.0
    sum_of_terms = term
    for number in range(shown, most):
        left_before = scored_before - (shown_in_all - number)
        term *= (scored - number) * (shown_in_all - number) / ((number + 1) * (left_before + 1))
        sum_of_terms += term
        if term < NEGLIGIBLE * sum_of_terms:
            break
    return min(1.0, sum_of_terms)


def _log_choose(of: int, some: int) -> float:
    return math.lgamma(of + 1) - math.lgamma(some + 1) - math.lgamma(of - some + 1)
