"""The signature of a webhook's body: a receiver knows that it came from somebody who has the secret, and when."""

from __future__ import annotations

import hashlib
import hmac
import time

from grice.models.errors import InputError

HEADER = "Grice-Signature"
TOLERANCE_S = 300.0


def sign(secret: str, body: bytes, now: float) -> str:
    """The header's value: `t=TIME,v1=HEX`, where HEX is HMAC-SHA256 of `TIME.BODY` with the secret. `now` in Unix seconds."""
    moment = str(int(now))
    return f"t={moment},v1={_digest(secret, moment, body)}"


def verify(secret: str, header: str, body: bytes, tolerance_s: float = TOLERANCE_S, now: float | None = None) -> None:
    """Return if the body was signed with the secret, at most `tolerance_s` ago. For receivers; takes constant time.

    Args:
        secret: shared with the sender.
        header: the value of `Grice-Signature`.
        body: the bytes as they came, before any parsing.
        tolerance_s: how far the sender's clock may be from ours, delivery included, in seconds.
        now: Unix seconds; None: the present.

    Raises:
        InputError: it was not, or was long ago; do not trust the body.
    """
    parts = dict(part.split("=", 1) for part in header.split(",") if "=" in part)
    moment, digest = parts.get("t", ""), parts.get("v1", "")
    if not hmac.compare_digest(_digest(secret, moment, body).encode(), digest.encode()):
        raise InputError(HEADER, "a signature that does not fit", "t=TIME,v1=HMAC-SHA256 of TIME.BODY with the shared secret")
    age_s = (time.time() if now is None else now) - int(moment)
    if abs(age_s) > tolerance_s:
        raise InputError(HEADER, f"a signature of {age_s:.0f} s ago", f"at most {tolerance_s:g} s; it may be a replay")


def _digest(secret: str, moment: str, body: bytes) -> str:
    return hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
