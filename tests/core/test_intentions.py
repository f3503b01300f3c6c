"""The shipped detector of face acts on a persuasion of ours."""

import pytest

from grice.models import Dialogue, Intentions, Turn, load_intention_detector
from grice.models.errors import InputError
from grice.models.results import FACE_ACTS, FaceAct

ASKED = [
    Turn("bot", "Hello, how are you today?"),
    Turn("user", "I am fine, thanks. And you?"),
    Turn("bot", "Great! Have you heard of our food bank? It gives meals to poor families."),
]


def found(text: str, history: list[Turn] = ASKED, speaker: str = "user") -> Intentions:
    return load_intention_detector().predict([Dialogue.of(text, history, speaker)])[0]  # type: ignore[arg-type]


def test_nothing_in_nothing_out() -> None:
    assert load_intention_detector().predict([]) == []


@pytest.mark.parametrize(
    ("speaker", "text", "label"),
    [
        ("bot", "Hi! How are you doing?", "other"),
        ("bot", "We are a well known charity and 90 percent of every donation goes to the children.", "spos+"),
        ("bot", "Would you like to make a small donation today?", "hneg-"),
        ("bot", "Thank you so much for your generous donation!", "hpos+"),
        ("user", "How is the money used?", "hneg-"),
        ("user", "That is a great cause, I would love to donate a dollar.", "hpos+"),
        ("user", "I don't trust these organizations, most of the money goes to the managers.", "hpos-"),
        ("user", "No, I can't afford to donate right now.", "sneg+"),
    ],
)
def test_plain_examples(speaker: str, text: str, label: FaceAct) -> None:
    result = found(text, speaker=speaker)
    assert result.label == label
    assert max(result.probabilities, key=lambda each: result.probabilities[each]) == label


def test_what_is_told_of_a_dialogue() -> None:
    result = found("That sounds like a great cause!")
    assert set(result.probabilities) == set(FACE_ACTS)
    assert sum(result.probabilities.values()) == pytest.approx(1, abs=1e-5)
    assert result.roles == ("persuader", "persuadee", "persuader", "persuadee")
    assert len(result.labels) == len(result.agreement) == 4
    assert sum(result.counts("persuader").values()) == sum(result.counts("persuadee").values()) == 2
    assert (result.history_read, result.history_cut, result.text_cut) == (3, 0, False)


def test_agreement_rises_with_praise_and_falls_with_refusals() -> None:
    glad = found("Sure, I would be glad to give. It is a wonderful cause.").agreement
    refusing = found("No, I do not want to give anything. I have no money.").agreement
    assert glad[:3] == pytest.approx(refusing[:3])
    assert glad[-1] > refusing[-1]


def test_who_persuades_is_a_matter_of_the_role() -> None:
    detector = load_intention_detector(user_role="persuader")
    turns = [Turn("user" if turn.speaker == "bot" else "bot", turn.text) for turn in ASKED]
    assert detector.predict([Dialogue.of("How is the money used?", turns, "bot")])[0] == found("How is the money used?")


def test_a_long_history_is_cut_and_says_so() -> None:
    result = found("Fine.", ASKED * 50)
    assert (result.history_read, result.history_cut, len(result.labels)) == (100, 50, 101)


def test_what_is_in_a_batch_does_not_change_a_result() -> None:
    dialogues = [Dialogue.of(text, ASKED) for text in ("Why?", "I have to think about it first.", "Sorry, no.")]
    together = load_intention_detector().predict(dialogues * 5)
    for number, dialogue in enumerate(dialogues):
        alone = load_intention_detector().predict([dialogue])[0]
        assert alone.labels == together[number].labels == together[number + 6].labels
        assert [*alone.probabilities.values()] == pytest.approx([*together[number].probabilities.values()], abs=1e-4)


SURE = dict(zip(FACE_ACTS, (1.0, 0, 0, 0, 0, 0, 0, 0), strict=True))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (({}, ("other",), ("persuader",), (0.5,)), "face acts with a probability"),
        (({**SURE, "other": 1.5}, ("other",), ("persuader",), (0.5,)), "numbers from 0 to 1"),
        ((SURE, ("other", "other"), ("persuader",), (0.5,)), "2 labels, 1 roles, 1 agreements"),
        ((SURE, ("rude",), ("persuader",), (0.5,)), "face act: got 'rude'"),
    ],
)
def test_results_that_cannot_be(values: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Intentions(*values)  # type: ignore[arg-type]


def test_threats_and_saves_are_balanced_by_role() -> None:
    result = Intentions(
        SURE,
        ("hneg-", "hpos-", "spos+", "hpos+", "other"),
        ("persuader", "persuadee", "persuader", "persuader", "persuadee"),
        (0.5,) * 5,
    )
    assert (result.balance("persuader"), result.balance("persuadee")) == (1, -1)
