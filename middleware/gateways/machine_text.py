"""Text that is meant for a machine, or comes from one: code, data, markup, tables, messages of programs.

A sign that no sentence has is enough. Of lines that might be a sentence too there have to be two, and half of all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_ANYWHERE = tuple(
    map(
        re.compile,
        (
            r"```",
            # data
            r"\{\s*([\"'])[^\"'\n]+\1\s*:",
            r"\[\s*([\"'])[^\"'\n]+\1\s*,",
            # markup
            r"</[A-Za-z][\w:.-]*\s*>",
            r"<[A-Za-z][\w:.-]*\s*/>",
            r"<[A-Za-z][\w:.-]*\s[^<>=]*=\s*[\"'][^<>]*>",
            r"<!--|<\?xml\b|<\?php\b|<!(?i:doctype)\b",
            # statements
            r"(?i:\bselect\s+(?:\w+\()?\*\)?\s+from\s)",
            r"(?i:\bselect\s+[\w.]+(?:,\s*[\w.]+)*\s+from\s+[\w.]+\s*(?:;|where\s+[\w.]+\s*[=<>]|(?:order|group)\s+by\s))",
            r"\{[^{};]*;[^{}]*\}",
            r"\w\(\)",
        ),
    )
)
"""What no sentence has in it."""

_STATEMENT = re.compile(
    "|".join(
        (
            # tables
            r"\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)+\|?$",
            r"\+(?:[-=]{3,}\+)+",
            # messages of programs
            r"Traceback \(most recent call last\)",
            r"File \"[^\"]*\", line \d+",
            r"at \w+(?:\.[\w$<>]+)+\([^()]*\)$",
            r"(?:[a-z]\w*\.)*[A-Z][A-Za-z]*(?:Error|Exception): ",
            r"diff --git |@@ -\d",
            # SQL
            r"(?i:insert\s+into\s+[\w.]+\s*(?:\(|values\b))",
            r"(?i:update\s+[\w.]+\s+set\s+[\w.]+\s*=)",
            r"(?i:delete\s+from\s+[\w.]+\s*(?:;|where\s+[\w.]+\s*[=<>]))",
            r"(?i:(?:create|alter|drop)\s+table\s+(?:if\s+(?:not\s+)?exists\s+)?[\w.]+\s*[(;])",
            # shells
            r"#!/",
            r"\$ [a-z]",
            r"(?:curl|wget|ls|rm|cp|grep|chmod|tar|ssh)\s+-\w",
            # calls
            r"[A-Za-z_]\w*\((?:[\"']|[\w.]+,).*\);?$",
            r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\(.*\);?$",
            r"(?:print|printf|println|len|range|require|alert)\(.*\);?$",
            # declarations, and what decides and repeats
            r"(?:async )?def \w+\s*\(",
            r"(?:(?:export|default|async|pub)\s+)*(?:function|fn|func)\b\s*\w*\(.*[{:)]",
            r"(?:(?:public|private|protected|export|abstract|final)\s+)*class\s+[A-Z]\w*(?:\(|:|\s*\{|\s+(?:extends|implements)\b)",
            r"(?:public|private|protected|static|export|final)\s[\w<>\[\], ]*\w\(.*\)\s*[{;]?$",
            r"from [\w.]+ import [\w*(]",
            r"(?:const|let|var)\s+[\[{]",
            r"#include\s*[<\"]|#define\s+\w|using namespace\b",
            r"(?:\}\s*)?(?:else\s+)?(?:if|while|for|switch|catch)\s*\(.*\)\s*\{",
            r"for\s*\([^;]*;[^;]*;",
            r"for [\w, ]+ in (?:range|enumerate|zip|sorted|reversed)\(",
        )
    )
)
"""Lines that no sentence has, from their first character on."""

_ASSIGNMENT = re.compile(
    r"(?P<declared>(?:const|let|var|final|auto|int|float|double|string|bool|char)[ \t]+)?"
    r"[A-Za-z_$][\w.$]*(?:\[[^\]]*\])*(?:[ \t]*:[ \t]*[\w.\[\]|]+)?[ \t]*(?P<sign>\+|-|\*\*?|//?|%|:)?=[ \t]*(?P<value>[^=\s>~].*)$"
)
_WRITTEN_OUT = re.compile(r"(?:[A-Za-z_][\w.]*\(.*\)|\[.*\]|\{.*\}|\"[^\"]*\"|'[^']*')[;,]?$")
_HEAD = re.compile(r"(?:if|elif|while|with|except)\b(?P<what>.+):$|for \w+(?:, ?\w+)* in \S+:$|(?:else|try|finally):$")
_COMPARES = re.compile(r"[=!<>]=|\w[(\[]|\bnot in\b|\bis None\b")
_HINTS = re.compile(
    r"import [\w.]+(?: as \w+)?;?$|[A-Za-z_]\w*\([^()]*\);?$|(?:[$>]|>>>)\s|(?=.*[}\])])[)}\];,\s]+$|.*[{\\]$|[-+]{2}\w+;$"
)
_LEAVES = re.compile(r"(?:return|raise|throw|yield|assert|del|break|continue|pass)\b(?P<what>.*)$")
_SIGN_OF_CODE = re.compile(r"=|\w[(\[]|->|::|\w\.\w|\+\+;|--;")
_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'")
_TWO_WORDS = re.compile(r"\b([A-Za-z]+)(?:'[a-z]+)?,? (?=([A-Za-z]+))")
_WORDS_OF_CODE = frozenset(
    ("and", "as", "async", "await", "else", "for", "from", "function", "if", "in", "is", "lambda", "new", "not", "or")
)


def is_machine_text(text: str) -> bool:
    """Whether a text is code, data, markup, a table or a message of a program, or has a piece of one in it."""
    if _is_json(text.strip()) or any(sign.search(text) for sign in _ANYWHERE):
        return True
    lines = [line for line in text.splitlines() if line.strip()]
    if any(map(_is_statement, lines)) or _is_table(lines):
        return True
    hints = sum(map(_may_be_statement, lines))
    return hints > 1 and hints * 2 >= len(lines)


def _is_json(text: str) -> bool:
    """Whether a text is JSON, or begins as an object does."""
    if not text.startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text.startswith("{")
    return True


def _is_statement(line: str) -> bool:
    said = line.strip()
    if _STATEMENT.match(said):
        return True
    found = _ASSIGNMENT.match(said)
    if found and not _is_prose(found["value"]):
        return bool(found["declared"] or found["sign"]) or said.endswith(";") or bool(_WRITTEN_OUT.match(found["value"]))
    head = _HEAD.match(said)
    return bool(head and head["what"]) and not _is_prose(said) and bool(_COMPARES.search(said))


def _may_be_statement(line: str) -> bool:
    said = line.strip()
    if _HINTS.match(said):
        return True
    if _is_prose(said):
        return False
    leaves = _LEAVES.match(said) is not None and (line[0].isspace() or said.endswith(";"))
    ends = said.endswith(";") and _SIGN_OF_CODE.search(_QUOTED.sub('""', said)) is not None
    return leaves or ends or _HEAD.match(said) is not None or _ASSIGNMENT.match(said) is not None


def _is_table(lines: Sequence[str]) -> bool:
    """Whether it has rows between bars, or is columns between tabs, or between commas."""
    rows = [line.strip() for line in lines]
    if sum(row.startswith("|") and row.endswith("|") and row.count("|") > 1 for row in rows) > 1:
        return True
    tabs, commas = {row.count("\t") for row in rows}, {row.count(",") for row in rows}
    are_values = len(rows) > 2 and len(commas) == 1 and min(commas) > 1 and not any(", " in row for row in rows)
    return are_values or (len(rows) > 1 and len(tabs) == 1 and 0 not in tabs)


def _is_prose(text: str) -> bool:
    """Whether two words of a language stand side by side in it, or it is a question."""
    bare = _QUOTED.sub('""', text)
    return bare.endswith("?") or any(not _WORDS_OF_CODE & {found[1], found[2]} for found in _TWO_WORDS.finditer(bare))
