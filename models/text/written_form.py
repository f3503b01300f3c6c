"""Gives a rewrite the spacing, capitals and accents of written English.

The rewriter's vocabulary is uncased WordPiece: "arrive in cambridge by 12 : 15 ? i don ' t mind" becomes "Arrive in Cambridge by
12:15? I don't mind". What the turn and its history write in one way is written so again; the rest follows fixed rules.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
_CAPITAL_WORD = r"\b(?!I\b)\w*[A-ZÀ-ÖØ-Þ]\w*"
_RUN = re.compile(rf"{_CAPITAL_WORD}(?:(?:\s|['’&-]|\s&\s|\s(?:of|and|the|on|in|at|de|la)\s){_CAPITAL_WORD})*")
_STOP_AND_CAPITAL = re.compile(r"[^\W\d_][.,?!][A-Z]")
_EDGES = ".,?!;:…\"“”()[]'’"

_CLOSING = frozenset(".,?!;:%)]}…”")
_OPENING = frozenset("([{£$€#“")
_TIGHT = frozenset("/@_—")
_APOSTROPHES = frozenset("'’´`")
_ENDINGS = frozenset(["s", "t", "m", "re", "ve", "ll", "d", "em"])
_SENTENCE_ENDS = frozenset(".?!")
_ABBREVIATIONS = frozenset(["st", "mr", "mrs", "ms", "dr"])
_ALWAYS = {
    **{day: day.capitalize() for day in _words("monday tuesday wednesday thursday friday saturday sunday")},
    **{f"{day}s": f"{day}s".capitalize() for day in _words("monday tuesday wednesday thursday friday saturday sunday")},
    **{
        month: month.capitalize() for month in _words("january february april june july august september october november december")
    },
    "i": "I",
}
"""May and march are mostly verbs."""
_SENTENCE_STARTERS = frozenset(
    _words(
        "a an the this that these those there here it i we you they he she my our your is are was were do does did can"
        " could will would may has have had shall should if when where what which who how why in on at to from for with by"
        " of and or but so no not yes yep ok okay sure hi hello please thanks thank great alright also"
    )
)

Tokens = tuple[str, ...]


def written_form(tokens_text: str, sources: Sequence[str]) -> str:
    """`tokens_text` spaced and cased as people write, and as `sources` (the turn and its history) write the same words.

    Changes spaces, capitals and accents, nothing else.

    Args:
        tokens_text: decoded uncased tokens, in any spacing.
    """
    tokens = [token.lower() for token in _TOKEN.findall(tokens_text)]
    present = set(tokens)
    tight = [_is_tight(tokens, place) for place in range(len(tokens))]
    _close_quotes(tokens, tight)
    written = set[str]()
    for source in sources:
        _join_as_written(tokens, tight, present, source)
        written.update(_TOKEN.findall(source))
    cased = _cased(tokens, present, sources, written)
    _start_sentences(tokens, cased, tight)
    return "".join(
        token if glued or not place else f" {token}" for place, (token, glued) in enumerate(zip(cased, tight, strict=True))
    )


def _folded(text: str) -> str:
    """`text` as an uncased BERT tokenizer reads it: small letters without accents."""
    if text.isascii():
        return text.lower()
    return "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")


def _is_tight(tokens: Sequence[str], place: int) -> bool:
    """Whether no space belongs before this token, by rule; quotation marks come later."""
    if not place:
        return True
    token, before = tokens[place], tokens[place - 1]
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    if token in _CLOSING or token in _TIGHT or before in _OPENING or before in _TIGHT:
        return True
    earlier = tokens[place - 2] if place > 1 else ""
    if before in ".:,":
        return _is_inside_number(earlier, before, token) or (before == "." and _is_initials(earlier, token, after))
    if token == "-" or before == "-":
        left, right = (before, after) if token == "-" else (earlier, token)
        return left.isalnum() and right.isalnum()
    if token in _APOSTROPHES:
        return before.isalnum() and (after in _ENDINGS or (before == "o" and after == "clock"))
    if before in _APOSTROPHES:
        return earlier.isalnum() and (token in _ENDINGS or (earlier == "o" and token == "clock"))
    if "&" in (token, before):
        left, right = (before, after) if token == "&" else (earlier, token)
        return len(left) == len(right) == 1 and (left + right).isalpha()
    return False


def _is_inside_number(left: str, mark: str, right: str) -> bool:
    """12:15, 20.50 and 1,000; but a table for 2. 3 nights."""
    if not (left.isdecimal() and right[:2].isdecimal()):
        return False
    return len(right) == 3 and right.isdecimal() if mark == "," else len(right) >= 2


def _is_initials(left: str, right: str, after: str) -> bool:
    """p.m., e.g."""
    return len(left) == len(right) == 1 and (left + right).isalpha() and after == "." and right != "i"


def _close_quotes(tokens: Sequence[str], tight: list[bool]) -> None:
    """Quotation marks open and close in turn; a single one left over belongs to the word before it (the guests' room)."""
    for marks in ('"', "'", "’"):
        places = [place for place, token in enumerate(tokens) if token == marks and not (tight[place] and place)]
        if len(places) % 2 and places:
            tight[places.pop()] = True
        for opening, closing in zip(places[::2], places[1::2], strict=True):
            tight[closing] = True
            if opening + 1 < len(tokens):
                tight[opening + 1] = True


def _join_as_written(tokens: Sequence[str], tight: list[bool], present: set[str], source: str) -> None:
    """Takes the spacing of what `source` writes without spaces: 4-star, b&b, name@place.org, 9.30."""
    for chunk in source.split():
        if chunk.isalnum():
            continue
        core = chunk.strip(_EDGES)
        if core.isalnum() or _STOP_AND_CAPITAL.search(core):
            continue
        wanted = tuple(_TOKEN.findall(_folded(core)))
        if len(wanted) > 1 and present.issuperset(wanted):
            for start in _places(tokens, wanted):
                tight[start + 1 : start + len(wanted)] = [True] * (len(wanted) - 1)


def _places(tokens: Sequence[str], wanted: Tokens) -> Iterable[int]:
    size = len(wanted)
    return [
        place
        for place in range(len(tokens) - size + 1)
        if tokens[place] == wanted[0] and tuple(tokens[place : place + size]) == wanted
    ]


def _cased(tokens: Sequence[str], present: set[str], sources: Sequence[str], written: set[str]) -> list[str]:
    """The tokens with the capitals and accents of the sources."""
    accented = {_folded(form): form.lower() for form in written if not form.isascii()}
    forms = {token: _ALWAYS.get(token) or accented.get(token) or token for token in present}
    phrases: list[tuple[Tokens, Tokens]] = []
    for source in sources:
        if not _is_shouted(source):
            for form in _capitalised(source):
                folded = tuple(map(_folded, form))
                if present.issuperset(folded):
                    phrases.append((folded, form))
                for small, word in zip(folded, form, strict=True):
                    if small in present and small not in written and word != word.lower():
                        forms[small] = word
    cased = [forms[token] for token in tokens]
    for folded, form in sorted(phrases, key=lambda phrase: len(phrase[0])):
        for start in _places(tokens, folded):
            cased[start : start + len(form)] = form
    return cased


def _is_shouted(source: str) -> bool:
    """Capitals say nothing where all letters are, or most words begin with one."""
    if source.isupper():
        return True
    words = source.split()
    return len(words) > 5 and sum(word[0].isupper() for word in words) > 0.75 * len(words)


def _capitalised(source: str) -> Iterable[Tokens]:
    """The runs of capitalised words in `source`. A sentence's first word counts only in a run, and if it is no usual opening."""
    for match in _RUN.finditer(source):
        run = tuple(_TOKEN.findall(match.group()))
        before = source[: match.start()].rstrip(" \t\n\"'“(")[-1:]
        if before and before not in ".?!:;":
            yield run
            continue
        if (len(run) > 1 and run[0].lower() not in _SENTENCE_STARTERS) or any(map(str.isdigit, run[0])):
            yield run
        if len(run) > 1:
            yield run[1:]


def _start_sentences(tokens: Sequence[str], cased: list[str], tight: Sequence[bool]) -> None:
    """A capital at the start and after a full stop, question or exclamation mark."""
    starting = True
    for place, token in enumerate(tokens):
        if token[0].isalnum():
            first = cased[place][0].upper()
            if starting and cased[place].islower() and len(first) == 1:  # ß has no capital of one letter
                cased[place] = first + cased[place][1:]
            starting = False
        elif token in _SENTENCE_ENDS:
            before = tokens[place - 1] if place else ""
            inside = place + 1 < len(tokens) and tight[place + 1] and tokens[place + 1].isalnum()
            starting = not inside and before not in _ABBREVIATIONS and before != "." and (len(before) != 1 or not before.isalpha())
