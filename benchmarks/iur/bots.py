"""Bots whose NLU is tested: a running server, or a trained model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grice.benchmarks.rasa.host import RasaHost
from grice.middleware.runtime.base_url import check_base_url
from grice.middleware.runtime.progress import Progress
from grice.models.errors import NluError

if TYPE_CHECKING:
    from grice.middleware.service.nlu_server import NluServer

Parse = Mapping[str, Any]
Bot = Callable[[Sequence[str]], list[Parse | NluError]]
"""Parse data of each text, in order, or why there is none."""

TOGETHER = 4
"""Texts that a server is asked about side by side."""
TIMEOUT_S = 30.0


def server_bot(url: str, token: str = "", progress: Progress | None = None) -> Bot:
    """A Rasa server: `rasa run --enable-api`, or anything that answers `POST URL/model/parse` as it does.

    Args:
        url: its base URL, with or without `/model/parse`.
        token: its `--auth-token`.

    Raises:
        SettingsError: that is no URL.
        MissingExtra: what the client needs is not installed.
    """
    from grice.middleware.service.nlu_server import NluServer  # wanted only by those who ask a server

    base = url.rstrip("/").removesuffix("/model/parse")
    check_base_url("nlu_url", base)
    return lambda texts: asyncio.run(_parsed(NluServer(base, token, TIMEOUT_S), texts, progress))


async def _parsed(server: NluServer, texts: Sequence[str], progress: Progress | None) -> list[Parse | NluError]:
    gate, done = asyncio.Semaphore(TOGETHER), 0

    async def ask(text: str) -> Parse | NluError:
        nonlocal done
        async with gate:
            try:
                return await server.parse(text, None)
            except NluError as error:
                return error
            finally:
                done += 1
                if progress:
                    progress(done, len(texts))

    try:
        return list(await asyncio.gather(*map(ask, texts)))
    finally:
        await server.close()


def model_bot(model: Path, python: Path, work: Path) -> Bot:
    """A trained Rasa model, run by the Python of an environment with Rasa and grice."""

    def parse(texts: Sequence[str]) -> list[Parse | NluError]:
        return list(RasaHost(python, work).parse(model.absolute(), [{"text": text} for text in texts]))

    return parse
