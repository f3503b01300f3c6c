"""The criteria judged by a large language model, with few-shot prompts in the layout of the paper's appendix B."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from grice.middleware.authoring.augment.example import letters
from grice.middleware.authoring.indirect_requests.criteria import Request
from grice.middleware.authoring.indirect_requests.prompts import appropriateness_prompt, implied_prompt, world_prompt
from grice.middleware.llm import ChatModel, Message, Reply
from grice.models.data.indirect_requests import SCALE
from grice.models.errors import GriceError, NoDecision, shorten

Judged = TypeVar("Judged")

_NONE = "none"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class LlmCriteria:
    """Asks a model one question a request and criterion. An answer in another form than was asked for is a `NoDecision`.

    Args:
        chat: the model; its answers are best drawn at temperature 0, the default of `ChatSettings`.
    """

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.name = chat.settings.model

    def appropriateness(self, requests: Sequence[Request]) -> list[float | GriceError]:
        """As `Criteria.appropriateness`; appendix B has no prompt for it, so this one is ours."""
        return self._asked(requests, appropriateness_prompt, lambda text, request: rating(text))

    def implied(self, requests: Sequence[Request]) -> list[tuple[str, ...] | GriceError]:
        """As `Criteria.implied`; appendix B.1."""
        return self._asked(requests, implied_prompt, lambda text, request: listed(text, request.values))

    def world_understanding(self, requests: Sequence[Request]) -> list[float | GriceError]:
        """As `Criteria.world_understanding`; appendix B.2."""
        return self._asked(requests, world_prompt, lambda text, request: rating(text))

    def _asked(
        self,
        requests: Sequence[Request],
        prompt: Callable[[Request], list[Message]],
        read: Callable[[str, Request], Judged],
    ) -> list[Judged | GriceError]:
        replies = self._chat.complete_all([prompt(request) for request in requests])
        return [_read(reply, request, read) for reply, request in zip(replies, requests, strict=True)]


def _read(reply: Reply | GriceError, request: Request, read: Callable[[str, Request], Judged]) -> Judged | GriceError:
    if isinstance(reply, GriceError):
        return reply
    try:
        return read(reply.text, request)
    except NoDecision as error:
        return error


def rating(text: str) -> float:
    """The number from 1 to 10 that an answer begins with or has alone.

    Raises:
        NoDecision: there is none, or there are several.
    """
    low, high = SCALE
    first_line = next(filter(None, map(str.strip, text.splitlines())), "").removesuffix("/10")
    numbers = [float(number) for number in _NUMBER.findall(first_line)]
    if len(numbers) != 1 or not low <= numbers[0] <= high:
        raise NoDecision(f"the model answered {shorten(first_line)} instead of one number from {low:g} to {high:g}")
    return numbers[0]


def listed(text: str, values: Sequence[str]) -> tuple[str, ...]:
    """Those of `values` that the first line of an answer lists, in their order; none where it says none.

    Raises:
        NoDecision: it lists something else, or nothing.
    """
    first_line = next(filter(None, map(str.strip, text.splitlines())), "")
    named = {letters(value): value for value in values}
    said = _split(first_line, named)
    if said == [_NONE] and _NONE not in named:
        return ()
    unknown = [part for part in said if part not in named]
    if unknown or not said:
        raise NoDecision(f"the model answered {shorten(first_line)} instead of values among {', '.join(values)}, or none")
    return tuple(value for key, value in named.items() if key in said)


def _split(line: str, named: dict[str, str]) -> list[str]:
    """The parts of a list; all of the line where that is one value, which may have a comma in it."""
    return [letters(line)] if letters(line) in named else [part for part in map(letters, line.split(",")) if part]
