"""Reads lists page by page: by number, offset, cursor, or link.

A list is described by its request, where its rows are (`at`), and how the next page is requested (`pages`).
From that, `list_items` builds the items of a polling trigger, and `option_list` (in `builders`) a dropdown.
"""

import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Protocol
from urllib.parse import urljoin

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.condition_operators import as_number
from patchbay.domain.fields import is_empty
from patchbay.integration import polling
from patchbay.integration.context import Context
from patchbay.integration.described_requests import Line, PreparedRequest, Template, prepare, values_of
from patchbay.integration.request import Response
from patchbay.integration.templates import fill_text, find_value, paths_in
from patchbay.integration.third_party_errors import UnexpectedResponse, describe_shape
from patchbay.integration.urls import is_absolute

_LINK = re.compile(r'<([^<>]*)>((?:[^<"]|"[^"]*")*)')
"""An address and its attributes. Matches in linear time."""
Identify = str | Callable[[Any], str]
"""Which value identifies an item: a dotted path, a template such as `{id}-{updated_at}`, or a function."""
Pick = str | Callable[[Any], Any]
"""A part of a value: a dotted path, or a function."""


class Pages(Protocol):
    """How the pages of a list are requested."""

    def first(self, request: PreparedRequest) -> PreparedRequest:
        """The request of the first page."""
        ...

    def next(
        self, request: PreparedRequest, response: Response, rows: Sequence[Json]
    ) -> PreparedRequest | None:
        """The request of the page after this one; None if it's the last one."""
        ...


def _with_query(request: PreparedRequest, **more: Json) -> PreparedRequest:
    return replace(request, query={**request.query, **more})


@dataclass(frozen=True)
class _OnePage:
    def first(self, request: PreparedRequest) -> PreparedRequest:
        return request

    def next(self, request: PreparedRequest, response: Response, rows: Sequence[Json]) -> None:
        return None


@dataclass(frozen=True)
class _Numbered:
    """Pages by a number or an offset in the query."""

    key: str
    limit_key: str
    limit: int
    start: int
    step: int
    total_pages: str

    def first(self, request: PreparedRequest) -> PreparedRequest:
        limit: JsonObject = {self.limit_key: self.limit} if self.limit_key else {}
        return _with_query(request, **limit, **{self.key: self.start})

    def next(
        self, request: PreparedRequest, response: Response, rows: Sequence[Json]
    ) -> PreparedRequest | None:
        number = int(str(request.query[self.key]))
        if self.total_pages:
            total = as_number(find_value(response.json(), self.total_pages))
            if total is not None and number - self.start + 1 >= total:
                return None
        if not rows or (self.limit_key and len(rows) < self.limit):
            return None
        return _with_query(request, **{self.key: number + self.step})


@dataclass(frozen=True)
class _Cursor:
    """Pages by a cursor from the response, or from its last row."""

    at: str
    key: str
    in_body: bool
    from_last_row: bool
    more: str
    path: str
    limit: JsonObject

    def first(self, request: PreparedRequest) -> PreparedRequest:
        if self.in_body:
            return replace(request, body={**(request.body or {}), **self.limit})
        return _with_query(request, **self.limit)

    def next(
        self, request: PreparedRequest, response: Response, rows: Sequence[Json]
    ) -> PreparedRequest | None:
        source = (rows[-1] if rows else None) if self.from_last_row else response.json()
        cursor = find_value(source, self.at)
        has_more = not self.more or bool(find_value(response.json(), self.more))
        used = (request.body or {}) if self.in_body else request.query
        if cursor in (None, "", False) or not has_more or used.get(self.key) == cursor:
            return None
        moved = replace(request, url=self.path) if self.path else request
        if self.in_body:
            kept = {} if self.path else request.body or {}
            return replace(moved, body={**kept, self.key: cursor})
        return _with_query(moved, **{self.key: cursor})


