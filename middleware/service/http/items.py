"""A route that takes a single item or up to 64 `items`, and answers in the same shape."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Body, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import Discriminator, Tag, TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool

from grice.middleware.service.capabilities.route import Aside
from grice.middleware.service.capabilities.wire import Batch, BatchAnswer, Wire
from grice.middleware.service.engine import Engine, engine_of
from grice.middleware.service.http.body import parse_json, require_json
from grice.middleware.service.http.openapi import answered
from grice.middleware.service.waiting.call import CALL
from grice.middleware.telemetry.stage_times import HEADER

AnyItem = TypeVar("AnyItem", bound=Wire)
Work = TypeVar("Work")
Answer = Callable[[Engine, Sequence[Any], Aside], Awaitable[list[dict[str, Any]]]]
"""The rows of the answer to some items, in order."""
MUCH = 16_384
"""Bytes of a body from which on it is read, and answered, off the event loop; below, that would take longer than the work."""


def _shape(body: Any) -> str:
    return "batch" if isinstance(body, Batch) or (isinstance(body, dict) and "items" in body) else "single"


class OwnReading(APIRoute):
    """A route whose endpoint reads its request itself; its signature is for the documentation only. The framework would read a body
    on the event loop, and all others would wait; and what it does to call an endpoint takes longer than to read a small body."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The endpoint as it is."""
        endpoint: Callable[[Request], Coroutine[Any, Any, Response]] = self.endpoint
        return endpoint


def body_of(item: type[AnyItem]) -> Any:
    """The type of a body that is an item or a batch of them."""
    batch = Batch[item]  # type: ignore[valid-type]
    return Annotated[Annotated[item, Tag("single")] | Annotated[batch, Tag("batch")], Discriminator(_shape)]


@dataclass(frozen=True)
class ItemRoute:
    """A route and its models.

    Attributes:
        item: of an item. result: of a row of several. single: of the answer to one item.
        examples: `requests` and `answer` for the documentation.
        statuses: of problems, beside those that every such route has.
    """

    path: str
    item: type[Wire]
    result: type[Wire]
    single: type[Wire]
    examples: dict[str, Any]
    statuses: Sequence[int] = ()


def add_item_route(router: APIRouter, route: ItemRoute, answer: Answer, **documented: Any) -> None:
    """Add a route to the router, for `POST`.

    Args:
        answer: the rows.
        documented: the operation's name, summary and description.
    """
    result, single = route.result, route.single
    body_type = body_of(route.item)
    adapter: TypeAdapter[Any] = TypeAdapter(body_type)
    batch_answer = BatchAnswer[result]  # type: ignore[valid-type]

    def write(rows: list[dict[str, Any]], alone: bool) -> bytes:
        answered = single(**rows[0]) if alone else batch_answer(items=[result(**row) for row in rows])
        return answered.model_dump_json().encode()

    async def endpoint(request: Request) -> Response:
        await require_json(request)
        engine, body = await engine_of(request), await request.body()
        aside: Aside = run_in_threadpool if len(body) >= MUCH else _here
        read = await aside(_read, adapter, body)
        alone = not isinstance(read, Batch)
        rows = await answer(engine, [read] if alone else read.items, aside)
        return Response(await aside(write, rows, alone), headers=_timing(), media_type="application/json")

    shown = Annotated[body_type, Body(openapi_examples=route.examples["requests"])]  # type: ignore[valid-type]
    parameter = inspect.Parameter("body", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=shown)
    endpoint.__signature__ = inspect.Signature([parameter])  # type: ignore[attr-defined]
    router.add_api_route(
        route.path,
        endpoint,
        methods=["POST"],
        route_class_override=OwnReading,
        response_model=single | batch_answer,
        responses=answered(route.examples["answer"], *route.statuses),
        **documented,
    )


def _timing() -> dict[str, str]:
    """The header that tells how long the stages took, where there were any."""
    call = CALL.get()
    told = "" if call is None else call.stages.header()
    return {HEADER: told} if told else {}


async def _here(work: Callable[..., Work], /, *args: Any) -> Work:
    return work(*args)


def _read(adapter: TypeAdapter[Any], body: bytes) -> Any:
    try:
        return adapter.validate_python(parse_json(body))
    except ValidationError as error:
        found = [{**each, "loc": ("body", *each["loc"])} for each in error.errors(include_url=False, include_input=False)]
        raise RequestValidationError(found) from None
