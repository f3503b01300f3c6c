"""What a bot's NLU makes of indirect requests, without Grice and with it.

Three conditions: `direct`, the request said directly in a sentence of ours, which tells whether the bot knows the value at all;
`plain`, the indirect request as it is; `grice`, what the pipeline makes of it, and where the bot's NLU then finds nothing for the
slot, the slot-value resolver's value if it has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from grice.benchmarks.iur.bots import Bot, Parse
from grice.middleware.authoring.indirect_requests import BotSlot, direct_request, question_of
from grice.middleware.turns.analysis import TurnAnalysis
from grice.models.data.indirect_requests import AMBIGUOUS, IndirectRequest, Strategy
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError, NluError
from grice.models.protocols import Model, SlotPredictor

Condition = Literal["direct", "plain", "grice"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)


@dataclass(frozen=True)
class Heard:
    """What was understood in one condition.

    Attributes:
        text: what the bot's NLU read.
        value: what it, or the resolver, gives the slot; None: nothing.
        by: who found it; None where nothing was found.
        error: why the NLU did not answer; None where it did.
    """

    text: str
    value: str | None
    by: Literal["nlu", "resolver"] | None = None
    error: str | None = None


@dataclass(frozen=True)
class BotOutcome:
    """One request in all conditions.

    Attributes:
        strategy: that of the request, or by our rules.
        heard: by condition; `direct` is missing for an ambiguous request, which has no direct form.
    """

    request: IndirectRequest
    strategy: Strategy
    heard: Mapping[Condition, Heard]

    def right(self, condition: Condition) -> bool | None:
        """Whether the value was understood; for an ambiguous request, whether none was taken. None: the NLU did not answer."""
        heard = self.heard.get(condition)
        if heard is None or heard.error is not None:
            return None
        return heard.value == (None if self.request.target == AMBIGUOUS else self.request.target)


@dataclass(frozen=True)
class BotUnderTest:
    """A bot, and what Grice does for it.

    Attributes:
        mapping: how it says the slots of requests.
        nlu: its own.
        pipeline: what it reads turns through.
        resolver: what is asked where its NLU finds nothing for a slot.
    """

    mapping: Mapping[str, BotSlot]
    nlu: Bot
    pipeline: Model[TurnAnalysis]
    resolver: SlotPredictor


def bot_slots_of(requests: Sequence[IndirectRequest], mapping: Mapping[str, BotSlot]) -> list[BotSlot]:
    """How the bot says the slot of each request.

    Raises:
        InputError: a slot is not in the mapping.
    """
    found = []
    for request in requests:
        names = [f"{request.service}.{request.slot}", request.slot or "", request.slot_description]
        slot = next((mapping[name] for name in names if name in mapping), None)
        if slot is None:
            raise InputError(
                f"mapping, slot of request {request.request_id}",
                request.slot or request.slot_description,
                f"one that the mapping has: {', '.join(mapping)}",
            )
        found.append(slot)
    return found


def run_bot_test(requests: Sequence[IndirectRequest], strategies: Sequence[Strategy], bot: BotUnderTest) -> list[BotOutcome]:
    """Each request in all conditions, in order.

    Raises:
        InputError: a slot is not in the mapping.
        NluError: the bot's NLU answered nothing at all.
        GriceError: the resolver failed.
    """
    slots = bot_slots_of(requests, bot.mapping)
    analyses = bot.pipeline.predict([Dialogue.of(request.utterance) for request in requests])
    texts: list[dict[Condition, str]] = [
        {
            **({} if request.ambiguous else {"direct": direct_request(request)}),
            "plain": request.utterance,
            "grice": analysis.text,
        }
        for request, analysis in zip(requests, analyses, strict=True)
    ]
    parses = _parsed(bot.nlu, texts)
    resolved = bot.resolver.predict([question_of(request) for request in requests])
    outcomes = []
    for request, strategy, slot, said, found in zip(requests, strategies, slots, texts, resolved, strict=True):
        heard = {condition: _heard(text, parses[text], slot, request) for condition, text in said.items()}
        if heard["grice"].value is None and heard["grice"].error is None and found.value is not None:
            heard["grice"] = Heard(said["grice"], found.value, "resolver")
        outcomes.append(BotOutcome(request, strategy, heard))
    return outcomes


def _parsed(bot: Bot, texts: Sequence[Mapping[Condition, str]]) -> dict[str, Parse | NluError]:
    """The parse data of every text; the same text is asked for once."""
    wanted = list(dict.fromkeys(text for each in texts for text in each.values()))
    parses = dict(zip(wanted, bot(wanted), strict=True))
    errors = [parsed for parsed in parses.values() if isinstance(parsed, NluError)]
    if errors and len(errors) == len(parses):
        raise errors[0]
    return parses


def _heard(text: str, parsed: Parse | NluError, slot: BotSlot, request: IndirectRequest) -> Heard:
    if isinstance(parsed, NluError):
        return Heard(text, None, error=str(parsed))
    value = slot.found(parsed, request.values)
    return Heard(text, value, None if value is None else "nlu")
