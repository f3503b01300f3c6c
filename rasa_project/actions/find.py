"""Queries of the town's database."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

from .slot_values import ANY, bare
from .topics import TOPICS
from .town import connect, minutes

Row = dict[str, str]

PRICES = ("cheap", "moderate", "expensive")


def places(topic: str, wanted: Mapping[str, str | None]) -> list[Row]:
    """The restaurants, hotels or attractions that have all that is wanted, by slot; `any` and None want nothing."""
    columns = TOPICS[topic].criteria
    said = {columns[slot]: value for slot, value in wanted.items() if value and value != ANY}
    where = " and ".join(f"{column} = ?" for column in said) or "1"
    return _rows(f"select * from {TOPICS[topic].table} where {where}", *said.values())


def named(name: str) -> tuple[str, Row] | None:
    """The topic and the row of the place with this name, with or without its article, in any case."""
    wanted = bare(name)
    for topic in ("restaurant", "hotel", "attraction"):
        for row in _rows(f"select * from {TOPICS[topic].table}"):
            if bare(row["name"]) == wanted:
                return topic, row
    return None


def trains(departure: str, destination: str, leave_at: str | None, arrive_by: str | None) -> list[Row]:
    """The trains from one town to the other, the one that fits the time best first."""
    rows = _rows("select * from trains where departure = ? and destination = ? order by leaves", departure, destination)
    if arrive_by:
        return [row for row in reversed(rows) if int(row["arrives_minute"]) <= minutes(arrive_by)]
    if leave_at and leave_at != ANY:
        return [row for row in rows if row["leaves"] >= leave_at]
    return rows


def train(name: str) -> Row | None:
    return next(iter(_rows("select * from trains where name = ?", name)), None)


def _rows(query: str, *values: str) -> list[Row]:
    with closing(connect()) as connection:
        return [dict(row) for row in connection.execute(query, values)]
