"""The response format of the API, `data` beside `meta`, and its description for OpenAPI."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, Field
from pydantic_core import PydanticSerializationError, to_json
from starlette.responses import Response

from patchbay.domain.base import ExecutionId, JsonObject, Model
from patchbay.domain.executions import ExecutionStep, FlowActivity
from patchbay.domain.flows import Flow
from patchbay.domain.paging import Page
from patchbay.domain.truncation import shorten_step_data

T = TypeVar("T")

ERROR_KINDS: tuple[str, ...] = (
    "AppError",
    "AuthRequired",
    "ComputationStopped",
    "Conflict",
    "DifferentAccount",
    "Forbidden",
    "HttpError",
    "ModelValidation",
    "NotFound",
    "NotSupported",
    "PayloadTooLarge",
    "RateLimited",
    "RunTreeFull",
    "SecretsUnavailable",
    "ServerFault",
    "StorageFault",
    "TimedOut",
    "UniqueViolationError",
    "Unreachable",
    "UntrustedCertificate",
    "WebhookError",
    "incompleteStepsError",
)
"""Every value of `meta.type` in an error response, sorted."""

_NAMED_TYPES = frozenset(
    {
        "Flow",
        "Execution",
        "ExecutionStep",
        "Step",
        "Folder",
        "Template",
        "User",
        "Role",
        "Connection",
        "ApiKey",
    }
)


class AnyMeta(Model):
    """Metadata of every response. `count` is the number of all matches, or of the list's items."""

    type: str
    count: int
    is_array: bool


class Meta(AnyMeta):
    """Metadata of a response without pages: the page numbers are null."""

    current_page: None = None
    total_pages: None = None


class PageMeta(AnyMeta):
    """Metadata of one page; `nextCursor` fetches the next page and is null on the last."""

    current_page: int
    total_pages: int
    next_cursor: str | None = None


class One(Model, Generic[T]):
    """A response with a single object."""

    data: T
    meta: Meta


class Many(Model, Generic[T]):
    """A response with a complete list."""

    data: list[T]
    meta: Meta


class Paged(Model, Generic[T]):
    """A response with one page of a list."""

    data: list[T]
    meta: PageMeta


class Pending(Model):
    """A response without data yet: repeat the request."""

    data: None
    meta: Meta


class Accepted(Model):
    """The accepted execution."""

    id: ExecutionId


class Alive(Model):
    """The server is healthy."""

    status: Literal["ok"] = "ok"
    version: str


class FailureMeta(Model):
    """The kind of an error and its sentences; `extra` has additional data of some kinds."""

    type: str = Field(json_schema_extra={"enum": list(ERROR_KINDS)})
    happened: str
    meaning: str
    todo: str
    extra: JsonObject | None = Field(None, exclude_if=lambda value: value is None)


class Failure(Model):
    """An error: messages by field (`general` for all others), and in `meta` its kind and its sentences."""

    errors: dict[str, list[str]]
    meta: FailureMeta


