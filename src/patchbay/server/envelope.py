"""The answer format of the interface: `data` beside `meta`. Source: domain facts, section 1."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from pydantic_core import to_json
from starlette.responses import Response

from patchbay.domain.base import Json, Model
from patchbay.domain.paging import Page

T = TypeVar("T")

_NAMED = frozenset({"Flow", "Execution", "ExecutionStep", "Step", "Folder", "Template", "User", "Connection"})


class Meta(Model):
    """What an answer says about its data. Page numbers are null where nothing is paginated."""

    type: str
    count: int
    is_array: bool
    current_page: int | None = None
    total_pages: int | None = None


class PageMeta(Meta):
    """The meta of one page; `nextCursor` leads to the next one and is null on the last."""

    next_cursor: str | None = None


class One(Model, Generic[T]):
    """An answer with a single object."""

    data: T
    meta: Meta


class Many(Model, Generic[T]):
    """An answer with a whole list."""

    data: list[T]
    meta: Meta


class Paged(Model, Generic[T]):
    """An answer with one page of a list."""

    data: list[T]
    meta: PageMeta


class Failure(Model):
    """Every error: messages by field, and in `meta` the kind and the sentences of the error."""

    errors: dict[str, list[str]]
    meta: dict[str, Json]


def json_response(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Any models and plain values as JSON with wire names."""
    body = to_json(content, by_alias=True)
    return Response(body, status, dict(headers or {}), media_type="application/json")


def one(item: Model | Mapping[str, Any], status: int = 200) -> Response:
    """A single object."""
    meta = Meta(type=_type_name(item), count=1, is_array=False)
    return json_response({"data": item, "meta": meta}, status)


def many(items: Sequence[Model]) -> Response:
    """A list without pages."""
    meta = Meta(type=_list_type(items), count=len(items), is_array=True)
    return json_response({"data": items, "meta": meta})


def paged(page: Page[Any]) -> Response:
    """One page of a list; `count` is the number of all matches."""
    meta = PageMeta(
        type=_list_type(page.items),
        count=page.total,
        is_array=True,
        current_page=page.page,
        total_pages=page.total_pages,
        next_cursor=page.next_cursor,
    )
    return json_response({"data": page.items, "meta": meta})


def nothing() -> Response:
    """Done, nothing to show."""
    return Response(status_code=204)


def later() -> Response:
    """Not yet; ask again."""
    meta = Meta(type="Object", count=0, is_array=False)
    return json_response({"data": None, "meta": meta}, 202)


def _list_type(items: Sequence[Any]) -> str:
    return _type_name(items[0]) if items else "Object"


def _type_name(item: object) -> str:
    name = type(item).__name__
    return name if name in _NAMED else "Object"
