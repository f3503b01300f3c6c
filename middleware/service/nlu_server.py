"""The plain Rasa NLU server behind the service."""

from __future__ import annotations

from typing import Any

import httpx

from grice.models.errors import NluError, NluLate, shorten

KEEPALIVE_S = 2.0
"""Less than the 5 seconds after which Rasa's server closes an idle connection, so that no request meets a closing one."""


class NluServer:
    """Asks `POST URL/model/parse`. Making one does not connect.

    Args:
        url: where `rasa run --enable-api` listens.
        token: its `--auth-token`; Rasa's server takes it as a parameter of the URL only.
        timeout_s: how long an answer may take, connecting included.
    """

    def __init__(self, url: str, token: str = "", timeout_s: float = 3.0) -> None:
        self.timeout_s = timeout_s
        self._client = httpx.AsyncClient(
            base_url=url.rstrip("/"),
            params={"token": token} if token else {},
            timeout=timeout_s,
            limits=httpx.Limits(keepalive_expiry=KEEPALIVE_S),
            trust_env=False,
        )

    async def parse(self, text: str, message_id: str | None) -> dict[str, Any]:
        """The parse data of `text`: at least an intent and entities.

        Raises:
            NluLate: no answer in time.
            NluError: no connection, a status other than 200, or an answer that is not parse data.
        """
        body = {"text": text} if message_id is None else {"text": text, "message_id": message_id}
        try:
            response = await self._client.post("/model/parse", json=body)
        except httpx.TimeoutException:
            raise NluLate(
                f"the NLU server did not answer within {round(self.timeout_s * 1000)} ms (setting nlu_timeout_ms)"
            ) from None
        except httpx.HTTPError as error:
            raise NluError(
                f"the NLU server cannot be reached: {type(error).__name__}; is nlu_url right, and does it run?"
            ) from None
        if response.status_code != 200:
            hint = "; is nlu_token its --auth-token?" if response.status_code in (401, 403) else ""
            raise NluError(f"the NLU server answered {response.status_code}{hint}")
        return _parse_data(response)

    async def close(self) -> None:
        """Give connections back."""
        await self._client.aclose()


def _parse_data(response: httpx.Response) -> dict[str, Any]:
    try:
        parsed = response.json()
    except ValueError:
        raise NluError("the NLU server answered something that is not JSON") from None
    if not isinstance(parsed, dict) or not isinstance(parsed.get("intent"), dict) or not isinstance(parsed.get("entities"), list):
        keys = ", ".join(map(str, parsed)) if isinstance(parsed, dict) else type(parsed).__name__
        raise NluError(f"the NLU server answered {shorten(keys)} instead of an object with intent and entities")
    return parsed
