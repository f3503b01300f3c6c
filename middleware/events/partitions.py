"""One logical stream of events as several Redis streams, so that several workers share it and each dialogue stays in order."""

from __future__ import annotations

import zlib
from collections.abc import Sequence


def stream_keys(stream: str, partitions: int) -> Sequence[str]:
    """The keys of all partitions: the stream's own name where there is one, `STREAM:0`, `STREAM:1`, … where there are more."""
    return [stream] if partitions == 1 else [f"{stream}:{number}" for number in range(partitions)]


def stream_key(stream: str, dialogue_id: str, partitions: int) -> str:
    """The key of the partition that holds a dialogue: by the CRC-32 of its id in UTF-8, modulo the number of partitions."""
    return stream_keys(stream, partitions)[zlib.crc32(dialogue_id.encode()) % partitions]
