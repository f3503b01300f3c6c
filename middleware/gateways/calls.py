"""Conversations of calls whose reply comes later and alone: kept in the dialogue store under the name of the call."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool

from grice.middleware.service.engine import Engine
from grice.middleware.stores.dialogue_id import dialogue_id_of
from grice.models.dialogue import Turn
from grice.models.errors import StoreError

KEPT_S = 900.0
"""How long the reply of a call may take."""


async def remember_call(engine: Engine, call_id: str, turns: Sequence[Turn]) -> None:
    """Keep what was said before the reply of a call; a call that is tried again is kept once.

    Raises:
        StoreError: the store cannot be used.
    """

    def keep() -> None:
        name = _name(call_id)
        if engine.store.append(name, turns, once="request"):
            engine.store.expire(name, KEPT_S)

    if call_id and turns:
        await run_in_threadpool(keep)


async def recall_call(engine: Engine, call_id: str) -> tuple[Turn, ...]:
    """What was said before the reply of a call; nothing where it is not known."""
    try:
        return await run_in_threadpool(engine.store.read, _name(call_id)) if call_id else ()
    except StoreError:
        return ()


async def is_first(engine: Engine, call_id: str, what: str) -> bool:
    """Whether this is told of a call for the first time: a stream is shown again and again. True where nobody can know."""

    def mark() -> bool:
        name = f"{_name(call_id)}.seen"
        new = engine.store.append(name, [Turn("bot", what)], once=what)
        engine.store.expire(name, KEPT_S)
        return new

    try:
        return await run_in_threadpool(mark) if call_id else True
    except StoreError:
        return True


def _name(call_id: str) -> str:
    return dialogue_id_of(f"litellm.{call_id}"[:190])
