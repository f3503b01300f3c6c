"""Rasa's annotation format: what is written reads back, and what is read is what Rasa's own pattern finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grice.middleware.authoring.augment import Entity
from grice.middleware.schemas.rasa.annotation import annotated, parse_annotated
from grice.models.errors import InputError

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="[](){}\\"), min_size=1, max_size=12)
NAMES = st.one_of(st.none(), WORDS)
VALUES = st.one_of(st.none(), WORDS, st.integers(-9999, 9999), st.floats(-1e6, 1e6))


@st.composite
def examples(draw: st.DrawFn) -> tuple[str, tuple[Entity, ...]]:
    """A text in pieces, some of them with one to three entities."""
    text, entities = "", []
    for _ in range(draw(st.integers(1, 4))):
        text += draw(WORDS)
        piece = draw(WORDS)
        for _ in range(draw(st.integers(0, 3))):
            entities.append(Entity(len(text), len(text) + len(piece), draw(WORDS), draw(VALUES), draw(NAMES), draw(NAMES)))
        text += piece
    return f"a{text}b", tuple(entity.at(entity.start + 1, entity.end + 1) for entity in entities)


@given(examples())
def test_what_is_written_reads_back(example: tuple[str, tuple[Entity, ...]]) -> None:
    assert parse_annotated(annotated(*example)) == example


@given(
    st.text(max_size=60), st.lists(st.tuples(st.integers(0, 59), st.integers(1, 10), st.text(min_size=1, max_size=8)), max_size=3)
)
def test_any_text_is_written_so_that_it_reads_back_or_refused(text: str, spans: list[tuple[int, int, str]]) -> None:
    entities = [Entity(start, min(len(text), start + size), name) for start, size, name in spans if start < len(text)]
    try:
        line = annotated(text, entities)
    except InputError:
        return
    assert len(line.splitlines()) == 1
    assert parse_annotated(line.strip("\n\r ")) == (text, tuple(sorted(entities, key=lambda entity: (entity.start, entity.end))))


@given(st.text('ab [](){}:",entiy1\\n', max_size=40))
def test_any_line_is_read_or_refused(line: str) -> None:
    try:
        text, entities = parse_annotated(line)
    except InputError:
        return
    assert all(0 <= entity.start < entity.end <= len(text) for entity in entities)


@pytest.mark.parametrize(
    ("line", "text", "entities"),
    [
        ("from [Ely](city)", "from Ely", [Entity(5, 8, "city")]),
        ("[tonight](time:evening) at [7](time)", "tonight at 7", [Entity(0, 7, "time", "evening"), Entity(11, 12, "time")]),
        (
            'to [the Fens]{"entity": "city", "role": "to", "group": "1", "value": "Ely"}',
            "to the Fens",
            [Entity(3, 11, "city", "Ely", "to", "1")],
        ),
        ('for [two]{"entity": "people", "value": 2}', "for two", [Entity(4, 7, "people", 2)]),
        (
            '[Ely][{"entity": "city"}, {"entity": "station", "role": "from"}] please',
            "Ely please",
            [Entity(0, 3, "city"), Entity(0, 3, "station", None, "from")],
        ),
        ("no [annotation] here (really)", "no [annotation] here (really)", []),
    ],
)
def test_forms_of_annotation(line: str, text: str, entities: list[Entity]) -> None:
    assert parse_annotated(line) == (text, tuple(entities))
    assert annotated(text, entities) == line


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('[Ely]{"entity" "city"}', "must be JSON"),
        ('[Ely]{"role": "to"}', "entity, role and group are strings"),
        ('[Ely]{"entity": 3}', "entity, role and group are strings"),
        ('[Ely]{"entity": "city", "value": ["Ely"]}', "value is a string or a number"),
        ("[Ely]{city}", "[text](entity:value)"),
    ],
)
def test_bad_annotation_says_what_is_allowed(line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_annotated(line)
    assert message in str(caught.value)
    assert line[5:] in str(caught.value)


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("a train to Ely", [Entity(2, 7, "x"), Entity(5, 10, "y")]),
        ("read [this](twice)", []),
        ("two\nlines", []),
        (" space in front", []),
        ("a ] in it", [Entity(2, 5, "x")]),
        ("the price", [Entity(4, 9, "x", "}")]),
        ("written \\u0041", []),
    ],
)
def test_what_the_format_cannot_express_is_refused(text: str, entities: list[Entity]) -> None:
    with pytest.raises(InputError, match="annotation format"):
        annotated(text, entities)
