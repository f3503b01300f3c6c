"""Rows of an xlsx file's first sheet, with the standard library (ECMA-376, part 1, chapter 18)."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from grice.models.errors import DataCorrupt

_SHEET, _STRINGS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
_NAME = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_UNREADABLE = (ValueError, KeyError, IndexError, EOFError, RuntimeError, ElementTree.ParseError, zipfile.BadZipFile, zlib.error)


def read_rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows below the header, with the text of each of `columns`; a number is as it is written, an empty cell is "".

    Raises:
        DataCorrupt: the file is damaged, its first row does not name all of `columns`, or there is no other row.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            strings = _strings(archive.read(_STRINGS)) if _STRINGS in archive.namelist() else []
            header, *rows = _rows(archive.read(_SHEET), strings)
    except _UNREADABLE as error:
        raise DataCorrupt(f"{path}: not an xlsx file with a header ({error!r}); fetch it again") from error
    places = {name: place for place, name in header.items()}
    if not rows or not set(columns) <= set(places):
        raise DataCorrupt(
            f"{path}: columns {', '.join(places)} and {len(rows)} rows; expected columns {', '.join(columns)} and rows; "
            "fetch it again"
        )
    return [{name: row.get(places[name], "") for name in columns} for row in rows]


def _strings(content: bytes) -> list[str]:
    return [_text(item) for item in ElementTree.fromstring(content).iter(f"{_NAME}si")]


def _rows(content: bytes, strings: Sequence[str]) -> list[dict[str, str]]:
    """Each row's texts by the letters of their columns."""
    found = []
    for row in ElementTree.fromstring(content).iter(f"{_NAME}row"):
        cells = row.iter(f"{_NAME}c")
        found.append({re.sub(r"\d", "", cell.attrib["r"]): _cell(cell, strings) for cell in cells})
    return found


def _cell(cell: ElementTree.Element, strings: Sequence[str]) -> str:
    value = cell.findtext(f"{_NAME}v", "")
    if cell.get("t") == "inlineStr":
        return _text(cell)
    return strings[int(value)] if cell.get("t") == "s" else value


def _text(element: ElementTree.Element) -> str:
    return "".join(part.text or "" for part in element.iter(f"{_NAME}t"))
