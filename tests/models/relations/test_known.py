"""What is read beside a response: all of it where it fits, else the last turns and what is nearest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import grice.models
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import InputError
from grice.models.relations.inputs import RelationTokens
from grice.models.relations.known import LONG, choose_spans, spans_of
from grice.models.relations.results import RelationQuestion
from grice.models.relations.rows import nearest_rows
from grice.models.relations.sentences import sentence_of, sentence_places
from grice.models.text.template import read_tokenizer

TOKENS = RelationTokens(read_tokenizer(Path(grice.models.__file__).parent / "pretrained" / "sentence_encoder" / "tokenizer.json"))


class CountsLanterns:
    """Texts with the word are alike."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        flags = np.array(["lantern" in text.lower() for text in texts])
        return np.stack([flags, ~flags], 1).astype(np.float32)


def question(turns: int, **given: object) -> RelationQuestion:
    said = [Turn("bot" if place % 2 else "user", f"This is what was said at place {place}, and no more.") for place in range(turns)]
    said[1] = Turn("bot", "The lantern hangs by the back door.")
    return RelationQuestion(Dialogue((*said, Turn("bot", "The lantern is in the cellar."))), **given)  # type: ignore[arg-type]


def test_all_is_read_where_it_fits() -> None:
    asked = question(6, documents=("Lamps are kept dry.",), facts=({"lamp": "brass"},), policy=("Say please.",))
    spans = choose_spans(asked, TOKENS, CountsLanterns(), 300)
    assert [span.kind for span in spans] == ["document", "fact", "policy", *["user", "bot"] * 3]
    assert spans[1].text == "lamp: brass"


def test_else_the_last_turns_and_the_nearest_in_their_order() -> None:
    spans = choose_spans(question(20), TOKENS, CountsLanterns(), 68)
    assert spans[0].place == 1
    assert [span.place for span in spans][-4:] == [16, 17, 18, 19]
    assert [span.place for span in spans] == sorted(span.place for span in spans)
    assert sum(TOKENS.count(span.text) for span in spans) <= 68


def test_a_long_document_is_read_in_parts_that_know_where_they_stand() -> None:
    text = " ".join(f"Sentence {number} of the long manual says one thing only." for number in range(20))
    parts = [span for span in spans_of(question(4, documents=(text,))) if span.kind == "document"]
    assert len(parts) > 1
    for part in parts:
        assert text[part.start : part.start + len(part.text)] == part.text
        assert len(part.text) <= LONG
        assert part.sentence == sentence_of(text, part.start)


def test_sentences() -> None:
    text = "Is it 3.5 metres? Yes. Dr Ames said so"
    assert [text[start:end] for start, end in sentence_places(text)] == ["Is it 3.5 metres?", "Yes.", "Dr Ames said so"]
    assert sentence_places("...") == [(0, 3)]


def test_nearest_rows_share_rare_words() -> None:
    rows = [{"name": f"House {number}", "street": "Mill Lane"} for number in range(8)]
    assert nearest_rows(rows, "How far is House 6 from Mill Lane?", 1) == [rows[6]]


def test_values_of_rows_are_texts_however_they_are_given() -> None:
    asked = question(4, facts=({"lamp": "brass", "watts": 40, "price": 4.5, "dims": True, "broken": False, "note": None},))
    assert asked.facts == ({"lamp": "brass", "watts": "40", "price": "4.5", "dims": "yes", "broken": "no"},)


@pytest.mark.parametrize("facts", [({"lamps": ["brass"]},), ({"watts": float("nan")},), ("lamp: brass",), {"lamp": "brass"}])
def test_what_is_no_row_is_refused(facts: object) -> None:
    with pytest.raises(InputError, match="facts"):
        question(4, facts=facts)


def test_ages_count_from_the_last_turn() -> None:
    pieces = TOKENS.read_context(spans_of(question(4, documents=("Lamps are kept dry.",))))
    ages = dict(zip(pieces.owners, pieces.ages, strict=True))
    assert ages == {0: 11, 1: 3, 2: 2, 3: 1, 4: 0}


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(InputError, match="chat, task, assistant"):
        question(4, setting="poem")
