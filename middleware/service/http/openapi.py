"""What the API's documentation says of errors and answers."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from grice.middleware.capabilities import CAPABILITIES
from grice.middleware.service.http.problems import MEDIA_TYPE, ProblemDetails

_DESCRIPTIONS = {
    401: "API keys are set, and none or another came.",
    403: "The API key may not do this.",
    404: "There is no such dialogue, schema or alarm.",
    409: "As many schemas are stored as may be.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    421: "The service does not answer for the host that was asked for.",
    422: "The request is not JSON, or a value in it is not usable; `errors` says which.",
    429: "The wait is too long, as many watch as may, or the API key has used its quota; `Retry-After` says when to try again.",
    500: "The service failed.",
    501: "No NLU server is set, or what is asked for is not loaded.",
    502: "The NLU server cannot be reached, or answered something that is not parse data.",
    503: "The store or the stream of events cannot be reached, or the answer would be late; try again later.",
    504: "The NLU server did not answer in time.",
}

EVERYWHERE = (401, 403, 421, 429, 500)
"""Statuses of problems that any route may answer with."""

Responses = dict[int | str, dict[str, Any]]


def problems(*statuses: int) -> Responses:
    """The documented problem responses of a route; some belong to every one."""
    return {status: {"model": ProblemDetails, "description": _DESCRIPTIONS[status]} for status in sorted({*EVERYWHERE, *statuses})}


def answered(example: dict[str, Any], *statuses: int) -> Responses:
    """An example of the answer, and the problem responses of a route that takes a body."""
    return {200: {"content": {"application/json": {"example": example}}}, **problems(413, 415, 422, 429, 503, *statuses)}


def describe(app: FastAPI) -> None:
    """Say in the application's OpenAPI document that problems have their own media type, and what may not be loaded."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            for path in plain()["paths"].values():
                for operation in path.values():
                    _name_media_type(operation["responses"])
        return plain()

    app.openapi = openapi  # type: ignore[method-assign]


def _is_problem(response: dict[str, Any]) -> bool:
    """Whether it is one; that the service is not ready is told in the form of an answer."""
    return str(response["content"]["application/json"]["schema"].get("$ref", "")).endswith(f"/{ProblemDetails.__name__}")


def _name_media_type(responses: dict[str, Any]) -> None:
    *titles, last = [f"no {each.title}" for each in CAPABILITIES if each.switch]
    for status, response in responses.items():
        if int(status) >= 400 and _is_problem(response):
            response["content"] = {MEDIA_TYPE: response["content"].pop("application/json")}
        if int(status) == 501:
            response["description"] = f"No NLU server is set, or {', '.join(titles)} or {last} is loaded."
