"""A voice bot of Pipecat that understands indirect turns, typed to: no transport, no audio.

python examples/pipecat_agent.py

In production it gets ears and a voice: [transport.input(), stt, pair.user(), GriceProcessor(check), llm, tts, transport.output(),
pair.assistant()].
"""

from __future__ import annotations

import asyncio

from pipecat.frames.frames import EndFrame, LLMContextAssistantTurnFrame, LLMMessagesAppendFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.workers.runner import WorkerRunner
from scripted.pipecat import ScriptedModel

from grice.integrations import ConversationCheck, ScoredReply
from grice.integrations.pipecat import GriceObserver, GriceProcessor

TURNS = ("I am looking for a place to eat.", "I am on a tight budget.")


async def talk(check: ConversationCheck) -> None:
    """Hold a conversation of two turns."""
    model = ScriptedModel("What price range would you like?", "Then try the Copper Kettle.")
    pair = LLMContextAggregatorPair(LLMContext([{"role": "system", "content": "You find restaurants."}]))
    bot = PipelineWorker(Pipeline([pair.user(), GriceProcessor(check), model, pair.assistant()]), observers=[GriceObserver(check)])
    replied = asyncio.Event()
    bot.set_reached_downstream_filter((LLMContextAssistantTurnFrame,))

    @bot.event_handler("on_frame_reached_downstream")
    async def note(_: object, frame: LLMContextAssistantTurnFrame) -> None:
        print("read: ", model.read[-1][-1])
        print("agent:", frame.text)
        replied.set()

    async def type_turns() -> None:
        for turn in TURNS:
            replied.clear()
            print("user: ", turn)
            await bot.queue_frame(LLMMessagesAppendFrame(messages=[{"role": "user", "content": turn}], run_llm=True))
            await replied.wait()
        await bot.queue_frame(EndFrame())

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(bot)
    await asyncio.gather(runner.run(), type_turns())


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
