"""How much later does the first token come by way of the proxy, and does every stream arrive whole and in order?

    python -m grice.benchmarks.gateways.proxy_latency --rounds 1 --streams 200

`grice proxy` runs as a process of its own with the shipped models, in front of a scripted server in this process. The same turns go
to the server itself and by way of the proxy, one at a time, each in a conversation that is new. They are 48 that say what is wanted
and 48 that hint at it, written for this benchmark, with 1 to 7 turns before them. Then many streams run at once, and each must say
what the server said. Ends with status 1 where one does not. Times are of the machine at that moment: compare them within a run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from grice.benchmarks.gateways.scripted_upstream import StreamScript, scripted_upstream
from grice.benchmarks.speed.servers import ADDRESS, START, ServerProcess, foreign_environment

READS_S = 0.6
"""Seconds in which the user reads a reply. The proxy scores it then, which would be counted with the next turn otherwise."""
WARM = 8
"""Turns that are asked first and not counted."""
PATH = "/v1/chat/completions"
STRAIGHT = "upstream"
"""The name of what goes to the server itself."""


@dataclass(frozen=True)
class AskedTurn:
    """A turn of the user, with what was said before it, the bot's turn first. `is_direct`: it says what it wants."""

    before: tuple[str, ...]
    text: str
    is_direct: bool


def read_turns() -> list[AskedTurn]:
    """The turns of `conversations.json`: rows of what the bot says, what the user says then, and how they would hint at it."""
    found = []
    for conversation in json.loads(Path(__file__).with_name("conversations.json").read_text(encoding="utf-8")):
        before: tuple[str, ...] = ()
        for bot, direct, indirect in conversation:
            found += [AskedTurn((*before, bot), direct, True), AskedTurn((*before, bot), indirect, False)]
            before = (*before, bot, direct)
    return found


@dataclass
class ProxyTimes:
    """What was measured.

    Attributes:
        first_ms: milliseconds to the first token: of `upstream` itself, and by way of the proxy by decision and reason, such as
            `pass/direct` and `rewrite/indirect`.
        hinted: what came of the turns that only hint, by decision and reason.
        streams: how many ran at once.
        broken: how many of them did not say what the server said.
        refusals: status and beginning of the answer of those of them that got another status than 200, or the error of a
            connection that broke, and how many got it.
    """

    first_ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    hinted: Counter[str] = field(default_factory=Counter)
    streams: int = 0
    broken: int = 0
    refusals: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """For people."""
        base = float(np.median(self.first_ms[STRAIGHT]))
        shown = []
        for name, times in sorted(self.first_ms.items()):
            p50, p95 = (float(np.percentile(times, share)) for share in (50, 95))
            added = "" if name == STRAIGHT else f", added p50 {p50 - base:.1f} ms"
            shown.append(f"{name}: first token p50 {p50:.1f} ms, p95 {p95:.1f} ms{added} (n {len(times)})")
        indirect = sum(count for name, count in self.hinted.items() if name != "pass/direct")
        late = self.hinted["pass/late"]
        share = f"{100 * late / indirect:.1f} %" if indirect else "none"
        shown.append(f"hints: {self.hinted.total()}, {indirect} taken for indirect, {late} of them late ({share})")
        refused = f"{self.streams} streams at once: {self.broken} lost or out of order, {self.refusals.total()} of them refused"
        return [*shown, refused, *(f"refused {count} times: {answer}" for answer, count in self.refusals.most_common())]


class ProxyProcess(ServerProcess):
    """`grice proxy` in front of a server."""

    def __init__(self, upstream: str, options: Sequence[str]) -> None:
        settings = {**foreign_environment(), "PYTHONUNBUFFERED": "1", "GRICE_UPSTREAM": upstream}
        super().__init__("the proxy", [sys.executable, "-c", START, "proxy", "--port", "0", *options], settings, "/grice/live")

    def find_address(self, said: str) -> str | None:
        """Where it listens."""
        found = ADDRESS.search(said)
        return found.group() if found else None


