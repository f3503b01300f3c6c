"""Small persuasions with invented content, written in the formats of the released files."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from grice.models.data import face_acts, persuasion_acts

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

Said = tuple[int, str, str, str]
"""Speaker (0 the persuader), text, the true face act and the predicted one."""

DIALOGUES: Mapping[str, Sequence[Said]] = {
    "7": (
        (0, "Hello there!", "other", "other"),
        (0, "Would you give a dollar to the library", "hneg-", "hneg-"),
        (1, "What does it do?", "hneg-", "other"),
        (0, "It reads to children.", "spos+", "spos+"),
        (1, "I would rather not", "sneg+", "hpos-"),
        (0, "You only think of yourself", "hpos-", "hpos+"),
        (0, "How can you sleep?", "hpos-", "hpos-"),
        (1, "Sorry, I have nothing left.", "spos-", "spos-"),
    ),
    "9": (
        (0, "Good morning.", "other", "hpos+"),
        (1, "That is a fine idea", "hpos+", "hpos+"),
        (0, "It costs you nothing", "hneg+", "hneg+"),
        (0, "Shame on you", "hpos-", "hpos-"),
        (1, "35000", "other", "other"),
    ),
}


def write_xlsx(path: Path, rows: Sequence[Sequence[object]], shared: bool = False) -> Path:
    """A workbook of one sheet; None is a cell that is left out, "" an empty one. Texts in the cells, or in a table of their own."""
    strings: list[str] = []

    def cell(column: int, row: int, value: object) -> str:
        place = f"{chr(ord('A') + column)}{row}"
        if isinstance(value, int | float):
            return f'<c r="{place}" t="n"><v>{value}</v></c>'
        if shared and value:
            strings.append(str(value))
            return f'<c r="{place}" t="s"><v>{len(strings) - 1}</v></c>'
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>' if value else f'<c r="{place}"/>'

    lines = [
        f'<row r="{number}">{"".join(cell(column, number, value) for column, value in enumerate(row) if value is not None)}</row>'
        for number, row in enumerate(rows, start=1)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'
        )
        if shared:
            items = "".join(f"<si><r><t>{escape(text[:1])}</t></r><r><t>{escape(text[1:])}</t></r></si>" for text in strings)
            archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{items}</sst>')
    return path


def face_act_rows(dialogues: Mapping[str, Sequence[Said]] = DIALOGUES) -> list[list[object]]:
    """Rows of the face acts; the persuadee of an odd dialogue gives. A text of digits is a number, as in the released file."""
    return [
        [int(key), speaker, int(text) if text.isdigit() else text, predicted, gold, int(key) % 2, 0.5]
        for key, said in dialogues.items()
        for speaker, text, gold, predicted in said
    ]


def write_face_acts(
    data_dir: Path, *rows: Sequence[object], columns: Sequence[str] = face_acts.COLUMNS, shared: bool = False
) -> Path:
    """The file of the face acts; without rows that of `DIALOGUES`. Returns its path."""
    path = data_dir / face_acts.FOLDER / face_acts.FILE
    return write_xlsx(path, [columns, *(rows or face_act_rows())], shared)


def write_units(data_dir: Path, *rows: Sequence[object], columns: Sequence[str] = persuasion_acts.COLUMNS) -> Path:
    """The annotated units of Persuasion For Good; the first column is an unnamed number, as in the released file."""
    numbered = [[number, *row] for number, row in enumerate(rows)]
    return write_xlsx(data_dir / persuasion_acts.FOLDER / persuasion_acts.FILE, [[None, *columns], *numbered])
