"""The connection to an OpenAI-compatible server: one request, one answer, no retries of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from grice.middleware.llm.chat_settings import ChatSettings
from grice.middleware.runtime.backoff import retry_after_s
from grice.middleware.runtime.deadline import Deadline
from grice.models.errors import JudgeError, MissingExtra

try:
    import openai
except ImportError as error:
    raise MissingExtra("openai", "llm") from error


LARGEST_ANSWER = 10_000_000
PROBE_S = 2.0
_ARGUMENTS = ("model", "messages")
_BUSY = (408, 429)
_FINAL = "insufficient_quota"
"""OpenAI answers 429 with this code when the account is empty: waiting does not help."""
_IDENTIFIER = re.compile(r"[\w.-]{1,60}", re.ASCII)


@dataclass(frozen=True)
class Unanswered:
    """Why there is no answer.

    Attributes:
        why: in words. Of what the server wrote it holds identifiers alone: a message may quote the conversation or the key.
        again: asking again may help.
        after_s: seconds that the server wants to be left alone first; 0 where it does not say.
        late: the time was up.
    """

    why: str
    again: bool
    after_s: float = 0.0
    late: bool = False


class Connection:
    """Asks one server. All methods may be called from any thread.

    Raises:
        MissingExtra: openai is not installed (when this module is imported).
    """

    def __init__(self, settings: ChatSettings) -> None:
        self._client = client_of(settings)

    def ask(self, request: dict[str, Any], timeout_s: float) -> bytes | Unanswered:
        """The body of the answer to `request`, within `timeout_s` seconds in all.

        The answer is read piece by piece, because a server that keeps the connection alive with blanks is never late for the SDK.

        Raises:
            JudgeError: the answer is too large.
        """
        deadline = Deadline(timeout_s)
        body = bytearray()
        more = {name: value for name, value in request.items() if name not in _ARGUMENTS}  # the SDK does not know all of them
        asked = {name: request[name] for name in _ARGUMENTS}
        try:
            with self._client.chat.completions.with_streaming_response.create(
                **asked, extra_body=more, timeout=timeout_s
            ) as response:
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > LARGEST_ANSWER:
                        raise JudgeError(f"the server answered more than {LARGEST_ANSWER} bytes")
                    if deadline.is_over:
                        return _late(timeout_s)
        except JudgeError:
            raise
        except openai.APIStatusError as error:
            return _refused(error)
        except openai.APITimeoutError:
            return _late(timeout_s)
        except Exception as error:  # noqa: BLE001 - one bad request; reading raises what the SDK's HTTP library raises
            if deadline.is_over:
                return _late(timeout_s)
            return Unanswered(f"the connection failed ({type(error.__cause__ or error).__name__})", again=True)
        return bytes(body)

    def answers(self) -> bool:
        """Whether the server can be reached and is not failing; asks for its list of models, which costs nothing."""
        try:
            self._client.with_options(timeout=PROBE_S).models.list()
        except openai.APIStatusError as error:
            return error.status_code < 500 and error.status_code not in _BUSY
        except Exception:  # noqa: BLE001 - a probe must not fail; an answer that the SDK cannot read is none
            return False
        return True

    def close(self) -> None:
        """Give connections back."""
        self._client.close()


def _late(timeout_s: float) -> Unanswered:
    return Unanswered(f"the server did not answer within {timeout_s:.3g} s", again=True, late=True)


def _refused(error: openai.APIStatusError) -> Unanswered:
    status = error.status_code
    words = [str(word) for word in (error.code, error.type, error.param) if word and _IDENTIFIER.fullmatch(str(word))]
    named = f"{status} ({', '.join(words)})" if words else str(status)
    again = (status >= 500 or status in _BUSY) and error.code != _FINAL
    return Unanswered(f"the server answered {named}", again, retry_after_s(error.response.headers.get("retry-after", "")))


__all__ = ["client_of", "openai"]


def client_of(settings: ChatSettings) -> openai.OpenAI:
    """The client of a server; it asks once, unless its options are changed."""
    key = settings.api_key or "none"  # the SDK insists on one; servers that need none ignore it
    return openai.OpenAI(api_key=key, base_url=settings.url, max_retries=0)
