"""Natural spacing for text that was released as tokens joined by spaces ("I do n't know .").

Of MultiWOZ's user turns that DIRECT quotes in their original spacing, the rules bring back 99 in 100 exactly. What they cannot
know stays as it is: "7 pm" was written with and without the space, and " - " may be a dash.
"""

from __future__ import annotations

import re

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        # Contractions, also where the writer left the apostrophe out ("do nt", "that s", "got ta").
        (r"(?<=\w) (n['’]?t)(?!\w)", r"\1"),
        (r"(?<=\w) (['’](?:s|m|d|re|ve|ll))(?!\w)", r"\1"),
        (r"(?<=\w) (['’]) (s|m|d|t|re|ve|ll)(?!\w)", r"\1\2"),
        (r"(?<=s) (['’])(?= )", r"\1"),
        (r"\b(i) (m|d)(?!\w)", r"\1\2"),
        (r"\b(that|what|it|there|here) (s)(?!\w)", r"\1\2"),
        (r"\b(got) (ta)\b", r"\1\2"),
        (r"\b(wan|gon) (na)\b", r"\1\2"),
        # Times, dates, ranges and alternatives: "12 : 15", "15 - 17", "arrival / departure".
        (r"(?<=\d) ([:-]) (?=\d)", r"\1"),
        (r"(?<=\w) / (?=\w)", "/"),
        # A hyphen cannot be told from a dash, except in the words that MultiWOZ is full of.
        (r"\b(zero|one|two|three|four|five) - (star)\b", r"\1-\2"),
        (r"\b(hotel|guesthouse) - (type)\b", r"\1-\2"),
        (r"\b(alpha) - (milton)\b", r"\1-\2"),
        (r"\b(good|moderately|wi|e|check|pick|mix) - (bye|priced|fi|mail|in|up)\b", r"\1-\2"),
        # Quotes, brackets, currency, and the marks that stand close to the word before them.
        (r'(?<!\S)" ([^"]*?) "(?!\S)', r'"\1"'),
        (r"(?<=[(\[])(?<!:[(\[]) ", ""),
        (r"(?<=[$£€]) (?=\d)", ""),
        (r"(?<=[^\s(]) ([.,?!;:%)\]]+)(?=[\s\"]|$)(?<!:\))", r"\1"),
    )
)


def untokenized(text: str) -> str:
    """`text` with single spaces, and none where English writes none. Text with natural spacing comes back as it is."""
    text = " ".join(text.split())
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text