def json_response(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A response with models and plain values as JSON with wire names."""
    return Response(_json(content), status, dict(headers or {}), media_type="application/json")


def _json(content: Any) -> bytes:
    try:
        return to_json(content, by_alias=True)
    except PydanticSerializationError:
        # UTF-8 can't encode half a surrogate pair, which third parties do send in JSON; an escape can.
        return json.dumps(content, default=_plain).encode()


def _plain(item: Any) -> Any:
    return item.model_dump(by_alias=True)


def one(item: Model | Mapping[str, Any], status: int = 200) -> Response:
    """A response with a single object."""
    meta = Meta(type=meta_type(type(item)), count=1, is_array=False)
    return json_response({"data": item, "meta": meta}, status)


def many(items: Sequence[Model]) -> Response:
    """A response with a complete list."""
    meta = Meta(type=_list_type(items), count=len(items), is_array=True)
    return _list_response(items, meta)


def many_shortened(steps: Sequence[ExecutionStep]) -> Response:
    """A response with execution steps, their data shortened to the size limit."""
    return many(shorten_step_data(steps))


def paged(page: Page[Any]) -> Response:
    """A response with one page of a list; `count` is the number of all matches."""
    meta = PageMeta(
        type=_list_type(page.items),
        count=page.total,
        is_array=True,
        current_page=page.page,
        total_pages=page.total_pages,
        next_cursor=page.next_cursor,
    )
    return _list_response(page.items, meta)


def _list_response(items: Sequence[Any], meta: AnyMeta) -> Response:
    """Serialize row by row, so that other threads can run in between."""
    rows = b",".join(map(_json, items))
    return Response(b'{"data":[%b],"meta":%b}' % (rows, _json(meta)), media_type="application/json")


def no_content() -> Response:
    """A response without content (204)."""
    return Response(status_code=204)


def pending() -> Response:
    """A response without data yet (202)."""
    return json_response(Pending(data=None, meta=Meta(type="Object", count=0, is_array=False)), 202)


def meta_type(kind: type) -> str:
    """The `meta.type` of a class: its name, or that of a named base class (an invitation is a user)."""
    return next((part.__name__ for part in kind.__mro__ if part.__name__ in _NAMED_TYPES), "Object")


def _list_type(items: Sequence[Any]) -> str:
    return meta_type(type(items[0])) if items else "Object"


class ImportMeta(Meta):
    """Metadata of an imported flow; `notPublished` says why it is a draft although it was to be published."""

    not_published: Failure | None = Field(None, exclude_if=lambda value: value is None)


class OneImported(Model):
    """A response with an imported flow."""

    data: Flow
    meta: ImportMeta


def one_imported(flow: Flow, not_published: Failure | None) -> Response:
    """A response with the result of importing and publishing a flow."""
    meta = ImportMeta(type=meta_type(Flow), count=1, is_array=False, not_published=not_published)
    return json_response(OneImported(data=flow, meta=meta), 201)


class SwitchMeta(Meta):
    """Metadata of a flow that was published or unpublished.

    `attention` says why the published flow can't work now, such as a step that needs the desktop of a window.
    """

    attention: str | None = Field(None, exclude_if=lambda value: value is None)
    attention_todo: str | None = Field(None, exclude_if=lambda value: value is None)


class OneSwitched(Model):
    """A response with a flow that was published or unpublished."""

    data: Flow
    meta: SwitchMeta


def one_switched(flow: Flow, activity: FlowActivity | None) -> Response:
    """A response with a flow that was published or unpublished, and why it can't work now."""
    meta = SwitchMeta(
        type=meta_type(Flow),
        count=1,
        is_array=False,
        attention=activity.attention if activity else None,
        attention_todo=(activity.attention_todo or None) if activity else None,
    )
    return json_response(OneSwitched(data=flow, meta=meta))


# Descriptions for /openapi.json; nothing is validated with them

Responses = dict[int | str, dict[str, Any]]

FAILURE_CONTENT = {"application/json": {"schema": {"$ref": f"#/components/schemas/{Failure.__name__}"}}}
RETRY_AFTER_HEADER = {
    "Retry-After": {
        "description": "Seconds to wait before retrying.",
        "schema": {"type": "integer"},
    }
}


def describe_responses(
    model: type[BaseModel] | None,
    status: int = 200,
    *,
    not_found: bool = False,
    invalid: bool = False,
    conflict: bool = False,
    other_successes: Mapping[int, type[BaseModel]] | None = None,
) -> Responses:
    """Describe the success with its model, and errors: `not_found` for IDs, `invalid` for validation,
    `conflict` for the current state. `other_successes` are models of other success statuses.
    """
    found: Responses = {
        status: {"model": model, "description": "Done."} if model else {"description": "Done."}
    }
    found |= {
        code: {"model": kind, "description": "Accepted."} for code, kind in (other_successes or {}).items()
    }
    failures: dict[int, str] = {}
    if not_found:
        failures[404] = "Not found."
    if conflict:
        failures[409] = "Conflicts with the current state."
    if invalid:
        failures[422] = "Validation failed."
    return found | {
        code: {"model": Failure, "description": description} for code, description in failures.items()
    }


def describe_media(media_type: str, description: str, *, not_found: bool = False) -> Responses:
    """Describe a success that isn't JSON, such as an image, a page, or a stream of text."""
    content = {media_type: {"schema": {"type": "string"}}}
    return describe_responses(None, not_found=not_found) | {
        200: {"description": description, "content": content}
    }
