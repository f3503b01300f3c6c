"""What came of a question."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from grice.middleware.llm import Message, Reply

Status = Literal["answered", "unparsable", "unanswered"]
STATUSES: tuple[str, ...] = get_args(Status)


@dataclass(frozen=True)
class Exchange:
    """One request and its reply.

    Attributes:
        reply: the text; empty where the model refused or said nothing.
        finish_reason: why it ended, in the server's word; `length`: cut by the limit of tokens.
        prompt_tokens, completion_tokens: as the server counted them; None where it did not.
        cost: US dollars at the prices of the run; None where a price or a count is missing.
        remembered: the reply was known before: nothing was paid for it this time.
    """

    messages: tuple[Message, ...]
    reply: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    remembered: bool

    @classmethod
    def of(cls, messages: tuple[Message, ...], reply: Reply) -> Exchange:
        """The exchange of a reply."""
        counts = (reply.prompt_tokens, reply.completion_tokens)
        return cls(messages, reply.text, reply.finish_reason, *counts, reply.cost, reply.cached)


@dataclass(frozen=True)
class Sample:
    """What came of one question.

    Attributes:
        sample_id, group, gold: as in the question.
        prediction: a JSON value; None unless `status` is `answered`.
        status: `unparsable`: the model replied, and the prediction could not be read; `unanswered`: it did not reply to all that
            was asked, and `error` says why.
        exchanges: what was asked and replied, in order.
    """

    sample_id: str
    group: str
    gold: Any
    prediction: Any | None
    status: Status
    exchanges: tuple[Exchange, ...]
    error: str | None

    @property
    def paid(self) -> float:
        """US dollars that were paid for it in this run, as far as prices and counts are known."""
        return sum(exchange.cost or 0.0 for exchange in self.exchanges if not exchange.remembered)

    def record(self) -> dict[str, Any]:
        """The sample as a JSON object."""
        return asdict(self)

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Sample:
        """The sample that `record` was made of.

        Raises:
            TypeError, KeyError, ValueError: it was made of something else.
        """
        exchanges = tuple(
            Exchange(**{**each, "messages": tuple(Message(**message) for message in each["messages"])})
            for each in record["exchanges"]
        )
        sample = cls(**{**record, "exchanges": exchanges})
        if sample.status not in STATUSES:
            raise ValueError(f"status {sample.status!r}")
        return sample
