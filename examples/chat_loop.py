"""A chat by way of Grice's proxy: only the address is another than without it.

grice proxy --upstream https://api.openai.com/v1 &
OPENAI_BASE_URL=http://127.0.0.1:8301/v1 OPENAI_API_KEY=… python examples/chat_loop.py
"""

from __future__ import annotations

import os
import sys
from typing import Any

from openai import OpenAI


def main() -> None:
    """Read turns from standard input, a line each, and stream the replies."""
    client = OpenAI()
    messages: list[Any] = []
    for line in sys.stdin:
        messages.append({"role": "user", "content": line.strip()})
        model = os.environ.get("MODEL", "gpt-4o-mini")
        answer = client.chat.completions.with_raw_response.create(model=model, messages=messages, stream=True)
        print(f"[{answer.headers.get('x-grice-decision')}] ", end="")
        reply = ""
        for chunk in answer.parse():
            text = (chunk.choices[0].delta.content or "") if chunk.choices else ""
            print(text, end="", flush=True)
            reply += text
        print()
        messages.append({"role": "assistant", "content": reply})


if __name__ == "__main__":
    main()
