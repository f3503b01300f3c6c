"""The training data of `rasa-nlu` with indirect variants, as `grice augment` makes them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from grice.benchmarks.rasa import data as rasa_data
from grice.middleware.authoring.augment import AugmentSettings, Example, VariantModels, indirect_variants, with_rewrites
from grice.middleware.runtime.progress import Progress
from grice.models import load_rewriter
from grice.models.manifest import FILE, PRETRAINED
from grice.models.runtime.runtime import Runtime

BEAMS = 4
SETTINGS = AugmentSettings(per_example=1, min_confidence=0.4, may_lose=True)
"""One variant an example, so that training takes twice the time at most. Intents are learnt: a variant may only hint at a slot."""


def augmented_file(examples: Sequence[Example], plain: Path, threads: int = 1) -> tuple[Path, str]:
    """A file of `examples` (those of `plain`) and their variants, and the account; made once for the same examples and rewriter.

    Raises:
        ModelError: the rewriter cannot be loaded.
    """
    made_of = (plain.read_bytes(), (PRETRAINED / "rewriter" / FILE).read_bytes(), repr((BEAMS, SETTINGS)).encode())
    path = plain.with_name(f"nlu.augmented.{hashlib.sha256(b''.join(made_of)).hexdigest()[:16]}.yml")
    if path.exists():
        return path, path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    variants, account = augmented(examples, threads)
    unfinished = path.with_suffix(".part")
    rasa_data.write_nlu([*examples, *variants], unfinished)
    unfinished.write_text(f"# {account}\n{unfinished.read_text(encoding='utf-8')}", encoding="utf-8")
    unfinished.replace(path)
    return path, account


def augmented(examples: Sequence[Example], threads: int = 1) -> tuple[list[Example], str]:
    """Variants of `examples`, each with the direct form that the rewriter gives the NLU of it; and an account of them.

    Raises:
        ModelError: the rewriter cannot be loaded.
    """
    rewriter, back = (load_rewriter(form=form, beams=BEAMS, runtime=Runtime(threads=threads)) for form in ("indirect", "direct"))
    with tqdm(desc="augment", unit="example", disable=None) as bar:
        found = indirect_variants(examples, VariantModels(rewriter), SETTINGS, progress=_progress(bar))
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
