"""The town's SQLite database: made at the start from the tables in `town/`, kept in `.run/` (or $TOWN_DATABASE)."""

from __future__ import annotations

import csv
import os
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PLACES = ("restaurants", "hotels", "attractions")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

BOOKINGS = """create table if not exists bookings (
    reference text primary key, conversation text not null, kind text not null, name text not null,
    people integer, day text, time text, nights integer, made_at text not null default current_timestamp)"""


def database_path() -> Path:
    return Path(os.environ.get("TOWN_DATABASE") or PROJECT / ".run" / "town.db")


def connect() -> sqlite3.Connection:
    connection = sqlite3.connect(database_path(), timeout=10)
    connection.row_factory = sqlite3.Row
    return connection


def build() -> Path:
    """Make the tables of places and trains anew from the CSV files; bookings stay. Returns the database's path."""
    path = database_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(connect()) as connection, connection:
        for table in PLACES:
            _fill(connection, table, _read(table))
        _fill(connection, "trains", [train for line in _read("train_lines") for train in _timetable(line)])
        connection.execute(BOOKINGS)
    return path


def book(conversation: str, kind: str, name: str, **details: object) -> str:
    """Write a booking; returns its reference: eight letters and digits without those that are easily confused."""
    reference = "".join(secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(8))
    columns = {"reference": reference, "conversation": conversation, "kind": kind, "name": name, **details}
    with closing(connect()) as connection, connection:
        places = ", ".join("?" * len(columns))
        connection.execute(f"insert into bookings ({', '.join(columns)}) values ({places})", tuple(columns.values()))
    return reference


def values(table: str, column: str) -> list[str]:
    """The different values of a column, in order."""
    with closing(connect()) as connection:
        return [row[0] for row in connection.execute(f"select distinct {column} from {table} order by {column}")]


def _read(table: str) -> list[dict[str, str]]:
    with (PROJECT / "town" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _timetable(line: dict[str, str]) -> list[dict[str, str]]:
    first, last = minutes(line["first"]), minutes(line["last"])
    return [
        {
            "name": f"{line['departure'][:1]}{line['destination'][:1]}{clock(at).replace(':', '')}",
            "departure": line["departure"],
            "destination": line["destination"],
            "leaves": clock(at),
            "arrives": clock(at + int(line["takes_minutes"])),
            "arrives_minute": str(at + int(line["takes_minutes"])),
            "price": line["price"],
            "duration": line["takes_minutes"],
        }
        for at in range(first, last + 1, int(line["every_minutes"]))
    ]


def _fill(connection: sqlite3.Connection, table: str, rows: list[dict[str, str]]) -> None:
    columns = list(rows[0])
    connection.execute(f"drop table if exists {table}")
    connection.execute(f"create table {table} ({', '.join(f'{column} text' for column in columns)})")
    connection.executemany(
        f"insert into {table} values ({', '.join('?' * len(columns))})", [tuple(row[column] for column in columns) for row in rows]
    )


def minutes(text: str) -> int:
    """Minutes after midnight of `HH:MM`."""
    hour, _, minute = text.partition(":")
    return int(hour) * 60 + int(minute)


def clock(minute: int) -> str:
    """`HH:MM` of minutes after midnight; after midnight it starts again at 00:00."""
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}"
