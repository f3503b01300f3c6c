"""Routes that take a body take JSON only."""

from __future__ import annotations

from email.message import Message

from fastapi import Request

from grice.middleware.service.problems import Problem, Refused, shown


async def require_json(request: Request) -> None:
    """Refuse a body that is not declared as JSON, as browsers' forms and `curl -d` without a header send it."""
    given = request.headers.get("content-type", "")
    message = Message()
    message["content-type"] = given or "none/none"
    subtype = message.get_content_subtype()
    if message.get_content_maintype() != "application" or not (subtype == "json" or subtype.endswith("+json")):
        raise Refused(Problem(415, "not-json", f"Content-Type: got {shown(given) or 'none'}; allowed: application/json"))
