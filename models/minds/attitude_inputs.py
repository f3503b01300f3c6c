"""What the mind model reads of a recommendation dialogue for how the seeker stands to a movie."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from grice.models.data.rectom import RoleTurn
from grice.models.minds.inputs import MindInputs, places, read
from grice.models.minds.wording import ANOTHER, THIS, masked, movies, names, parts
from grice.models.runtime.heads import Array
from grice.models.sentence_encoder.encoder import SentenceEncoder

MOST_CLAUSES = 8
MOST_COUNTED = 5
"""Counts of movies and of turns that name one are told up to this."""

_CLAUSE_END = re.compile(r",?\s+(?=(?:but|though|although)\b)|,\s+(?=(?:and )?(?:i|it|haven't)\b)", re.IGNORECASE)


def attitude_inputs(encoder: SentenceEncoder, turns: Sequence[RoleTurn], item: str) -> MindInputs:
    """For how the seeker stands to `item`, from where it is named first and from the seeker's last turn, the reaction."""
    naming = [place for place, turn in enumerate(turns) if names(turn.text, item)]
    first = naming[0] if naming else max(0, len(turns) - 2)
    last = max((place for place, turn in enumerate(turns) if turn.role == "seeker"), default=len(turns) - 1)
    mention, reaction = masked(turns[first].text, item), masked(turns[last].text, item)
    mentions = [masked(part, item) for part in parts(turns[first].text)]
    mentioning = next((part for part in mentions if THIS in part), mentions[-1])
    own = [masked(clause, item) for clause in clauses(turns[last].text)]
    about = next((clause for clause in own if THIS in clause), own[0])
    between = next((masked(turn.text, item) for turn in turns[first + 1 :] if turn.role == "seeker"), reaction)
    offered = movies(turns[first].text)
    rank = next((number for number, movie in enumerate(offered) if names(movie, item)), 0)
    speakers = [turns[place].role for place in naming]
    by_seeker = turns[first].role == "seeker"
    facts = [
        *(by_seeker, last - first, last - first > 1, last == first, by_seeker and first == last),
        *(min(len(offered), MOST_COUNTED), min(rank, MOST_COUNTED), min(len(naming), MOST_COUNTED), len(turns)),
        *(any(THIS in clause for clause in own), ANOTHER in reaction, speakers.count("seeker"), speakers.count("recommender")),
    ]
    return read(
        encoder,
        own,
        np.concatenate([places(len(own), len(turns)), _aboutness(own, rank)], axis=1),
        [mention, mentioning, reaction, about, between],
        [mention, mentioning, reaction, about, own[-1], between, mentions[-1]],
        facts,
    )


def clauses(text: str) -> list[str]:
    """The parts of a turn, cut at commas and before "but" where a clause of its own begins; at most `MOST_CLAUSES`."""
    found = [clause for part in parts(text) for clause in _CLAUSE_END.split(part) if clause.strip(" .,!?")]
    return found[:MOST_CLAUSES] or [text]


def _aboutness(own: Sequence[str], rank: int) -> Array:
    """Whether each clause names the movie, names others, comes after one that names it, may be about any, or has its rank."""
    about = [THIS in clause for clause in own]
    rows = [
        [this, ANOTHER in clause, any(about[:number]) and not this, not any(about), rank == number]
        for number, (clause, this) in enumerate(zip(own, about, strict=True))
    ]
    return np.array(rows, np.float32)
