"""LiveKit Agents: an agent, and a listener of its session. Needs livekit-agents: `pip install 'grice[livekit]'`.

    class Concierge(GriceAgent): ...          # in place of livekit.agents.Agent

    agent = Concierge(check=check, instructions="You find restaurants.")
    session = AgentSession(…)
    score_replies(session, check)

The language model reads the user's turns said anew, typed ones too; the chat context keeps what was said. A realtime model hears
the user itself, so nothing can be said anew for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from grice.integrations.conversation_check import ConversationCheck, read_anew
from grice.middleware.gateways.rows import Row
from grice.models.errors import MissingExtra

try:
    from livekit.agents import Agent, AgentSession, ConversationItemAddedEvent, ModelSettings, StopResponse
    from livekit.agents.llm import ChatContext, ChatMessage, Tool
except ImportError as error:
    raise MissingExtra("livekit-agents", "livekit") from error


class GriceAgent(Agent):
    """An agent whose model reads the user's turns said anew.

    Where the check's policy says `clarify`, a spoken turn that cannot be said anew is answered with a question, without the model.

    Args:
        check: what looks at turns; its budget is added to the time to the first word, so keep it small.
        options: as of `Agent`.
    """

    def __init__(self, *, check: ConversationCheck, **options: Any) -> None:
        super().__init__(**options)
        self.check = check

    async def on_user_turn_completed(self, turn_ctx: ChatContext, new_message: ChatMessage) -> None:
        """Ask the user back, or leave it to `llm_node` to say the turn anew, which finds it looked at.

        Raises:
            StopResponse: the user is asked back.
        """
        found = await self.check.acheck_turn(rows_of([*turn_ctx.items, new_message]))
        if not found.question:
            await super().on_user_turn_completed(turn_ctx, new_message)
            return
        history = self.chat_ctx.copy()
        history.insert(new_message)  # LiveKit forgets a turn that is not answered
        await self.update_chat_ctx(history)
        self.session.history.insert(new_message)
        self.session.say(found.question)
        raise StopResponse

    async def llm_node(self, chat_ctx: ChatContext, tools: list[Tool], model_settings: ModelSettings) -> Any:
        """The model's answer to the conversation, in which the user's turns are said anew."""
        found = await self.check.acheck_turn(rows_of(chat_ctx.items))
        answer = super().llm_node(self._anew(chat_ctx, found.rewrites), tools, model_settings)
        return await answer if inspect.isawaitable(answer) else answer

    def _anew(self, chat_ctx: ChatContext, rewrites: Any) -> ChatContext:
        if not rewrites:
            return chat_ctx
        items, rows = list(chat_ctx.items), rows_of(chat_ctx.items)
        for place, rewrite in rewrites.items():
            content = items[place].content
            texts = [number for number, part in enumerate(content) if isinstance(part, str)]
            anew = read_anew(rows[place], rewrite, self.check.policy.mode)[len(texts) - 1]["text"]
            items[place] = items[place].model_copy(update={"content": [*content[: texts[-1]], anew, *content[texts[-1] + 1 :]]})
        return ChatContext(items)


def score_replies(session: AgentSession[Any], check: ConversationCheck) -> None:
    """Score what the agent says, after it was said; a reply that the user interrupted is left out. `check.tell` hears of it."""

    def listen(event: ConversationItemAddedEvent) -> None:
        item = event.item
        if isinstance(item, ChatMessage) and item.role == "assistant" and not item.interrupted:
            before = [each for each in session.history.items if each.id != item.id]
            check.check_reply_later(rows_of(before), item.text_content or "")

    session.on("conversation_item_added", listen)


def rows_of(items: Sequence[Any]) -> list[Row]:
    """LiveKit's items as rows, one each; calls of tools say nothing."""
    return [_row(each) for each in items]


def _row(item: Any) -> Row:
    if not isinstance(item, ChatMessage):
        return {"role": "tool", "content": None}
    parts = [{"type": "text", "text": part} for part in item.content if isinstance(part, str)]
    return {"role": item.role, "content": parts}