@dataclass(frozen=True)
class _Linked:
    """Pages by an address in the `Link` header (RFC 8288), or in the response."""

    at: str
    limit: JsonObject

    def first(self, request: PreparedRequest) -> PreparedRequest:
        return _with_query(request, **self.limit)

    def next(
        self, request: PreparedRequest, response: Response, rows: Sequence[Json]
    ) -> PreparedRequest | None:
        if self.at:
            found = find_value(response.json(), self.at)
            link = found if isinstance(found, str) else ""
        else:
            link = links_of(response).get("next", "")
        if not link:
            return None
        url = link if is_absolute(link) else urljoin(response.url, link)
        return None if url == request.url else request.moved_to(url)


def one_response() -> Pages:
    """The whole list in one response."""
    return _OnePage()


def page_numbers(
    key: str = "page", *, limit_key: str = "", limit: int = 100, first: int = 1, total_pages: str = ""
) -> Pages:
    """Pages by number, until one is empty, isn't full, or is the last of `total_pages` (a dotted path)."""
    return _Numbered(key, limit_key, limit, first, 1, total_pages)


def offsets(key: str = "offset", *, limit_key: str = "limit", limit: int = 100) -> Pages:
    """Pages by offset and limit, until one isn't full."""
    return _Numbered(key, limit_key, limit, 0, limit, "")


def cursor(
    at: str,
    key: str,
    *,
    in_body: bool = False,
    from_last_row: bool = False,
    more: str = "",
    path: str = "",
    limit_key: str = "",
    limit: int = 100,
) -> Pages:
    """Pages by the cursor at a dotted path of the response, sent as the query parameter `key`.

    `in_body`: it's sent in the body. `from_last_row`: it's a value of the last row, such as its `id`. `more`
    is the dotted path of a flag that says whether there are more pages. `path` is the address of all pages
    but the first, if it differs; with `in_body`, it gets only the cursor.
    """
    return _Cursor(at, key, in_body, from_last_row, more, path, {limit_key: limit} if limit_key else {})


def link_header(*, limit_key: str = "", limit: int = 100) -> Pages:
    """Pages by the `Link` header (RFC 8288), as GitHub and many others send it."""
    return _Linked("", {limit_key: limit} if limit_key else {})


def next_link(at: str, *, limit_key: str = "", limit: int = 100) -> Pages:
    """Pages by the address at a dotted path of the response."""
    return _Linked(at, {limit_key: limit} if limit_key else {})


def links_of(response: Response) -> dict[str, str]:
    """The addresses of the `Link` header by relation."""
    links: dict[str, str] = {}
    for target, attributes in _LINK.findall(response.headers.get("link", "")):
        for attribute in attributes.split(";"):
            name, _, value = attribute.partition("=")
            if name.strip().lower() == "rel":
                for relation in value.strip(' ,"').lower().split():
                    links.setdefault(relation, target.strip())
    return links


async def read_pages(
    ctx: Context,
    request: PreparedRequest,
    pages: Pages,
    at: Pick,
    *,
    max_pages: int = polling.MAX_PAGES,
    absent_if_empty: bool = False,
) -> AsyncGenerator[list[Any], None]:
    """The rows of each page. Sets `ctx.has_more_items` if it stops at the limit of pages or bytes."""
    page_factor, received_bytes = 1 + ctx.unfinished_polls, 0
    request = pages.first(request)
    for _ in range(max_pages * page_factor):
        response = await request.send(ctx)
        rows = rows_of(response, at, absent_if_empty=absent_if_empty)
        yield rows
        received_bytes += len(response.content)
        if (next_request := pages.next(request, response, rows)) is None:
            return
        request = next_request
        if received_bytes > polling.MAX_POLL_BYTES * page_factor:
            break
    ctx.has_more_items = True


