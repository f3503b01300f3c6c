from pathlib import Path

import pytest
from data_fixtures import cqr_turn, mudoco_turn, write_cqr, write_json, write_mudoco

from grice.models.data import canard, contextual_query_rewrite, mudoco_qr
from grice.models.data.rewrite_record import RewriteRecord
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt, DataNotFound

ASKED_BACK = [
    cqr_turn("driver", "find me some tea "),
    cqr_turn("assistant", "Where?"),
    cqr_turn("driver", "Near the mill."),
    cqr_turn(
        "assistant",
        "The Kettle is by the mill.",
        base_utt_idx=0,
        reformulated_utt="find me some tea  near the mill",
        mturk_reformulations=["Find tea near the mill.", "find me some tea near the mill", "Tea by the mill?"],
    ),
    cqr_turn("driver", ""),
    cqr_turn("assistant", "", base_utt_idx=4, reformulated_utt=None),
    cqr_turn("driver", "Is it open?"),
    cqr_turn("assistant", "Yes.", base_utt_idx=6, reformulated_utt="Is the Kettle open?"),
]


def test_cqr_records_are_the_last_driver_turns_with_all_rewrites(tmp_path: Path) -> None:
    write_cqr(tmp_path, ASKED_BACK, [cqr_turn("driver", "Thanks"), cqr_turn("assistant", "Bye")])
    first, second = contextual_query_rewrite.read(tmp_path, "dev")
    start = (Turn("user", "find me some tea"), Turn("bot", "Where?"))
    assert first == RewriteRecord(
        "car-0",
        2,
        start,
        Turn("user", "Near the mill."),
        ("find me some tea near the mill", "Find tea near the mill.", "Tea by the mill?"),
        "dev",
    )
    assert second.turn_index == 6
    assert second.history == (*start, first.turn, Turn("bot", "The Kettle is by the mill."))
    assert second.rewrites == ("Is the Kettle open?",)


def test_cqr_dialogues_are_all_there(tmp_path: Path) -> None:
    write_cqr(tmp_path, ASKED_BACK, [cqr_turn("driver", "Thanks"), cqr_turn("assistant", "Bye")], split="test")
    dialogues = contextual_query_rewrite.read_dialogues(tmp_path, "test")
    assert dialogues["car-1"] == (Turn("user", "Thanks"), Turn("bot", "Bye"))
    assert len(dialogues["car-0"]) == 6


@pytest.mark.parametrize(
    "turns",
    [
        [cqr_turn("passenger", "Tea?")],
        [cqr_turn("assistant", "Hi", base_utt_idx=0, reformulated_utt="Tea?")],
        [{"turn": "driver"}],
    ],
)
def test_cqr_in_another_format_is_refused(tmp_path: Path, turns: list[dict[str, object]]) -> None:
    write_cqr(tmp_path, [*turns, cqr_turn("assistant", "Yes", base_utt_idx=0, reformulated_utt="Tea?")])
    with pytest.raises(DataCorrupt, match="Contextual Query Rewrite"):
        contextual_query_rewrite.read(tmp_path, "dev")


def test_mudoco_records_are_graded_turns_of_both_sides(tmp_path: Path) -> None:
    turns = [
        mudoco_turn(1, "Who baked this ?", "Who baked this ?"),
        mudoco_turn(2, "Rosa did n't .", "Rosa did n't bake this ."),
        mudoco_turn(5, "Where is she ?"),
    ]
    write_mudoco(tmp_path, "news", {"a": {"split": "train", "turns": turns}})
    write_mudoco(tmp_path, "weather", {"a": {"split": "test", "turns": [mudoco_turn(1, "Rain ?", "Rain ?")]}})
    same, added, other = mudoco_qr.read(tmp_path)
    assert same == RewriteRecord("a", 1, (), Turn("user", "Who baked this?"), ("Who baked this?",), "train")
    assert added == RewriteRecord("a", 2, (same.turn,), Turn("bot", "Rosa didn't."), ("Rosa didn't bake this.",), "train")
    assert other.dialogue_id == "a"
    assert mudoco_qr.read(tmp_path, ["test"]) == [other]
    assert mudoco_qr.read_dialogues(tmp_path)[0] == ("a", (same.turn, added.turn, Turn("user", "Where is she?")))


def test_mudoco_missing_or_in_another_format(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=r"mudoco_\*\.json"):
        mudoco_qr.read(tmp_path)
    write_mudoco(tmp_path, "news", {"a": {"split": "train", "turns": [{"number": 1, "utterance": "Hi", "graded": True}]}})
    with pytest.raises(DataCorrupt, match=r"mudoco_news\.json.*rewritten_utterance"):
        mudoco_qr.read(tmp_path)


QUESTION = {
    "QuAC_dialog_id": "Q_1",
    "Question_no": 2,
    "History": ["The Kettle", "Opening", "When did it open ?", "In 1990 ."],
    "Question": "Who ran it ?",
    "Rewrite": "Who ran the Kettle?",
}


def test_canard_history_starts_with_the_titles(tmp_path: Path) -> None:
    write_json(tmp_path / "dev.json", [QUESTION])
    history = (Turn("bot", "The Kettle, Opening"), Turn("user", "When did it open?"), Turn("bot", "In 1990."))
    assert canard.read(tmp_path) == [RewriteRecord("Q_1", 2, history, Turn("user", "Who ran it?"), ("Who ran the Kettle?",), "dev")]


@pytest.mark.parametrize("change", [{"History": ["The Kettle"]}, {"Question": ""}, {"Rewrite": None}])
def test_canard_in_another_format_names_the_record(tmp_path: Path, change: dict[str, object]) -> None:
    write_json(tmp_path / "dev.json", [QUESTION, {**QUESTION, **change}])
    with pytest.raises(DataCorrupt, match=r"dev\.json, record 2: not in the format of CANARD"):
        canard.read(tmp_path)
