"""A large language model behind OpenAI's batch API: many requests in one file, answered within a day, at a lower price."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from grice.middleware.llm.batch_notes import BatchNotes, Note
from grice.middleware.llm.chat_settings import ChatRequest, ChatSettings, name_of, request_of
from grice.middleware.llm.connection import client_of, openai
from grice.middleware.llm.reply import Message, Reply, reply_of
from grice.middleware.llm.reply_cache import ReplyCache
from grice.models.errors import GriceError, JudgeError

if TYPE_CHECKING:
    from openai.types import Batch

log = logging.getLogger(__name__)

POLL_S = 20.0
RETRIES = 6
"""Of requests that cost nothing; the SDK waits between them. The one that makes a batch is never repeated."""
LARGEST_BATCH = 50_000
LARGEST_FILE = 150_000_000
"""OpenAI takes 50,000 requests and 200 MB a batch."""
ENDPOINT: Final = "/v1/chat/completions"
OPEN = ("validating", "in_progress", "finalizing", "cancelling")


class BatchModel:
    """Asks a model through the batch API. Not for several threads.

    Replies go into the cache. What is under way is noted beside it until it has come: after an interruption it is waited for, not
    paid again.

    Args:
        settings: which model, where, and how; those about time and workers do not matter here.
        cache: where replies are remembered.

    Raises:
        MissingExtra: openai is not installed (when this module is imported).
    """

    def __init__(self, settings: ChatSettings, cache: ReplyCache) -> None:
        self.settings = settings
        self._cache = cache
        self._client = client_of(settings)
        self._patient = self._client.with_options(max_retries=RETRIES)
        self._notes = BatchNotes(cache.path, settings.url)

    def remembered(self, messages: Sequence[Message]) -> Reply | None:
        """The reply, if it is in the cache."""
        found = self._cache.read(name_of(self.settings, request_of(self.settings, messages)))
        return None if found is None else self.settings.priced(found)

    def complete_all(
        self, conversations: Sequence[Sequence[Message]], say: Callable[[str], None] = log.info
    ) -> list[Reply | GriceError]:
        """The replies, in order, with the error in the place of one that failed. Waits until all batches have ended.

        Args:
            conversations: what is asked.
            say: is told how far the batches are.

        Raises:
            JudgeError: the batch API cannot be reached, or refused.
        """
        requests = [request_of(self.settings, messages) for messages in conversations]
        names = [name_of(self.settings, request) for request in requests]
        found: dict[str, Reply | GriceError] = {}
        try:
            for note in self._notes.read():
                found.update(self._collected(note, say))
            missing = {name: request for name, request in zip(names, requests, strict=True) if name not in found}
            for note in [self._submitted(body) for body in _files(missing)]:
                found.update(self._collected(note, say))
        except openai.OpenAIError as error:
            status = getattr(error, "status_code", None)
            why = f"answered {status}" if status else f"cannot be reached ({type(error).__name__})"
            raise JudgeError(
                f"the batch API {why}; what is under way is noted in {self._notes.folder}, run again to go on"
            ) from None
        absent = JudgeError("the batch ended without an answer")
        return [found.get(name, absent) for name in names]

    def close(self) -> None:
        """Give connections back."""
        self._client.close()

    def _submitted(self, body: bytes) -> Note:
        """A new batch. Its file is noted before there is a batch, which costs, so that none is ever lost."""
        file = self._patient.files.create(file=("requests.jsonl", body), purpose="batch")
        note = self._notes.write(Note(hashlib.sha256(body).hexdigest(), file.id))
        batch = self._client.batches.create(input_file_id=file.id, endpoint=ENDPOINT, completion_window="24h")
        return self._notes.write(Note(note.name, file.id, batch.id))

    def _collected(self, note: Note, say: Callable[[str], None]) -> dict[str, Reply | GriceError]:
        """What came of a batch, by the names of its requests, once it has ended."""
        batch = self._ended(note, say)
        found: dict[str, Reply | GriceError] = {}
        for file_id in (batch.output_file_id, batch.error_file_id) if batch else ():
            for name, reply in self._replies(file_id) if file_id else ():
                found[name] = reply
                if isinstance(reply, Reply) and reply.text:  # an empty answer may be a mishap: it is asked for again
                    self._cache.write(name, reply)
        self._notes.remove(note)
        if batch and batch.status == "failed":
            raise JudgeError(f"batch {batch.id} was refused ({_codes(batch)})")
        return found

    def _ended(self, note: Note, say: Callable[[str], None]) -> Batch | None:
        """The batch once it has ended; None where the server has none, so that nothing is paid for."""
        batches = self._patient.batches
        batch_id = note.batch_id or next((batch.id for batch in batches.list() if batch.input_file_id == note.file_id), None)
        while batch_id is not None:
            try:
                batch = batches.retrieve(batch_id)
            except openai.NotFoundError:
                log.warning("the server knows no batch %s: its questions are asked again", batch_id)
                return None
            if batch.status not in OPEN:
                return batch
            counts = batch.request_counts
            say(f"batch {batch_id} {batch.status}" + (f", {counts.completed} of {counts.total}" if counts else ""))
            time.sleep(POLL_S)
        return None

    def _replies(self, file_id: str) -> Iterator[tuple[str, Reply | GriceError]]:
        for line in self._patient.files.content(file_id).content.splitlines():
            try:
                entry = json.loads(line)
                name, response = str(entry["custom_id"]), entry.get("response") or {}
                status = int(response.get("status_code") or 0)
            except (ValueError, TypeError, KeyError, AttributeError):
                log.warning("a line of batch file %s is no answer", file_id)
                continue
            yield name, self._reply(status, response.get("body"))

    def _reply(self, status: int, body: Any) -> Reply | GriceError:
        if status != 200:
            return JudgeError(f"the server answered {status or 'nothing'} in the batch")
        try:
            return self.settings.priced(reply_of(json.dumps(body).encode()))
        except JudgeError as error:
            return error


def _files(requests: dict[str, ChatRequest]) -> Iterator[bytes]:
    """Files of requests, within the limits of a batch."""
    lines: list[bytes] = []
    size = 0
    for name, request in requests.items():
        line = json.dumps({"custom_id": name, "method": "POST", "url": ENDPOINT, "body": request}).encode() + b"\n"
        if lines and (len(lines) == LARGEST_BATCH or size + len(line) > LARGEST_FILE):
            yield b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield b"".join(lines)


def _codes(batch: Batch) -> str:
    errors = (batch.errors and batch.errors.data) or []
    return ", ".join(sorted({str(error.code) for error in errors})) or "no reason given"
