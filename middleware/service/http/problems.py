"""Problem details (RFC 9457): the one shape of every error."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.types import Scope

from grice.models.errors import (
    DeadlineExceeded,
    DeliveryError,
    GriceError,
    InputError,
    NluError,
    NluLate,
    Overloaded,
    QuotaExceeded,
    StoreError,
    StoreFull,
    shorten,
)

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 20
"""Errors told of one request; a body of a megabyte can hold a hundred thousand."""

log = logging.getLogger(__name__)


class FieldProblem(BaseModel):
    """What is wrong with one value of the request."""

    pointer: Annotated[str, Field(description="Where: a JSON pointer into the body, or the name of a parameter.")]
    detail: Annotated[str, Field(description="What is wrong there.")]


class ProblemDetails(BaseModel):
    """An error, as in RFC 9457."""

    type: Annotated[str, Field(description="Which kind of error; stable.")]
    title: Annotated[str, Field(description="The kind in words.")]
    status: Annotated[int, Field(description="The HTTP status.")]
    detail: Annotated[str, Field(description="What happened this time, and what to do.")]
    instance: Annotated[str, Field(description="The path that was asked for.")]
    errors: Annotated[list[FieldProblem], Field(description="The values at fault, at most 20; empty if it is not about values.")]
    request_id: Annotated[str, Field(description="Also in the header x-request-id and in the log.")]


@dataclass(frozen=True)
class Problem:
    """An error before it is put on the wire."""

    status: int
    kind: str
    detail: str
    errors: Sequence[FieldProblem] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self, scope: Scope) -> JSONResponse:
        """The answer to the request of `scope`."""
        content = ProblemDetails(
            type=f"urn:grice:problem:{self.kind}",
            title=HTTPStatus(self.status).phrase,
            status=self.status,
            detail=self.detail,
            instance=shown(scope["path"]),
            errors=list(self.errors),
            request_id=scope["state"]["request_id"],
        )
        return JSONResponse(content.model_dump(), self.status, dict(self.headers), MEDIA_TYPE)


class Refused(Exception):
    """A request that a route refuses."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.detail)


STOPPED = Problem(503, "stopping", "The service stopped before this was done; send it again.", headers={"retry-after": "1"})
"""What is still under way when the grace of a server that stops is over is answered with this."""

_OF_ERROR: Mapping[type[GriceError], tuple[int, str, float | None]] = {
    InputError: (422, "invalid-value", None),
    QuotaExceeded: (429, "quota-exceeded", 1),
    Overloaded: (429, "overloaded", 1),
    StoreFull: (409, "store-full", None),
    StoreError: (503, "store-unavailable", 1),
    DeliveryError: (503, "stream-unavailable", 1),
    DeadlineExceeded: (503, "deadline-exceeded", 1),
    NluLate: (504, "nlu-late", None),
    NluError: (502, "nlu-failed", None),
}
"""Status and kind of an error of ours, and after how many seconds to try again; the first that fits."""


def problem_of(error: Exception) -> Problem:
    """What a caller is told of `error`. An unforeseen one is logged by class and place only: its message may quote a turn."""
    if isinstance(error, Refused):
        return error.problem
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, HTTPException):
        return _http(error)
    for kind, (status, name, retry_after_s) in _OF_ERROR.items():
        if isinstance(error, kind):
            seconds = error.retry_after_s if isinstance(error, Overloaded | DeadlineExceeded) else retry_after_s
            headers = {} if seconds is None else {"retry-after": str(max(1, math.ceil(seconds)))}
            return Problem(status, name, str(error), headers=headers)
    log.error("request failed", extra={"error": type(error).__name__, "at": _place(error)})
    return Problem(500, "internal", "The service failed on this request; its log has the request_id.")


def _invalid(error: RequestValidationError) -> Problem:
    found = error.errors()
    if any(entry["type"] == "json_invalid" for entry in found):
        return Problem(
            422, "malformed-json", f"The body is not JSON: {found[0]['ctx']['error']} at character {found[0]['loc'][-1]}."
        )
    errors = [FieldProblem(pointer=_pointer(entry["loc"]), detail=_message(entry)) for entry in found[:MAX_ERRORS]]
    more = f", the first {MAX_ERRORS} are listed" if len(found) > MAX_ERRORS else ""
    return Problem(422, "invalid-request", f"{len(found)} {'error' if len(found) == 1 else 'errors'} in the request{more}.", errors)


_OF_STATUS = {
    400: (422, "malformed-json", "The body is not JSON in UTF-8."),
    404: (404, "not-found", "There is nothing at this path; /docs lists what there is."),
    405: (405, "method-not-allowed", "This path does not answer this method; the header Allow lists those it answers."),
}


def _http(error: HTTPException) -> Problem:
    """Errors of the framework; FastAPI's 400 is a body that it could not read."""
    status, kind, detail = _OF_STATUS.get(error.status_code, (error.status_code, "http", error.detail))
    return Problem(status, kind, detail, headers=error.headers or {})


def _pointer(location: Sequence[str | int]) -> str:
    parts = [str(part) for part in location]
    if parts[0] != "body":
        return shown(parts[-1])
    inside = parts[2:] if len(parts) > 1 and parts[1] in ("single", "batch") else parts[1:]
    return "#" + "".join("/" + shown(part).replace("~", "~0").replace("/", "~1") for part in inside)


_MESSAGES = {
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "should be a JSON object"),
    "string_unicode": "should be valid Unicode (no lone surrogates)",
}


def _message(entry: Mapping[str, Any]) -> str:
    return _MESSAGES.get(entry["type"]) or shown(str(entry["msg"]).removeprefix("Value error, "), 300)


def shown(text: str, limit: int = 200) -> str:
    """`text` that can be encoded, and is not long."""
    valid = text.encode("utf-8", "backslashreplace").decode()
    return valid if len(valid) <= limit else shorten(valid, limit)


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "unknown"
