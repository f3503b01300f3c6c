"""What is code, data or markup, and what is a sentence that only looks a little like it."""

from __future__ import annotations

import pytest

from grice.middleware.gateways.machine_text import is_machine_text
from grice.middleware.gateways.rows import is_plain

MACHINE = [
    "SELECT * FROM users;",
    "select name, age from users where age > 3",
    "SELECT count(*) FROM users",
    "Why is SELECT * FROM users slow?",
    "INSERT INTO boats (name) VALUES ('Ann');",
    "update boats set price = 3;",
    "for i in range(3):\n    print(i)",
    "x = 1\ny = 2",
    "x = 1;",
    "total += price",
    "rows = load(path)",
    "names = ['ann', 'bob']",
    'const name = "ann"',
    "const [price, setPrice] = useState(0)",
    'print("hi")',
    "console.log(total)",
    "main()",
    "boats.sort(key)",
    "Why does main() end?",
    "def rent(boat):\n    return boat.price",
    "def rent(boat): return boat.price",
    "class Boat(Vessel):",
    "async function rent(boat) {",
    "public static void main(String[] args) {",
    "if x == 3:",
    "if (x > 3) { stop(); }",
    "for (int i = 0; i < 3; i++)",
    "while queue:\n    queue.pop()",
    "import os\nimport sys",
    "from os import path",
    "#include <stdio.h>",
    "#!/bin/sh",
    "$ pip install grice",
    "curl -s https://example.org",
    ".boat { color: red; }",
    ".boat {\n  color: red;\n}",
    "<a><b/></a>",
    '<img src="boat.png">',
    "<p>I am cold.</p>",
    '<?xml version="1.0"?>',
    'Fix this: {"a": 1}',
    "Fix this: {'a': 1}",
    'What is wrong with {"a": 1, "b"',
    'Sort ["b", "a"] for me.',
    "{\n  a: 1,\n}",
    '[{"a": 1}]',
    'Traceback (most recent call last):\n  File "boat.py", line 3, in <module>\n    rent()\nKeyError: 7',
    "TypeError: boat is not a function",
    'Exception in thread "main"\n    at boats.Boat.rent(Boat.java:7)',
    "| boat | price |\n|---|---|\n| Ann | 3 |",
    "| Ann | 3 |\n| Bob | 4 |",
    "boat | price\n--- | ---\nAnn | 3",
    "+-----+-----+\n| Ann |   3 |\n+-----+-----+",
    "boat\tprice\nAnn\t3",
    "boat,price,size\nAnn,3,4\nBob,4,5",
    "diff --git a/boat.py b/boat.py",
    "@@ -1,2 +1,2 @@",
    "Why does this fail?\nrows = load(path)\nfor row in rows:\n    print(row)",
    "This is slow:\n\nfor row in rows:\n    rent(row)",
]

SENTENCES = [
    "Select a seat from row five; I like the window.",
    "select a quiet room from your list",
    "Can you update my address and set it to Hill Road?",
    "Delete from my order the milk.",
    "SELECT A SEAT FROM ROW FIVE, PLEASE!",
    "Print two copies (in colour), please.",
    'print "Happy birthday" on the cake',
    "print(s) of the old harbour",
    "For two people, if it is not too late.",
    "for my mother: something warm",
    "for everyone in my group:\ntwo vegetarian menus",
    "If it rains:\n- bring an umbrella\n- stay in",
    "if (and only if) it is cheap",
    "While you are at it, close the window; it is cold.",
    "Import duties are high, are they not?",
    "import my contacts",
    "From Turkey we import carpets.",
    "Class starts at nine.",
    "private class on Monday (for beginners)",
    "function rooms (small) for ten people",
    "I'd like to hire a function room,\nif there is one.",
    "return the book; renew the card",
    "I want to\nreturn the book;\nrenew the card;",
    "milk;\neggs;\nbread",
    "x = the unknown",
    "x = the unknown\ny = what I want to know",
    "Let x = the number of apples, what is y?",
    "What is f(x) = 2x + 1 at 3?",
    "a < b, I think, and b > c.",
    "Is a <b and b> c?",
    "Is 3 < 4?",
    "I <3 this place </3",
    "My address is ann.lee@example.org (work).",
    "Write to Ann Lee <ann.lee@example.org>.",
    "Is <https://example.org> yours?",
    "It costs $20 (or $ 25), does it not?",
    "The 12:30 train; or the 14:05, if that is full.",
    "He said, \"I'm late\"; she said 'fine'.",
    "Would you have it in another colour(s)?",
    "Tuesday(ish)",
    "seat(s)",
    "C++",
    "My C# class is hard :(",
    "[smiles] that is nice",
    "As the note says [1], it is closed [2].",
    "[Ann] and [Bob] are {almost} here",
    "Name: Ann Lee\nDate: Friday",
    "Options: (a) red; (b) blue; (c) {none}",
    "Either/or | both",
    "red | blue | green",
    "Hello,\n\nit is cold in here.\n\nYours, Ann",
    "- milk\n- eggs\n- bread",
    "1. milk\n2. eggs",
    "Ann, Bob, and I\nCarl, Dora, and you\nEve, Finn, and she",
    "Error: that is what it says, and nothing else.",
    "there was an error: the door did not open",
    "Try:\nthe back door",
    "--- it is late ---",
    "#1 priority: heat",
    "# not a hash tag, is it?",
    "What does main do?",
    "sudo make me a sandwich",
    "git is hard, is it not?",
]


@pytest.mark.parametrize("text", MACHINE)
def test_code_data_and_markup_are_left_alone(text: str) -> None:
    assert is_machine_text(text)
    assert not is_plain(text)


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_that_look_a_little_like_it_are_plain(text: str) -> None:
    assert is_plain(text)


@pytest.mark.parametrize(
    "piece", ["{", "{'", '["', "<a ", "select a,", "select ", "x(", "(", "| ", "\t", "== ", "=", ";", "{; ", "\\", "}", "a", " "]
)
def test_a_text_that_looks_like_code_for_ever_is_read_at_once(piece: str) -> None:
    """No pattern goes back and forth over it: a service that reads turns must not stand still over one."""
    is_machine_text((piece * 10_000)[:10_000] + "z")
