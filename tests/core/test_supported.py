from itertools import pairwise

import numpy as np
import pytest
from tokenizers import Tokenizer

from grice.models import Dialogue, Turn, load_rewriter
from grice.models.manifest import read_manifest
from grice.models.rewriter.supported import Support, SupportedTokens
from grice.models.text.template import read_tokenizer


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return read_tokenizer(read_manifest("rewriter").tokenizer_path)


def closed_after(support: Support, last: int) -> np.ndarray:
    """Which tokens the first source closes after `last`."""
    vocabulary = read_manifest("rewriter").tokenizer_path
    log_probs = np.zeros((1, read_tokenizer(vocabulary).get_vocab_size()), dtype=np.float32)
    return np.isinf(support.restrict(log_probs, np.array([0]), np.array([last]))[0])


def closed_words(tokenizer: Tokenizer, source: str, words: str) -> set[str]:
    ids = tokenizer.encode(source, add_special_tokens=False).ids
    closed = closed_after(SupportedTokens(tokenizer).of([ids]), 0)
    return {word for word in words.split() if closed[tokenizer.token_to_id(word)]}


def test_facts_of_the_source_are_open_and_others_closed(tokenizer: Tokenizer) -> None:
    source = "<query> a table for 4 in the north on tuesday"
    assert closed_words(tokenizer, source, "4 north tuesday 5 south friday seven tomorrow cambridge noon") == {
        *["5", "south", "friday", "seven", "tomorrow", "cambridge", "noon"]
    }


def test_words_that_state_nothing_are_always_open(tokenizer: Tokenizer) -> None:
    assert closed_words(tokenizer, "<query> hm", "find me a cheap restaurant please , ? one book that [SEP] s t") == set()


def test_each_source_has_its_own_mask(tokenizer: Tokenizer) -> None:
    rows = [tokenizer.encode(text, add_special_tokens=False).ids for text in ("at 4", "at 5")]
    log_probs = np.full((2, tokenizer.get_vocab_size()), -1.0, dtype=np.float32)
    allowed = SupportedTokens(tokenizer).of(rows).restrict(log_probs, np.array([0, 1]), np.array([0, 0]))
    columns = np.array([tokenizer.token_to_id(word) for word in ("4", "5")])
    assert np.array_equal(allowed[:, columns], [[-1, -np.inf], [-np.inf, -1]])
    assert (log_probs == -1).all()


@pytest.mark.parametrize("beams", [1, 3])
def test_a_rewrite_has_no_token_that_the_dialogue_does_not_support(beams: int) -> None:
    rewriter = load_rewriter(beams=beams)
    supported = rewriter.supported
    assert supported is not None
    history = [Turn("bot", "How many people, and at what time?")]
    dialogues = [Dialogue.of(text, history) for text in ("The usual, you know us.", "Whenever the kids are out of school.")]
    for dialogue, rewrite in zip(dialogues, rewriter.predict(dialogues), strict=True):
        said = " ".join(turn.text for turn in dialogue.turns)
        support = supported.of([rewriter.tokenizer.encode(said, add_special_tokens=False).ids])
        last = 0
        for token in rewriter.tokenizer.encode(rewrite.text, add_special_tokens=False).ids:
            assert not closed_after(support, last)[token]
            last = token


def test_a_piece_of_a_word_may_only_follow_what_it_follows_in_the_source(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("at zyxommaria", add_special_tokens=False).ids[1:]
    assert len(ids) >= 3
    support = SupportedTokens(tokenizer).of([ids])
    for before, piece in pairwise(ids):
        assert not closed_after(support, before)[piece]
    assert closed_after(support, ids[0])[ids[2]]
    at = tokenizer.token_to_id("at")
    assert at is not None
    assert closed_after(support, at)[ids[1]]