def rows_of(response: Response, at: Pick, *, absent_if_empty: bool = False) -> list[Any]:
    """The rows of a response. Raises `ThirdPartyError` if it isn't JSON or has no such list."""
    document = response.json()
    found = pick(document, at)
    if isinstance(found, list):
        return found
    if found is None and absent_if_empty and isinstance(document, dict):
        return []
    where = f"a list at “{at}”" if isinstance(at, str) and at else "a list"
    raise UnexpectedResponse(response, where, describe_shape(document))


def error_at(message: str, *, failed: Callable[[Any], bool] | None = None) -> Callable[[Response], str]:
    """The `error_in_response` of an app whose error messages are at a dotted path of JSON responses.

    `failed` decides whether a JSON response is an error; otherwise it is one if there is a message.
    """

    def find_error(response: Response) -> str:
        if not response.looks_like_json:
            return ""
        document = response.json()
        if failed is not None and not failed(document):
            return ""
        found = find_value(document, message)
        return str(found) if found else "error" if failed is not None else ""

    return find_error


def identify(row: Any, internal_id: Identify) -> str:
    """The ID of an item; a hash of its content if it has none, so that it's recognized at the next poll."""
    if callable(internal_id):
        return str(internal_id(row))
    if "{" in internal_id:
        values = row if isinstance(row, dict) else {}
        if any(not is_empty(find_value(values, name)) for name in paths_in(internal_id)):
            return fill_text(internal_id, values)
        return polling.identify(row, "")
    return polling.identify(row, internal_id)


def newest_first(rows: Sequence[Any], key: str) -> list[Any]:
    """The rows sorted by the value at a dotted path, highest first; numbers by value, also as text."""

    def rank(row: Any) -> tuple[bool, Any, str]:
        value = find_value(row, key)
        number = as_number(value)
        return (number is not None, number or 0, "" if value is None else str(value))

    return sorted(rows, key=rank, reverse=True)


def list_items(
    line: Line,
    *,
    at: Pick = "",
    internal_id: Identify = "id",
    pages: Pages | None = None,
    query: Template | None = None,
    body: Template | None = None,
    headers: Mapping[str, str] | None = None,
    form: bool = False,
    absent_if_empty: bool = False,
    only: Callable[[Any, JsonObject], bool] | None = None,
    item: Pick = "",
    sort_by: str = "",
    last_first: bool = False,
) -> polling.Items:
    """The items of a list, for `polling_trigger(items=…)` and the test of a webhook trigger.

    `line` is a path, or method and path. `only` takes a row and the parameters, and returns whether to use
    the row. `item` is the part of the row that starts the flow. With `absent_if_empty`, a response without
    the list is one with an empty list; otherwise it's an error. For services that don't list newest first,
    `sort_by` sorts all rows by this value, highest first, and `last_first` reverses them.
    """
    chosen = pages or one_response()

    async def items(ctx: Context) -> AsyncGenerator[polling.Item, None]:
        request = prepare(line, values_of(ctx), query=query, body=body, headers=headers, form=form)
        reader = read_pages(ctx, request, chosen, at, absent_if_empty=absent_if_empty)
        async with aclosing(reader) as all_pages:
            if sort_by or last_first:
                everything = [row async for rows in all_pages for row in rows]
                ordered = newest_first(everything, sort_by) if sort_by else everything[::-1]
                used = [row for row in ordered if only is None or only(row, ctx.parameters)]
                found = [(pick(row, item), identify(row, internal_id)) for row in used]
                for entry in await _unseen(ctx, found):
                    yield entry
                return
            async for rows in all_pages:
                for row in rows:
                    if only is None or only(row, ctx.parameters):
                        yield pick(row, item), identify(row, internal_id)

    return items


async def _unseen(ctx: Context, items: Sequence[polling.Item]) -> list[polling.Item]:
    """The items that the trigger hasn't reported, of a list in which new ones can be anywhere."""
    known = await ctx.seen([internal_id for _, internal_id in items])
    return [entry for entry in items if entry[1] not in known]


def pick(value: Any, part: Pick) -> Any:
    """The part of a value; all of it without a path."""
    return part(value) if callable(part) else find_value(value, part) if part else value
