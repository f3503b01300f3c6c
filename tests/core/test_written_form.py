"""Spacing and capitals of decoded uncased tokens, on sentences of our own."""

from __future__ import annotations

import unicodedata

import pytest

from grice.models.text.written_form import written_form


@pytest.mark.parametrize(
    ("decoded", "wanted"),
    [
        ("i don ' t mind . it ' s fine , we ' ll come .", "I don't mind. It's fine, we'll come."),
        ("can you book it for 12 : 15 ? thanks !", "Can you book it for 12:15? Thanks!"),
        ("it costs £20 . 50 , or £ 1 , 000 for all", "It costs £20.50, or £1,000 for all"),
        ("a table for 2 . 3 nights .", "A table for 2. 3 nights."),
        ("a 4 - star hotel", "A 4-star hotel"),
        ("the train / bus ( or a cab ) at 5 p . m . on friday", "The train/bus (or a cab) at 5 p.m. on Friday"),
        ('it is called " the lot " , i think', 'It is called "the lot", I think'),
        ("i like ' yes ' more", "I like 'yes' more"),
        ("the guests ' room", "The guests' room"),
        ("7 o ' clock", "7 o'clock"),
        ("wait . . . what ? !", "Wait... what?!"),
        ("100 % of it", "100% of it"),
        ("mondays in june , but may i march ?", "Mondays in June, but may I march?"),
        ("see st . anne . she is in", "See st. anne. She is in"),
        ("already spaced, isn't it? yes.", "Already spaced, isn't it? Yes."),
        ("", ""),
        ("?", "?"),
    ],
)
def test_rules_without_sources(decoded: str, wanted: str) -> None:
    assert written_form(decoded, []) == wanted


@pytest.mark.parametrize(
    ("decoded", "source", "wanted"),
    [
        ("go to quirinelle . tr4376", "Is Quirinelle on TR4376 ?", "Go to Quirinelle. TR4376"),
        ("book tr4376", "TR4376 leaves at nine.", "Book TR4376"),
        ("the curry zanzibarra is nice", "I like the Curry Zanzibarra.", "The Curry Zanzibarra is nice"),
        ("a curry at the zanzibarra", "A curry? Try the Curry Zanzibarra.", "A curry at the Zanzibarra"),
        ("a guest house", "The Ash Guest House is a guest house.", "A guest house"),
        (
            "is the ash guest house a guest house ?",
            "So the Ash Guest House is a guest house.",
            "Is the Ash Guest House a guest house?",
        ),
        ("the house of mill and moor", "We saw the House of Mill and Moor.", "The House of Mill and Moor"),
        ("find a train", "Find it.", "Find a train"),
        ("can we find it ?", "Find it, please.", "Can we find it?"),
        ("a nice cafe", "Is there a café?", "A nice café"),
        ("go to creme brulee", "Is Crème Brûlée open?", "Go to Crème Brûlée"),
        ("write to jo . doe @ mail . org", "I am jo.doe@mail.org, hello.", "Write to jo.doe@mail.org"),
        ("see www . mill . org / open", "It is on www.mill.org/open.", "See www.mill.org/open"),
        ("call 01234 - 567 890", "My number: 01234-567 890", "Call 01234-567 890"),
        ("at 9 . 5 exactly", "It has 9.5 of 10.", "At 9.5 exactly"),
        ("the mcdoe place", "To the McDoe place, please.", "The McDoe place"),
        ("i want a train", "PLEASE BOOK ME A TRAIN NOW", "I want a train"),
        ("in the centre . thanks", "I want the centre.Thanks", "In the centre. Thanks"),
    ],
)
def test_takes_the_form_of_a_source(decoded: str, source: str, wanted: str) -> None:
    assert written_form(decoded, ["Hello there.", source]) == wanted


@pytest.mark.parametrize(
    "decoded",
    [
        "a ' b \" c ( d ) [ e ] { f } £ 1 . 2 : 3 ; 4 , 5 - 6 / 7 & 8 _ 9 @ # % * + = ~ ^ | < > \\ `",
        "’ ’ ’ ´ – — … “ x ” ‘ y ’",
        "ß ı ŋ 你 好 😀 ² ½",
        "' ' '",
        ". , : - & '",
    ],
)
def test_only_spaces_case_and_accents_change(decoded: str) -> None:
    source = "Á B's (C) 4-5 “X” ’Y’ ß 你好 😀 1.2:3 A'B"
    assert _bare(written_form(decoded, [source])) == _bare(decoded)


def test_long_sources_are_read_in_linear_time() -> None:
    sources = ["a" * 10_000, "A" * 10_000, "Aa " * 3_000, "a.b" * 3_000, "'" * 10_000]
    assert written_form("aa b", sources) == "Aa b"


def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFD", text.lower())
    return "".join(character for character in folded if not character.isspace() and not unicodedata.combining(character))