async def measure(upstream: str, proxy: str, script: StreamScript, rounds: int, streams: int) -> ProxyTimes:
    """Ask the server itself and the proxy, in turns; then the proxy for many streams at once."""
    times = ProxyTimes(streams=streams)
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=120, limits=limits, trust_env=False) as client:
        asked = read_turns()
        for turn in asked[:WARM]:  # the first of everything is not counted
            await _ask(client, proxy, turn, "warm")
        for number in range(rounds):
            for place, turn in enumerate(asked):
                for address in (upstream, proxy) if place % 4 < 2 else (proxy, upstream):
                    decision, first_s, _, _ = await _ask(client, address, turn, f"{number}")
                    times.first_ms[decision].append(1000 * first_s)
                    await asyncio.sleep(0 if decision == STRAIGHT else script.reads_s)
                    if not turn.is_direct and decision != STRAIGHT:
                        times.hinted[decision] += 1
        turns = [asked[number % len(asked)] for number in range(streams)]
        said = await asyncio.gather(*(_ask_or_lose(client, proxy, turn, f"s{number}") for number, turn in enumerate(turns)))
    times.broken = sum(text != script.text for _, _, text, _ in said)
    times.refusals.update(refusal for _, _, _, refusal in said if refusal)
    return times


async def _ask(client: httpx.AsyncClient, address: str, turn: AskedTurn, name: str) -> tuple[str, float, str, str]:
    """What was decided, seconds to the first token, all that was said, and status and beginning of a refusal, of a turn in a
    conversation of that name."""
    said = (f"This is line {name}. {turn.before[0]}", *turn.before[1:], turn.text)
    messages = [{"role": "user" if place % 2 else "assistant", "content": text} for place, text in enumerate(said)]
    reply: list[str] = []
    first, refusal = float("nan"), ""
    begin = time.perf_counter()
    async with client.stream("POST", address + PATH, json={"model": "m", "messages": messages, "stream": True}) as answer:
        if answer.status_code != 200:
            refusal = f"{answer.status_code} {(await answer.aread())[:200].decode(errors='replace')}"
        async for line in answer.aiter_lines():
            chunk = _chunk(line)
            if chunk is None:
                continue
            first = time.perf_counter() - begin if not reply else first
            reply.append(chunk)
    headers = answer.headers
    decided = f"{headers['x-grice-decision']}/{headers['x-grice-reason']}" if "x-grice-decision" in headers else STRAIGHT
    return decided, first, "".join(reply), refusal


async def _ask_or_lose(client: httpx.AsyncClient, address: str, turn: AskedTurn, name: str) -> tuple[str, float, str, str]:
    """As `_ask`; the error of a connection that breaks counts as a refusal."""
    try:
        return await _ask(client, address, turn, name)
    except httpx.TransportError as error:
        return "lost", float("nan"), "", type(error).__name__


def _chunk(line: str) -> str | None:
    data = line.removeprefix("data: ")
    if data == line or data == "[DONE]":
        return None
    chunk: Any = json.loads(data)
    return str(chunk["choices"][0]["delta"].get("content") or "")


async def run(rounds: int, streams: int, script: StreamScript, options: Sequence[str] = ()) -> ProxyTimes:
    """Start both servers and measure.

    Args:
        options: of `grice proxy`.

    Raises:
        ModelError: the proxy does not come up.
    """
    async with scripted_upstream(script) as upstream:
        process = ProxyProcess(f"{upstream}/v1", options)
        await asyncio.to_thread(process.__enter__)
        try:
            return await measure(upstream, process.address, script, rounds, streams)
        finally:
            process.__exit__(None, None, None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a stream was broken."""
    parser = argparse.ArgumentParser(description="What the proxy adds to the first token, and whether streams arrive whole.")
    parser.add_argument("--rounds", type=int, default=1, help="how often each of the 96 turns is asked")
    parser.add_argument("--streams", type=int, default=200, help="how many streams run at once")
    parser.add_argument("--chunks", type=int, default=60, help="how many parts the server says")
    parser.epilog = "What follows -- are options of grice proxy, such as --budget-ms 1000."
    parser.add_argument("options", nargs="*", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    found = asyncio.run(run(args.rounds, args.streams, StreamScript(args.chunks, reads_s=READS_S), args.options))
    print("\n".join(found.lines()))
    return int(found.broken > 0)


if __name__ == "__main__":
    sys.exit(main())
