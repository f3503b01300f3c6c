"""The list of common words that the guard reads: whatever is not on it may be a name.

A word is common when people write it in small letters in many dialogues, and it is rarely part of an annotated name, place,
address or cuisine. Counted in SGD (train), MultiWOZ (val) and the train part of DIRECT with its dialogues.

    python -m grice.models.training.rewriter.common_words --data-dir DIR --out models/text/common_words.txt
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from grice.models.data import direct, multiwoz, sgd
from grice.models.data.files import data_dir
from grice.models.data.split import part_of

AT_LEAST = 4
"""A common word is written in small letters in at least this many dialogues."""
LARGEST_NAME_SHARE = 0.3
"""A common word is part of a name in less than this share of its dialogues. Kinds of places (hotel, park) are in many names."""

RARELY_A_NAME = 0.1
"""A word that is part of a name in less than this share may also stand in many titles, with a capital."""
FREQUENT_NAME = 50
"""A word that is part of a name in at least this many dialogues has its misspellings."""
ALIKE = 0.92
"""Of two spellings, by difflib's ratio."""

_WORD_OR_STOP = re.compile(r"\w+|[.?!:\"]")
_WORD = re.compile(r"\w+")
_MULTIWOZ_NAMES = {"Name", "Depart", "Dest", "Food", "Addr", "Car"}
_MULTIWOZ_KINDS = {"Type"}
_SGD_NAMES = re.compile(
    r"(?<!song_)(?<!movie_)(?<!event_)name|city|location|destination|origin|venue|address|cuisine|^area$|where_to|station|airport"
)
"""Titles of songs, films and events are left out: they are made of common words, and written with capitals."""
_SGD_KINDS = {"category"}


@dataclass
class WordCounts:
    """In how many dialogues each word (lower-cased) stands in small letters, first in a sentence, capitalised inside one,
    in a name, in the name of a kind of place, or anywhere."""

    seen: Counter[str] = field(default_factory=Counter)
    small: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)
    capitalised: Counter[str] = field(default_factory=Counter)
    in_name: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, turns: Iterable[tuple[str, Sequence[str]]], kinds: Iterable[str] = ()) -> None:
        """Count one dialogue: its turns with the names annotated in each, and the kinds of places it speaks of."""
        small: set[str] = set()
        first: set[str] = set()
        capitalised: set[str] = set()
        in_name: set[str] = set()
        for text, names in turns:
            in_name |= _named(text, names)
            inside = False
            for token in _WORD_OR_STOP.findall(text):
                word = token.lower()
                if word == token and word.isalpha():
                    small.add(word)
                elif word.isalpha():
                    (capitalised if inside else first).add(word)
                inside = word.isalpha()
        self.small.update(small)
        self.first.update(first)
        self.capitalised.update(capitalised)
        self.in_name.update(in_name)
        self.seen.update(small | first | capitalised | in_name)
        self.kinds.update({word for kind in kinds for word in _WORD.findall(kind.lower())})

    def common(self) -> list[str]:
        """The common words, sorted, without frequent names in wrong spelling."""
        names = [word for word, count in self.in_name.items() if count >= FREQUENT_NAME and count > self.seen[word] / 2]
        words = sorted(word for word in self.seen if self._is_common(word))
        return [word for word in words if not get_close_matches(word, names, n=1, cutoff=ALIKE) or self.kinds[word] >= AT_LEAST]

    def _is_common(self, word: str) -> bool:
        never_a_name = not self.capitalised[word] and not self.in_name[word]
        small = self.small[word] + (self.first[word] if never_a_name else 0)
        name_share = self.in_name[word] / self.seen[word]
        if small < AT_LEAST:
            return False
        if self.kinds[word] >= AT_LEAST or (name_share < RARELY_A_NAME and small > self.capitalised[word] / 3):
            return True
        return name_share < LARGEST_NAME_SHARE and small > 2 * self.capitalised[word]


def _named(text: str, names: Sequence[str]) -> set[str]:
    flat = f" {' '.join(_WORD.findall(text.lower()))} "
    words = [_WORD.findall(name.lower()) for name in names]
    return {word for name in words if name and f" {' '.join(name)} " in flat for word in name}


def count(folder: Path) -> WordCounts:
    """The counts over all sources in `folder`.

    Raises:
        DataNotFound, DataCorrupt: a source is not there or not readable.
    """
    counts = WordCounts()
    names: dict[str, Sequence[str]] = {}
    for split in ("val", "test"):
        for key, utterances in multiwoz.read(folder / "multiwoz21", split).items():
            if split == "test" and part_of(key) != "train":
                continue
            counts.add([(u.turn.text, _values(u.acts, _MULTIWOZ_NAMES)) for u in utterances], _kinds(utterances))
            names[key] = [value for u in utterances for value in _values(u.acts, _MULTIWOZ_NAMES)]
    for row in direct.read(folder, parts=["train"]):
        counts.add([(text, names[row.dialogue_id]) for text in (row.direct, row.indirect)])
    for dialogue in sgd.read(folder / "sgd", "train"):
        counts.add(
            [(t.turn.text, [v for a in t.actions if _SGD_NAMES.search(a.slot) for v in a.values]) for t in dialogue.turns],
            [v for t in dialogue.turns for a in t.actions if a.slot in _SGD_KINDS for v in a.values],
        )
    return counts


def _values(acts: Iterable[multiwoz.Act], slots: Collection[str]) -> list[str]:
    return [act.value for act in acts if act.slot in slots]


def _kinds(utterances: Iterable[multiwoz.Utterance]) -> list[str]:
    return [value for utterance in utterances for value in _values(utterance.acts, _MULTIWOZ_KINDS)]


def main() -> None:
    """Write the list, one word a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", help="folder of the data sets; default: $GRICE_DATA_DIR")
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args()
    words = count(data_dir(arguments.data_dir)).common()
    arguments.out.write_text("\n".join(words) + "\n", encoding="utf-8")
    print(f"{arguments.out}: {len(words)} words")


if __name__ == "__main__":
    main()
