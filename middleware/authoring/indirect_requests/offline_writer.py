"""Writes candidates without a language model: templates of ours, words near a value, and our direct → indirect rewriter.

What comes out is plainer than what a large model writes and knows little of the world: values that no template knows get
paraphrases and exclusions ("anything but …"), rarely a reason. Each candidate says how it was made.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Any

from grice.middleware.authoring.augment.example import Example
from grice.middleware.authoring.augment.settings import AugmentSettings
from grice.middleware.authoring.augment.variants import RewriteScorer, VariantModels, indirect_variants
from grice.middleware.authoring.indirect_requests.criteria import Candidate, direct_request, direct_sentence
from grice.middleware.authoring.indirect_requests.encoder import Thesaurus
from grice.middleware.authoring.indirect_requests.request_slot import RequestSlot
from grice.models.data.indirect_requests import Strategy
from grice.models.protocols import OffersCandidates
from grice.models.results import Rewrite

MOST_EXCLUDED = 3
"""Values that one request rules out, at most; nobody lists more."""
VARIANTS = AugmentSettings(per_example=4, may_lose=True)
"""Of a direct request: variants may lose the value, which is what makes them indirect, but must lead back to the request."""


class OfflineWriter:
    """Writes with templates and, where there is one, with a rewriter.

    Args:
        thesaurus: finds words near a value.
        rewriter: `load_rewriter(form="indirect", beams=8)`; None: templates alone.
        way_back: `load_rewriter(form="direct")`, which drops rewrites that mean something else.
        seed: which small talk goes with which request.
    """

    def __init__(
        self,
        thesaurus: Thesaurus,
        rewriter: OffersCandidates[Rewrite] | None = None,
        way_back: RewriteScorer | None = None,
        seed: int = 0,
    ) -> None:
        self._thesaurus = thesaurus
        self._rewriter = rewriter
        self._way_back = way_back
        self._seed = seed

    def write(self, slot: RequestSlot, value: str) -> list[Candidate]:
        """Candidates for `value`: from templates, from the rewriter, and one of them with small talk."""
        made = [*self._from_templates(slot, value), *self._from_rewriter(slot, value)]
        if not made:
            return []
        chance = random.Random(f"{self._seed} {slot.service} {slot.name} {value}")
        chat, base = chance.choice(_templates()["small_talk"]), chance.choice(made)
        return [*made, Candidate(slot, value, f"{chat} {base.utterance}", base.way, "small talk", base.fact)]

    def _from_templates(self, slot: RequestSlot, value: str) -> Iterator[Candidate]:
        templates = _templates()
        if slot.is_boolean:
            yield from _filled(slot, value, templates[value.lower()], {"clause": slot.clause})
            return
        for entry in templates["values"]:
            if value.casefold() in entry["names"]:
                yield from _filled(slot, value, {name: texts for name, texts in entry.items() if name != "names"}, {})
        others = [other for other in slot.values if other != value]
        if len(others) <= MOST_EXCLUDED:
            yield from _filled(slot, value, {"simple elaboration": templates["exclusion"]}, {"others": _either(others)}, slot.words)
        for word in self._thesaurus.words_for(value, others):
            yield from _filled(slot, value, {"synonym swap": templates["synonym"]}, {"word": word}, slot.words)

    def _from_rewriter(self, slot: RequestSlot, value: str) -> Iterator[Candidate]:
        if self._rewriter is None:
            return
        examples = [Example(text, value) for text in self._direct_requests(slot, value)]
        for variant in indirect_variants(examples, VariantModels(self._rewriter, self._way_back), VARIANTS).variants:
            yield Candidate(slot, value, variant.text, "rewriter", None, variant.source.text)

    def _direct_requests(self, slot: RequestSlot, value: str) -> list[str]:
        """The direct request for a value, and those that say a word near it in its place."""
        near = [] if slot.is_boolean else self._thesaurus.words_for(value, [other for other in slot.values if other != value])
        return [direct_request(Candidate(slot, value, value, "template")), *(direct_sentence(slot.words, word) for word in near)]


def _filled(
    slot: RequestSlot, value: str, texts: dict[Strategy, list[str]], parts: dict[str, str], words: str = ""
) -> Iterator[Candidate]:
    for strategy, templates in texts.items():
        for template in templates:
            yield Candidate(slot, value, template.format(slot=words, **parts), "template", strategy, template)


def _either(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"


@functools.lru_cache(maxsize=1)
def _templates() -> dict[str, Any]:
    folder = resources.files("grice.middleware.authoring.indirect_requests")
    text = folder.joinpath("offline_templates.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
