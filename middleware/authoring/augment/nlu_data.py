"""Makes the variants of whole NLU files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from grice.middleware.authoring.augment.example import Example, Variant
from grice.middleware.authoring.augment.nlu_file import NluFile, NluItem
from grice.middleware.authoring.augment.settings import AugmentSettings
from grice.middleware.authoring.augment.variants import Augmentation, VariantModels, indirect_variants, with_rewrites
from grice.middleware.runtime.progress import Progress
from grice.middleware.schemas.rasa.annotation import annotated
from grice.models.errors import InputError
from grice.models.protocols import OffersCandidates
from grice.models.results import Rewrite


@dataclass(frozen=True)
class AugmentedNlu:
    """What came of it.

    Attributes:
        items: for each file the entries to add to it: one for each of its own entries that has variants.
        augmentation: the variants, and what was refused.
    """

    items: tuple[tuple[NluItem, ...], ...]
    augmentation: Augmentation


@dataclass(frozen=True)
class NluModels(VariantModels):
    """The models that make variants of a bot's NLU examples.

    Attributes:
        back: a rewriter into direct form; what it makes of each variant is added too (`with_rewrites`). None: nothing is.
    """

    back: OffersCandidates[Rewrite] | None = None


def augment_nlu(
    files: Sequence[NluFile],
    models: NluModels,
    settings: AugmentSettings | None = None,
    *,
    intents: Collection[str] = (),
    progress: Progress | None = None,
) -> AugmentedNlu:
    """Indirect variants of the examples of `files`; none of them repeats an example or variant of any of the files.

    Args:
        intents: only these; all where none is named.

    Raises:
        InputError: none of the files has an intent of that name.
    """
    examples = [example for file in files for item in file.items for example, _ in item.examples]
    available = sorted({example.intent for example in examples})
    for intent in intents:
        if intent not in available:
            raise InputError("intents", intent, ", ".join(available) or "none: the files have no examples")
    wanted = [place for place, example in enumerate(examples) if not intents or example.intent in intents]
    others = [example for example in examples if intents and example.intent not in intents]
    made = indirect_variants([examples[place] for place in wanted], models, settings, progress=progress, known=others)
    if models.back is not None:
        made = with_rewrites(made, examples, models.back, settings, progress=progress)
    written = [variant for variant in made.variants if _can_be_written(variant)]
    refused = Counter(made.refused)
    refused["unwritable"] += len(made.variants) - len(written)
    by_place: defaultdict[int, list[Variant]] = defaultdict(list)
    for variant in written:
        by_place[wanted[variant.place]].append(variant)
    return AugmentedNlu(_items(files, by_place), Augmentation(tuple(written), len(wanted), dict(+refused)))


def _items(files: Sequence[NluFile], variants: defaultdict[int, list[Variant]]) -> tuple[tuple[NluItem, ...], ...]:
    place = 0
    result = []
    for file in files:
        items = []
        for item in file.items:
            found: list[tuple[Example, object]] = []
            for _, metadata in item.examples:
                found += ((variant.as_example, metadata) for variant in variants[place])
                place += 1
            if found:
                items.append(NluItem(item.intent, tuple(found), item.metadata))
        result.append(tuple(items))
    return tuple(result)


def _can_be_written(variant: Variant) -> bool:
    try:
        return bool(annotated(variant.text, variant.entities))
    except InputError:
        return False
