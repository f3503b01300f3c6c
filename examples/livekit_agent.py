"""A voice agent of LiveKit that understands indirect turns, typed to: no room, no audio.

python examples/livekit_agent.py

In production it gets ears and a voice: `AgentSession(stt=…, llm=…, tts=…, vad=…)`, started in a room.
"""

from __future__ import annotations

import asyncio

from livekit.agents import AgentSession
from scripted.livekit import ScriptedModel

from grice.integrations import ConversationCheck, ScoredReply
from grice.integrations.livekit import GriceAgent, score_replies

TURNS = ("I am looking for a place to eat.", "I am on a tight budget.")


class Concierge(GriceAgent):
    """Finds restaurants."""

    def __init__(self, check: ConversationCheck) -> None:
        super().__init__(check=check, instructions="You find restaurants.")


async def talk(check: ConversationCheck) -> None:
    """Hold a conversation of two turns."""
    model = ScriptedModel("What price range would you like?", "Then try the Copper Kettle.")
    async with AgentSession(llm=model) as session:
        score_replies(session, check)
        await session.start(Concierge(check))
        for turn in TURNS:
            await session.run(user_input=turn)
            print("user: ", turn)
            print("read: ", model.read[-1][-1])
            print("agent:", session.history.items[-1].text_content)


def show(scored: ScoredReply) -> None:
    """Print what a reply does."""
    print("shows:", scored.dialogue.last.text, list(scored.report.shown))


def main(check: ConversationCheck | None = None) -> None:
    """Talk, then wait for the scores."""
    chosen = check or ConversationCheck.load(tell=show)
    asyncio.run(talk(chosen))
    chosen.finish()


if __name__ == "__main__":
    main()
