"""Names of items in running text, of any kind: found by how they are written and what stands before and after them.

Titles in quotation marks, runs of capitalised words with small ones between, products with model numbers, entries of lists, and
what follows "try", "how about" or "have you been to". People, places, days and the beginnings of sentences are left out.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.models.minds.wording import movies
from grice.models.text.wording import FUNCTION_WORDS

MOST_WORDS = 8
"""Words of a name."""
MOST_PLAIN_WORDS = 4
"""Words of a name in lower case, as after "how about"."""

MOST_BEFORE = 60
"""Characters before a name that are looked at."""


def _listed(name: str) -> frozenset[str]:
    return frozenset((Path(__file__).parent / name).read_text(encoding="utf-8").split())


_FIRST_NAMES = _listed("first_names.txt")
_NO_ITEMS = _listed("no_item_words.txt") | _FIRST_NAMES
"""Days, months, places, languages, units, brands and people, which are no items by themselves."""
_OPENERS = _listed("item_openers.txt")
"""Words that begin sentences, with a capital letter that says nothing."""
_COMMON = frozenset((Path(__file__).parent.parent / "text" / "common_words.txt").read_text(encoding="utf-8").split())
_LINK = r"(?:of|the|and|in|to|a|an|on|for|with|at|vs\.?|&|\+|de|la|le|el|del|der|die|das|von|van|du|des|do|da|di|y|und)"
_UNIT = (
    r"(?:%|€|£|\$|euros?|pounds?|dollars?|bucks|quid|k[mg]|cm|mm|hours?|minutes?|mins?"
    r"|days?|weeks?|months?|years?|o'clock|am|pm|people)"
)
_CAPITAL = r"(?:(?:St|Dr|Mr|Mrs|Ms|Vol|Mt)\.|No\.(?=\s\d)|[^\W\d_a-zà-öø-ÿ][\w'&/+*@-]*(?:\.\w+)*)"
_NUMBER = rf"\d[\w/-]*(?!\s*{_UNIT}(?!\w))(?![.,:]\d)"
_RUN = re.compile(rf"(?<![\w'&.-]){_CAPITAL}(?:\s+(?:{_LINK}\s+){{0,2}}(?:{_CAPITAL}|{_NUMBER}))*")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»\n]{2,70})[\"”“»]|(?<!\w)'([A-Z0-9][^'\n]{2,60}(?:'\w[^'\n]{0,40})?)'(?!\w)")
_SENTENCE_START = re.compile(r"(?:^|[.!?…;]['\")\]]?\s+|\n\s*)$")
_LIST_START = re.compile(r"(?:^|\s)(?:\d{1,2}[.)]|[•*–—-])\s+$")
_OFFER = (
    r"(?:try|how about|what about|have (?:you|u) (?:ever )?(?:seen|read|tried|played|been to|heard of|watched|visited)"
    r"|(?:do you|d'you) know|you know|check out|i(?:'d| would)? (?:suggest|recommend)|go for|start with|called|named|titled)"
)
_OFFERED = re.compile(rf"\b{_OFFER}\s+(?:the\s+)?$", re.IGNORECASE)
_PLAIN_OFFER = re.compile(
    rf"\b(?:[Tt]ry|[Hh]ow about|[Hh]ave (?:you|u) (?:ever )?(?:seen|read|tried|played|been to|heard of|watched|visited))\s+"
    rf"((?:the\s+)?[a-z][\w'-]*(?:\s+[\w'&-]+){{0,{MOST_PLAIN_WORDS - 1}}})(?=\s*(?:[?.,;!:]|$))"
)
_NO_NAME_AFTER = re.compile(r"\b(?:by|from|near|around|since|until|till|am|i'm|this is|my name is)\s+(?:the\s+)?$", re.IGNORECASE)
"""What stands before makers, places, times and people."""
_NO_WORD_AFTER = re.compile(
    r"\b(?:in|into|via|on|for|with|to|speaks?|speaking|than|my|our|his|her|their|your|was|called)\s+(?:the\s+)?$", re.IGNORECASE
)
"""What stands before a single word that is rather a place or a person."""
_KIN = re.compile(
    r"\b(?:brother|sister|friend|wife|husband|son|daughter|cousin|uncle|aunt|neighbour|neighbor|colleague|boss|mate|nephew|niece"
    r"|dog|cat|teacher|mother|father|girlfriend|boyfriend|partner|flatmate|trainer"
    r"|hi|hello|hey|dear|thanks|thank you|morning)\s*,?\s+$",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Dr|Herr|Frau|Uncle|Aunt|Auntie|Doctor|Professor|Sir|Madam)\b")
_STANDS_ALONE = re.compile(r"\s*(?:[?]|$|(?:is|was|has|does|then)\b)")
_ENDS = re.compile(r"\s*(?:[?,.:;(–—!]|$)")
_GREETING = re.compile(r"(?:Dear|Hi|Hello|Moin|Hey)\b")
_ORDINARY = re.compile(
    r"(?:ly|ous|ible|able|ful|ed|ing|ive|less|ness|[ts]ion|ity|ty|teen|[^aeious]s|es)$"
    r"|^(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|eleven|twelve|hundred)"
)
"""How words end that are no names where they begin a sentence."""
_SENTENCE_BEFORE = re.compile(
    r"(?:.*(?<![A-Z])(?<!Mr)(?<!Mrs)(?<!Ms)(?<!Dr)(?<!St)(?<!vs)(?<!Vol)(?<!No)(?<!Pt)(?<!Mt)[.!?]+\s+(?!\())"
    r"(?:(?:Then|Maybe|Perhaps|Also|Try|Watch|And|Or|But|See|Consider|So)\s+)?"
    r"|(?:Then|Maybe|Perhaps|Also|Watch|So)\s+(?=(?:The|A|An)\s)"
)
"""What is no part of a name with a year: "Understood. Then The Thin Red Line (1998)"."""
_WORD = re.compile(r"[\w'&.+/@-]+")
_LINKED = re.compile(rf"{_LINK}$")
_MADE_UP = re.compile(r"\d|[a-z][A-Z]|\w\.\w")
_NO_NAME_ENDS = frozenset(("one", "ones", "first", "second", "third", "other", "others", "same", "rest"))
_FIRST_PERSON = re.compile(r"I(?:'\w+)?$")


def items_in(texts: Sequence[str]) -> list[str]:
    """The names in the turns of a dialogue, in their order; those with a year without the sentence before them."""
    whole = " ".join(texts)
    return [
        found.name
        for text in texts
        for found in _items_of(text)
        if found.sure or len(re.findall(rf"(?<!\w){re.escape(found.name)}(?!\w)", whole)) > 1
    ]


@dataclass(frozen=True)
class FoundName:
    """A name, where it begins, and whether it is an item even if it stands nowhere else."""

    start: int
    name: str
    sure: bool = True

    def overlaps(self, other: FoundName) -> bool:
        """Whether the two share a character."""
        return self.start < other.start + len(other.name) and other.start < self.start + len(self.name)


@functools.lru_cache(maxsize=2048)
def _items_of(text: str) -> tuple[FoundName, ...]:
    found = _dated(text)
    plain = text.replace("’", "'").replace("‘", "'")
    for name in (*_quoted(plain), *_capitalised(plain), *_offered(plain)):
        if not any(name.overlaps(other) for other in found):
            found.append(name)
    return tuple(sorted((each for each in found if each.name), key=lambda each: each.start))


def _dated(text: str) -> list[FoundName]:
    found, end = [], 0
    for movie in movies(text):
        start = text.find(movie, end)
        end = start + len(movie)
        found.append(FoundName(start, movie))
        if without := _SENTENCE_BEFORE.match(movie):
            found[-1:] = [FoundName(start, ""), FoundName(start + without.end(), movie[without.end() :])]
    return found


def _quoted(text: str) -> list[FoundName]:
    found = []
    for match in _QUOTED.finditer(text):
        name, start = (match[1] or match[2]).strip(" ,.!?"), match.start() + 1
        words = name.split()
        if words and len(words) <= MOST_WORDS and name[0].isupper() and not _FIRST_PERSON.match(words[0]):
            found.append(FoundName(start, name))
    return found


def _capitalised(text: str) -> list[FoundName]:
    runs = [each for match in _RUN.finditer(text) for each in _cut(match[0], match.start(), text)]
    judged = [(start, name, _likely(text, start, name)) for start, name in runs]
    return [FoundName(start, name, sure is True) for start, name, sure in judged if sure is not False]


def _cut(run: str, start: int, text: str) -> list[tuple[int, str]]:
    """The names in a run of capitalised words: without what begins a sentence, and a time or place at the end."""
    words = [(start + word.start(), word[0]) for word in re.finditer(r"\S+", run)]
    before = text[max(0, start - MOST_BEFORE) : start]
    begins = bool(_SENTENCE_START.search(before)) and not _LIST_START.search(before)
    alone = _ENDS.match(text, start + len(run)) and len(words) > 1 and not re.search(r"\d", run)
    while begins and words and (words[0][1].lower() in _OPENERS or _LINKED.match(words[0][1])):
        if words[0][1] in ("The", "A", "An") and alone:
            break
        words = words[1:]
    pieces: list[list[tuple[int, str]]] = [[]]
    for place, word in words:
        if _FIRST_PERSON.match(word):
            pieces.append([])
        else:
            pieces[-1].append((place, word))
    names = []
    for piece in pieces:
        while piece and _LINKED.match(piece[0][1]):
            piece = piece[1:]
        while len(piece) > 2 and _LINKED.match(piece[-2][1]) and _plain(piece[-1][1]) in _NO_ITEMS:
            piece = piece[:-2]
        while piece and _LINKED.match(piece[-1][1]):
            piece = piece[:-1]
        if piece and len(piece) <= MOST_WORDS:
            end = piece[-1][0] + len(piece[-1][1])
            names.append((piece[0][0], text[piece[0][0] : end].rstrip("'")))
    return names


def _plain(word: str) -> str:
    return word.lower().removesuffix("'s").rstrip("'")


def _likely(text: str, start: int, name: str) -> bool | None:
    """Whether a capitalised name is an item: True, False, or None where it is if it stands elsewhere, too."""
    before, after = text[max(0, start - MOST_BEFORE) : start], text[start + len(name) :]
    words = [word for word in _WORD.findall(name) if not _LINKED.match(word)]
    offered = bool(_OFFERED.search(before) or _LIST_START.search(before))
    if all(_plain(word) in _NO_ITEMS or not word[0].isalpha() for word in words) or _GREETING.match(name):
        return False
    if offered:
        ordinary = FUNCTION_WORDS | (_OPENERS if _LIST_START.search(before) else frozenset())
        return len(words) > 1 or _plain(words[0]) not in ordinary
    if _TITLE.match(name) or _NO_NAME_AFTER.search(before) or _KIN.search(before):
        return False
    begins = bool(_SENTENCE_START.search(before))
    first, *more = words
    if any(word[0].isalpha() for word in more):
        return not all(len(each.split()) == 2 and each.split()[0].lower() in _FIRST_NAMES for each in name.split(" and "))
    if more:  # a word and a number
        return not (_plain(first) in _COMMON | _OPENERS and (begins or first.isupper()))
    return bool(_MADE_UP.search(first)) or _likely_word(first, before, after, begins)


def _likely_word(word: str, before: str, after: str, begins: bool) -> bool | None:
    """The same for a single word without a digit, that nothing offers."""
    plain = word.lower()
    if len(plain) < 2 or plain.endswith("'s") or plain in _OPENERS or plain in FUNCTION_WORDS or word.isupper():
        return False
    if _NO_WORD_AFTER.search(before):
        return False
    if not begins:
        return not (before.endswith(", ") and re.match(r"[.?!]", after))  # "…, Olli?" calls somebody
    if plain in _COMMON or _ORDINARY.search(plain):
        return False
    return True if _STANDS_ALONE.match(after) else None


def _offered(text: str) -> list[FoundName]:
    """What is offered in lower case, as in "how about the botanical garden?"."""
    found = []
    for match in _PLAIN_OFFER.finditer(text):
        first, *more = match[1].split()
        last = more[-1] if more else first
        ordinary = _OPENERS | FUNCTION_WORDS | _NO_ITEMS | _COMMON
        if last not in _NO_NAME_ENDS and (more if first == "the" else first not in ordinary):
            found.append(FoundName(match.start(1), match[1]))
    return found
