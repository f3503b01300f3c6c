"""An agent of LangChain that understands indirect turns.

python examples/langchain_agent.py                          # a scripted model
MODEL=openai:gpt-4o-mini python examples/langchain_agent.py   # with `pip install langchain-openai`
"""

from __future__ import annotations

import os
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.messages import AIMessage
from scripted.langchain import ScriptedModel

from grice.integrations import ConversationCheck
from grice.integrations.langchain import GriceMiddleware

TURNS = ("I am looking for a place to eat.", "I am on a tight budget.")


def main(check: ConversationCheck | None = None) -> None:
    """Hold a conversation of two turns."""
    replies = [AIMessage("What price range would you like?"), AIMessage("Then try the Copper Kettle.")]
    model: Any = init_chat_model(os.environ["MODEL"]) if "MODEL" in os.environ else ScriptedModel(replies=replies)
    agent = create_agent(model, [], middleware=[GriceMiddleware(check)])
    state: Any = {"messages": []}
    for turn in TURNS:
        state = agent.invoke({"messages": [*state["messages"], {"role": "user", "content": turn}]})
        print("user: ", turn)
        if isinstance(model, ScriptedModel):
            print("read: ", model.read[-1][-1])
        print("agent:", state["messages"][-1].text, "shows", state["grice"].get("shown"))


if __name__ == "__main__":
    main()
