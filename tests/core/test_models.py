"""The shipped models as they are used: on sentences of ours."""

import math

import pytest

from grice.models import Dialogue, Turn, load_directness_scorer, load_rewriter
from grice.models.errors import InputError

ASKED = [Turn("user", "I am looking for a hotel in the north"), Turn("bot", "There is an expensive one. Shall I book it?")]
DIALOGUES = [
    Dialogue.of("I don't have that much money", ASKED),
    Dialogue.of("Please book a table for 2 people at 18:30 on Tuesday."),
    Dialogue.of("I wonder whether there is any train", [Turn("bot", "Anything else?")]),
]


def test_nothing_in_nothing_out() -> None:
    assert load_directness_scorer().predict([]) == []
    assert load_rewriter().predict([]) == []


def test_scores_are_between_0_and_1_and_order_plain_examples() -> None:
    scores = [result.score for result in load_directness_scorer().predict(DIALOGUES)]
    assert all(0 < score < 1 for score in scores)
    assert scores[1] > scores[0]


def test_rewrites_are_sentences_with_a_confidence() -> None:
    for rewrite in load_rewriter().predict(DIALOGUES):
        assert rewrite.text[0].isupper()
        assert 0 < rewrite.confidence <= 1
        assert rewrite.finished
        assert rewrite.tokens > 1


def test_a_direct_request_keeps_its_facts() -> None:
    rewrite = load_rewriter().predict([DIALOGUES[1]])[0]
    assert "18:30" in rewrite.text
    assert "Tuesday" in rewrite.text


def test_what_is_in_a_batch_does_not_change_a_result() -> None:
    rewriter, scorer = load_rewriter(), load_directness_scorer()
    together = rewriter.predict(DIALOGUES * 12)
    for number, dialogue in enumerate(DIALOGUES):
        assert rewriter.predict([dialogue])[0].text == together[number].text == together[number + 33].text
    scores = [result.score for result in scorer.predict(DIALOGUES)]
    alone = [scorer.predict([dialogue])[0].score for dialogue in DIALOGUES]
    assert scores == pytest.approx(alone, abs=1e-4)


def test_long_history_is_cut_and_says_so() -> None:
    dialogue = Dialogue.of("I don't have that much money", ASKED * 250)
    rewrite = load_rewriter().predict([dialogue])[0]
    assert rewrite.history_read + rewrite.history_cut == 500
    assert rewrite.history_cut >= 498
    score = load_directness_scorer().predict([dialogue])[0]
    assert score.history_read + score.history_cut == 500


def test_control_characters_do_not_change_the_rewrite() -> None:
    rewriter = load_rewriter()
    clean, dirty = rewriter.predict([Dialogue.of("I need a cheap hotel"), Dialogue.of("I\x00need\x1b a cheap\r\nhotel")])
    assert clean.text == dirty.text


def test_beam_search_finds_at_least_as_probable_rewrites() -> None:
    greedy = load_rewriter().predict(DIALOGUES)
    beam = load_rewriter(beams=4).predict(DIALOGUES)
    better = [b.confidence >= g.confidence - 1e-6 for b, g in zip(beam, greedy, strict=True)]
    assert sum(better) >= 2


def test_both_forms_are_written_and_differ() -> None:
    direct = load_rewriter(form="direct").predict(DIALOGUES)[0].text
    indirect = load_rewriter(form="indirect").predict(DIALOGUES)[0].text
    assert direct != indirect


def test_score_is_the_log_probability_of_what_was_generated() -> None:
    rewriter = load_rewriter()
    rewrite = rewriter.predict(DIALOGUES[:1])[0]
    ((log_prob, tokens),) = rewriter.score(DIALOGUES[:1], [rewrite.text])
    assert tokens == rewrite.tokens
    assert math.exp(log_prob / tokens) == pytest.approx(rewrite.confidence, rel=1e-3)


def test_models_are_loaded_once() -> None:
    assert load_rewriter() is load_rewriter()


@pytest.mark.parametrize(
    ("options", "message"), [({"form": "rude"}, "form: got 'rude'"), ({"beams": 17}, "beams: got 17; allowed: 1 to 16")]
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_rewriter(**options)
