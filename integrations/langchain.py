"""LangChain 1.x: a middleware for `create_agent`. Needs langchain: `pip install 'grice[langchain]'`.

    agent = create_agent(model, tools, middleware=[GriceMiddleware()])

The model reads the user's turns said anew; the agent's state, and what a checkpointer stores, keep the user's own words.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from grice.integrations.conversation_check import CheckedTurn, ConversationCheck, ScoredReply, read_anew
from grice.middleware.gateways.rows import Row
from grice.models.errors import MissingExtra

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
    from langchain.agents.middleware.types import ModelCallResult, ModelRequest, ModelResponse, OmitFromInput
    from langchain_core.messages import AIMessage, AnyMessage
except ImportError as error:
    raise MissingExtra("langchain", "langchain") from error

ROLE_OF = {"human": "user", "ai": "assistant"}
"""LangChain's types of messages whose text somebody said."""


class GriceState(AgentState[Any]):
    """The agent's state, with what Grice found.

    Attributes:
        grice: `directness`, `decision`, `reason` and `rewrite` of the last user turn, and of the reply to it `shown` and
            `probabilities`.
    """

    grice: Annotated[dict[str, Any], OmitFromInput]


class GriceMiddleware(AgentMiddleware[GriceState, Any, Any]):
    """Says indirect turns anew for the model, and scores the agent's replies into `state["grice"]`.

    Where the check's policy says `clarify`, the agent answers with a question, without a call of the model, if one is to be asked.

    Args:
        check: what looks at turns and replies; default: the shipped models, in this process.

    Raises:
        GriceError: a model cannot be loaded.
    """

    state_schema = GriceState

    def __init__(self, check: ConversationCheck | None = None) -> None:
        super().__init__()
        self.check = check or ConversationCheck.load()

    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: GriceState, runtime: Any) -> dict[str, Any] | None:
        return _before(self.check.check_turn(rows_of(state["messages"])))

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: GriceState, runtime: Any) -> dict[str, Any] | None:
        return _before(await self.check.acheck_turn(rows_of(state["messages"])))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelCallResult[Any]:
        return handler(self._anew(request, self.check.check_turn(rows_of(request.messages))))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelCallResult[Any]:
        return await handler(self._anew(request, await self.check.acheck_turn(rows_of(request.messages))))

    def after_agent(self, state: GriceState, runtime: Any) -> dict[str, Any] | None:
        rows = rows_of(state["messages"])
        return _after(state, self.check.check_reply(rows[:-1], state["messages"][-1].text) if _is_answered(rows) else None)

    async def aafter_agent(self, state: GriceState, runtime: Any) -> dict[str, Any] | None:
        rows = rows_of(state["messages"])
        reply = state["messages"][-1].text if rows else ""
        return _after(state, await self.check.acheck_reply(rows[:-1], reply) if _is_answered(rows) else None)

    def _anew(self, request: ModelRequest[Any], found: CheckedTurn) -> ModelRequest[Any]:
        if not found.rewrites:
            return request
        rows, messages = rows_of(request.messages), list(request.messages)
        for place, rewrite in found.rewrites.items():
            content = read_anew(rows[place], rewrite, self.check.policy.mode)
            messages[place] = messages[place].model_copy(update={"content": content})
        return request.override(messages=messages)


def rows_of(messages: Sequence[AnyMessage]) -> list[Row]:
    """LangChain's messages as rows, one each."""
    return [{"role": ROLE_OF.get(each.type, "tool"), "content": each.content} for each in messages]


def _is_answered(rows: Sequence[Row]) -> bool:
    return bool(rows) and rows[-1]["role"] == "assistant"


def _before(found: CheckedTurn) -> dict[str, Any]:
    record: dict[str, Any] = {}
    if found.analysis is not None:
        analysis = found.analysis
        record = {
            "decision": analysis.decision,
            "reason": analysis.reason,
            "directness": None if analysis.directness is None else analysis.directness.score,
            "rewrite": analysis.rewrite.text if analysis.decision == "rewrite" and analysis.rewrite is not None else None,
        }
    if found.question:
        return {"grice": record, "messages": [AIMessage(found.question)], "jump_to": "end"}
    return {"grice": record}


def _after(state: GriceState, found: ScoredReply | None) -> dict[str, Any] | None:
    if found is None or found.report.behaviors is None:
        return None
    scores = {"shown": list(found.report.shown), "probabilities": dict(found.report.behaviors.probabilities)}
    return {"grice": {**state.get("grice", {}), **scores}}
