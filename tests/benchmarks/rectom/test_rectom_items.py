"""`grice bench rectom --items`: anybody's recommendation dialogues, scored in all and by domain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grice.benchmarks.rectom.own_items import same_name
from grice.middleware.cli import main
from grice.models.data.recommendation_items import read_recommendation_items
from grice.models.errors import InputError

LIKED = {"suggested_by": "recommender", "seen": False, "liked": True}
FILMS: dict[str, Any] = {
    "id": "1",
    "domain": "films",
    "turns": [
        {"speaker": "user", "text": "I am looking for a good comedy."},
        {"speaker": "bot", "text": "You could try Grey Dust (2001). It is very funny."},
        {"speaker": "user", "text": "I have not seen that one. It sounds good, I will watch it. Thank you!"},
    ],
    "attitudes": {"Grey Dust": LIKED},
    "next": [{"after_turns": 1, "strategy": "recommend", "works": True}],
}
BIKES: dict[str, Any] = {
    "id": "2",
    "domain": "bicycles",
    "turns": [{"speaker": "bot", "text": "Hello, what do you need?"}, {"speaker": "user", "text": "Something for the hills."}],
    "attitudes": {"Corvo E2": LIKED},
    "note": "kept",
}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_items_are_scored_by_domain_and_samples_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = write(tmp_path / "items.jsonl", FILMS, BIKES)
    samples, out = tmp_path / "samples.jsonl", tmp_path / "run.json"
    assert main(["bench", "rectom", "--items", str(items), "--samples", str(samples), "--out", str(out)]) == 0
    assert "attitudes/bicycles" in capsys.readouterr().out
    found = {
        (each["task"], each["metric"]): (each["value"], each["n"])
        for each in json.loads(out.read_text())["results"]
        if each["system"] == "grice"
    }
    for metric in ("accuracy", "suggested_by", "seen", "liked"):  # nothing is said of an item that is not named
        assert [found[task, metric] for task in ("attitudes", "attitudes/films", "attitudes/bicycles")] == [
            (50, 2),
            (100, 1),
            (0, 1),
        ]
    assert [found[task, "recall"] for task in ("items-found", "items-found/films", "items-found/bicycles")] == [
        (50, 2),
        (100, 1),
        (0, 1),
    ]
    assert found["items-found", "found_per_dialogue"] == (0.5, 2)
    assert found["next", "accuracy"][1] == 1
    first, second = [json.loads(line) for line in samples.read_text().splitlines()]
    assert (second["note"], second["found"], second["missed"]) == ("kept", {}, ["Corvo E2"])
    assert first["found"]["Grey Dust"]["liked"] is True
    assert list(first["items_found"]) == ["Grey Dust (2001)"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turns": []}, "turns: got .*0 turns"),
        ({"turns": [{"speaker": "seller", "text": "Hello."}]}, "speaker: got .*seller"),
        ({"attitudes": {"Grey Dust": {**LIKED, "suggested_by": "bot"}}}, "suggested_by: got 'bot'; allowed: recommender, seeker"),
        ({"attitudes": {"Grey Dust": {**LIKED, "seen": "yes"}}}, "seen: got 'yes'; allowed: true or false"),
        ({"attitudes": ["Grey Dust"]}, "attitudes: got .*allowed: an object"),
        ({"next": [{"after_turns": 4, "strategy": "recommend", "works": True}]}, "after_turns: got 4; allowed: 1 to 3"),
        ({"next": [{"after_turns": 2, "strategy": "recommend", "works": True}]}, "strategy of the seeker: got 'recommend'"),
    ],
)
def test_what_is_wrong_with_an_item_is_said(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"line 1.*{message}"):
        read_recommendation_items(write(tmp_path / "items.jsonl", {**FILMS, **change}))


def test_samples_are_those_of_items(tmp_path: Path) -> None:
    assert main(["bench", "rectom", "--samples", str(tmp_path / "s.jsonl"), "--data-dir", str(tmp_path)]) != 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Grey Dust (2001)", "grey dust", True),
        ("the Corvo E2", "Corvo E2", True),
        ("Corvo", "Corvo E2", True),
        ("Corvo E2", "Corvo E3", False),
        ("(2001)", "Grey Dust", False),
    ],
)
def test_names_are_the_same_where_one_contains_the_other(one: str, other: str, same: bool) -> None:
    assert same_name(one, other) is same_name(other, one) is same
