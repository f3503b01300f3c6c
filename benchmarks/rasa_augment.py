"""The training data of `rasa-nlu` with indirect variants, as `grice augment` makes them."""

from __future__ import annotations

from collections.abc import Sequence

from tqdm import tqdm

from grice.middleware.augment import AugmentSettings, Example, indirect_variants, with_rewrites
from grice.middleware.augment.variants import Progress
from grice.models import load_rewriter

BEAMS = 4
SETTINGS = AugmentSettings(per_example=1, min_confidence=0.4, may_lose=True)
"""One variant an example, so that training takes twice the time at most. Intents are learnt: a variant may only hint at a slot."""


def augmented(examples: Sequence[Example], threads: int = 1) -> tuple[list[Example], str]:
    """Variants of `examples`, each with the direct form that the rewriter gives the NLU of it; and an account of them.

    Raises:
        ModelError: the rewriter cannot be loaded.
    """
    rewriter, back = (load_rewriter(form=form, beams=BEAMS, threads=threads) for form in ("indirect", "direct"))
    with tqdm(desc="augment", unit="example", disable=None) as bar:
        found = indirect_variants(examples, rewriter, SETTINGS, progress=_progress(bar))
        both = with_rewrites(found, examples, back, SETTINGS, progress=_progress(bar))
    indirect = len(found.variants)
    account = f"{indirect} indirect variants of {len(examples)} examples, {len(both.variants) - indirect} direct forms of these"
    return [variant.as_example for variant in both.variants], account


def _progress(bar: tqdm[None]) -> Progress:
    def report(done: int, total: int) -> None:
        if not done:
            bar.reset(total)
        bar.update(done - bar.n)

    return report
