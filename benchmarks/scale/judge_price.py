"""What a language model would ask for the same: nine questions a response, at a price a million tokens.

Assumed: four characters a token, as OpenAI's help pages say of English; nothing is served from the provider's cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from grice.middleware.judge.prompt import judge_messages
from grice.models.dialogue import Dialogue
from grice.models.results import BEHAVIORS

CHARACTERS_A_TOKEN = 4.0


def usd_of(dialogues: Sequence[Dialogue], price_in: float, price_out: float, answer_tokens: float) -> list[float]:
    """US dollars for all bot responses of each dialogue.

    Args:
        price_in, price_out: US dollars per million tokens that are read and written.
        answer_tokens: that one answer has.
    """
    return [
        sum(
            _read_tokens(Dialogue(dialogue.turns[:end])) * price_in / 1e6 + len(BEHAVIORS) * answer_tokens * price_out / 1e6
            for end in range(1, len(dialogue.turns) + 1)
            if dialogue.turns[end - 1].speaker == "bot"
        )
        for dialogue in dialogues
    ]


def _read_tokens(dialogue: Dialogue) -> float:
    asked = (message for behavior in BEHAVIORS for message in judge_messages(dialogue, behavior))
    return sum(len(message.content) for message in asked) / CHARACTERS_A_TOKEN
