r"""A service of your own that streams a language model's replies, with Grice before and after the model.

OPENAI_BASE_URL=… OPENAI_API_KEY=… python examples/fastapi_streaming.py
curl -N http://127.0.0.1:8000/chat -H 'content-type: application/json' \
  -d '{"messages": [{"role": "user", "content": "It is cold in here."}]}'
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from fastapi import Body, FastAPI
from fastapi.responses import StreamingResponse
from openai import AsyncOpenAI

from grice.integrations import ConversationCheck, ScoredReply, read_anew


def create_app(check: ConversationCheck) -> FastAPI:
    """The service: `POST /chat` with the conversation so far streams the next reply as text."""
    app, model = FastAPI(), AsyncOpenAI()

    @app.post("/chat")
    async def chat(messages: list[dict[str, Any]] = Body(embed=True)) -> StreamingResponse:  # noqa: B008
        found = await check.acheck_turn(messages)
        anew = [
            {**row, "content": read_anew(row, found.rewrites.get(place), check.policy.mode)} for place, row in enumerate(messages)
        ]
        return StreamingResponse(stream(messages, anew), media_type="text/plain")

    async def stream(messages: list[dict[str, Any]], anew: Any) -> AsyncIterator[str]:
        reply = ""
        name = os.environ.get("MODEL", "gpt-4o-mini")
        async for chunk in await model.chat.completions.create(model=name, messages=anew, stream=True):
            text = (chunk.choices[0].delta.content or "") if chunk.choices else ""
            reply += text
            yield text
        check.check_reply_later(messages, reply)  # the reply is out

    return app


def show(scored: ScoredReply) -> None:
    """Print what a reply does."""
    print("shows:", scored.dialogue.last.text, list(scored.report.shown), flush=True)


if __name__ == "__main__":
    uvicorn.run(create_app(ConversationCheck.load(tell=show)), port=8000)
