"""The way to one receiver of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from grice.middleware.runtime.outbox import Attempt
from grice.middleware.sinks.score import Score

Post = Callable[[str, Any], "PostAnswer"]
"""Posts JSON to a path below the target's URL."""


class PostAnswer(Protocol):
    """What came back of a post: the try as it stands, and the body where there was one."""

    @property
    def attempt(self) -> Attempt: ...

    @property
    def body(self) -> Any: ...


class Receiver(Protocol):
    """Writes scores as its receiver has them, and sends a batch of them.

    Attributes:
        most: scores that go into one batch.
    """

    most: ClassVar[int]

    @property
    def headers(self) -> Mapping[str, str]:
        """Those that let us in."""
        ...

    def places(self, score: Score) -> bool:
        """Whether the receiver has a place for it: it needs a span, or a dialogue."""
        ...

    def send(self, scores: Sequence[Score], post: Post) -> Attempt:
        """Send them; what became of it. May be called again with the same ones."""
        ...
