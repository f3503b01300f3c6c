"""What a language model would ask for the same: nine questions a response, at a price a million tokens.

Assumed: four characters a token, as OpenAI's help pages say of English; nothing is served from the provider's cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grice.benchmarks.core.options import Options, option
from grice.middleware.judge.prompt import judge_messages
from grice.models.dialogue import Dialogue
from grice.models.results import BEHAVIORS

CHARACTERS_A_TOKEN = 4.0


@dataclass(frozen=True)
class JudgePrices(Options):
    """A language model's price."""

    judge_price_in: float = option(
        0.15,
        "US dollars per million tokens that a judge reads; GPT-4o mini as OpenAI announced it, 18 July 2024",
        "USD",
        (0, 1e6),
    )
    judge_price_out: float = option(0.60, "per million tokens that it writes; from the same announcement", "USD", (0, 1e6))
    judge_answer_tokens: float = option(60.0, "tokens that an answer of the judge has", "N", (1, 10**6))


def usd_of(dialogues: Sequence[Dialogue], price_in: float, price_out: float, answer_tokens: float) -> list[float]:
    """US dollars for all bot responses of each dialogue.

    Args:
        price_in, price_out: US dollars per million tokens that are read and written.
        answer_tokens: that one answer has.
    """
    return [
        sum(
            read_tokens(Dialogue(dialogue.turns[:end])) * price_in / 1e6 + len(BEHAVIORS) * answer_tokens * price_out / 1e6
            for end in range(1, len(dialogue.turns) + 1)
            if dialogue.turns[end - 1].speaker == "bot"
        )
        for dialogue in dialogues
    ]


def read_tokens(dialogue: Dialogue) -> float:
    """Tokens of the nine questions about the last turn of a dialogue, the bot's."""
    asked = (message for behavior in BEHAVIORS for message in judge_messages(dialogue, behavior))
    return sum(len(message.content) for message in asked) / CHARACTERS_A_TOKEN
