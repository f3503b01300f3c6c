"""What the judge decided, read from its answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grice.middleware.llm.reply import Reply

_THOUGHT = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)
"""Some models think aloud in front of their answer; what they consider there is no decision."""
_HEADER = re.compile(r"^(?:[^\w\n]|_)*decision(?:[^\w\n:]|_)*:(?P<value>.*)$", re.IGNORECASE | re.MULTILINE)
_REASONING = re.compile(r"^[\W_]*reasoning[\W_]*:[\W_]*", re.IGNORECASE)


@dataclass(frozen=True)
class JudgeDecision:
    """A decision.

    Attributes:
        shown: whether the judge says that the response shows the behaviour; None where it did not decide.
        reasoning: what it said before.
        unscored: why there is no decision; empty where there is one.
    """

    shown: bool | None
    reasoning: str = ""
    unscored: str = ""


def read_decision(reply: Reply) -> JudgeDecision:
    """The decision of the line that begins with `Decision:`. Case, brackets and markup around its value do not matter.

    Only the single word yes or no decides, in every such line the same: a judge that first repeats what was said and then decides
    otherwise has not decided. Finch, Paek & Choi 2023 (section 5) count any other word as negative; here it is no decision, for a
    "no" can take an alarm away. Neither is a line that the limit of tokens cut, or one in an answer that was cut after it.
    """
    text = _THOUGHT.sub("", reply.text)
    headers = list(_HEADER.finditer(text))
    reasoning = _REASONING.sub("", (text[: headers[-1].start()] if headers else text).strip()).strip()
    if reply.refused:
        return JudgeDecision(None, reasoning, "the judge refused to answer")
    if not text.strip():
        return JudgeDecision(None, "", f"the judge gave no answer{_ended(reply)}")
    values = [" ".join(re.findall(r"[^\W_]+", header["value"].lower())) for header in headers]
    if not values or not values[-1]:
        return JudgeDecision(None, reasoning, f"the judge's answer has no decision{_ended(reply)}")
    if reply.finish_reason == "length":
        return JudgeDecision(None, reasoning, f"the judge's decision is cut{_ended(reply)}")
    if set(values) >= {"yes", "no"} or values[-1] in ("yes or no", "no or yes", "yes no", "no yes"):
        return JudgeDecision(None, reasoning, "the judge's decision is both yes and no")
    if values[-1] not in ("yes", "no"):
        return JudgeDecision(None, reasoning, "the judge's decision is neither yes nor no")
    return JudgeDecision(values[-1] == "yes", reasoning)


def _ended(reply: Reply) -> str:
    return "; it was cut by the limit of tokens" if reply.finish_reason == "length" else ""
