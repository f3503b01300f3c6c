"""MultiWOZ turns as Rasa training data: intent = the set of domain-acts, entities from `span_info`.

An intent such as "hotel-inform+train-request" is a set of domain-acts joined by "+", which Rasa's WhitespaceTokenizer splits
(`intent_tokenization_flag`); a turn without acts is "general-none". Slots are the entities, without their domain.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from grice.middleware.authoring.augment import Entity, Example
from grice.middleware.schemas.rasa.annotation import annotated
from grice.models.data import multiwoz
from grice.models.data.multiwoz import Utterance

NO_ACT = "general-none"
SMALLEST_INTENT = 3
"""Rarer sets of domain-acts are left out: a classifier learns nothing from one or two examples, and Rasa warns."""

MARKUP = frozenset("[](){}\n")
"""Characters that Rasa's example format reads as annotation."""


def domain_acts(labels: Iterable[str]) -> frozenset[str]:
    """The domain-acts of labels like "hotel-inform-area"."""
    return frozenset(label.rsplit("-", 1)[0] for label in labels)


def intent_of(acts: Iterable[str]) -> str:
    """The name of a set of domain-acts."""
    return "+".join(sorted(acts)) or NO_ACT


def acts_of(intent: str | None) -> frozenset[str]:
    """The domain-acts that a predicted intent names; none for no intent."""
    return frozenset() if intent in (None, "", NO_ACT) else frozenset(str(intent).split("+"))


def entities_of(said: Utterance) -> tuple[Entity, ...]:
    """The annotated slots of a turn that do not overlap, by place; the value where it is not said in these words."""
    found: list[Entity] = []
    for span in sorted(said.spans, key=lambda span: (span.start, span.start - span.end)):
        words, value = said.turn.text[span.start : span.end].casefold(), span.value.casefold()
        elsewhere = value == "dontcare" or "same" in words.split()  # "the same day" is no way to say Friday
        if not elsewhere and (not found or span.start >= found[-1].end):
            found.append(Entity(span.start, span.end, span.slot.lower(), None if words == value else value))
    return tuple(found)


def examples(data_dir: Path) -> list[Example]:
    """The user turns of MultiWOZ val, with their history, whose intent occurs often enough; in file order.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    found = [
        Example(
            said.turn.text,
            intent_of(domain_acts(said.labels)),
            entities_of(said),
            tuple(earlier.turn for earlier in turns[:place] if not earlier.silent),
        )
        for turns in multiwoz.read(data_dir / "multiwoz21", "val").values()
        for place, said in enumerate(turns)
        if said.turn.speaker == "user" and not said.silent and not MARKUP & set(said.turn.text)
    ]
    counts = Counter(example.intent for example in found)
    return [example for example in found if counts[example.intent] >= SMALLEST_INTENT]


def write_nlu(examples: Sequence[Example], path: Path) -> None:
    """Write a file in Rasa's YAML format; a line that an intent has already is written once."""
    intents: dict[str, dict[str, None]] = {}
    for example in examples:
        intents.setdefault(example.intent, {})[annotated(example.text, example.entities)] = None
    blocks = [
        f"- intent: {json.dumps(intent)}\n  examples: |\n" + "".join(f"    - {line}\n" for line in lines)
        for intent, lines in sorted(intents.items())
    ]
    path.write_text('version: "3.1"\nnlu:\n' + "".join(blocks), encoding="utf-8")
