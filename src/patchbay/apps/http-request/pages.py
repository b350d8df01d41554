"""Reading a list page by page: all items of several responses become one list."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.json_limits import VALUE_SIZE, size_of
from patchbay.integration import Argument, Context, Response, dropdown, text
from patchbay.integration.described_requests import PreparedRequest
from patchbay.integration.paging import (
    Pages,
    cursor,
    link_header,
    next_link,
    offsets,
    page_numbers,
    rows_of,
)
from patchbay.integration.request import RequestOptions
from patchbay.integration.request_actions import response_item
from patchbay.integration.urls import query_pairs, same_origin
from patchbay.integration.values import number, parameter_error, text_of

OFF = "none"
_KINDS = (
    (OFF, "Off"),
    ("nextLink", "Next address in the response"),
    ("linkHeader", "Link header"),
    ("page", "Page number"),
    ("offset", "Offset"),
    ("cursor", "Cursor"),
)
_DEFAULT_PAGES, MAX_PAGES = 10, 500
_MAX_BYTES = 25 * 1024 * 1024
_MAX_SIZE = 500_000 * VALUE_SIZE + _MAX_BYTES
"""Of all items, as `size_of` counts it."""
_COUNTED = ("page", "offset", "cursor")
_ALL = ("nextLink", "linkHeader", *_COUNTED)


def _field(key: str, label: str, kinds: Sequence[str], **more: Any) -> Argument:
    return text(key, label, visible_if={"paging": list(kinds)}, **more)


PAGING_ARGUMENTS: tuple[Argument, ...] = (
    dropdown(
        "paging",
        "Pages",
        _KINDS,
        value=OFF,
        description="Reads a list page by page, and outputs all items as one list.",
    ),
    _field(
        "itemsPath",
        "Path to the list",
        _ALL,
        placeholder="data.items",
        description="Leave empty if the response is the list.",
    ),
    _field(
        "nextPath",
        "Path to the next page",
        ("nextLink", "cursor"),
        required=True,
        placeholder="meta.next",
        description="Where the response has the address or cursor of the next page.",
    ),
    _field(
        "pageParameter",
        "Parameter",
        _COUNTED,
        description="The query parameter with the number, offset, or cursor. Empty: page, offset, or cursor.",
    ),
    _field("firstPage", "First page", ("page",), placeholder="1"),
    _field("pageSize", "Items per page", _ALL, placeholder="100"),
    _field(
        "sizeParameter",
        "Parameter for items per page",
        _ALL,
        placeholder="limit",
        description="Leave empty if the service decides.",
    ),
    _field(
        "maxPages",
        "Max. pages",
        _ALL,
        placeholder=str(_DEFAULT_PAGES),
        description=f"Up to {MAX_PAGES}. If there are more, the output's complete is false.",
    ),
)


def pages_of(parameters: JsonObject) -> Pages | None:
    """How the pages are requested; None for a single request. Raises `ValidationFailed`."""
    kind = text_of(parameters, "paging") or OFF
    key, at = text_of(parameters, "pageParameter").strip(), text_of(parameters, "nextPath").strip()
    limit_key, limit = text_of(parameters, "sizeParameter").strip(), _whole(parameters, "pageSize", 100)
    if kind in ("nextLink", "cursor") and not at:
        raise parameter_error("nextPath", "Enter the path to the next page.")
    match kind:
        case "none":
            return None
        case "nextLink":
            return next_link(at, limit_key=limit_key, limit=limit)
        case "linkHeader":
            return link_header(limit_key=limit_key, limit=limit)
        case "page":
            first = _whole(parameters, "firstPage", 1, lowest=0)
            return page_numbers(key or "page", limit_key=limit_key, limit=limit, first=first)
        case "offset":
            return offsets(key or "offset", limit_key=limit_key or "limit", limit=limit)
        case "cursor":
            return cursor(at, key or "cursor", limit_key=limit_key, limit=limit)
    raise parameter_error("paging", f"“{kind[:60]}” isn't a way to read pages.")


def max_pages_of(parameters: JsonObject) -> int:
    """How many pages are requested at most. Raises `ValidationFailed`."""
    return _whole(parameters, "maxPages", _DEFAULT_PAGES, highest=MAX_PAGES)


def _whole(parameters: JsonObject, key: str, default: int, *, lowest: int = 1, highest: int = 10_000) -> int:
    if not text_of(parameters, key).strip():
        return default
    label = next(item.label for item in PAGING_ARGUMENTS if item.key == key)
    value = number(parameters, key, label)
    if not lowest <= value <= highest or value != int(value):
        raise parameter_error(key, f"{label}: enter a whole number from {lowest} to {highest:,}.")
    return int(value)


@dataclass
class _Items:
    """The items of the pages read so far."""

    rows: list[Json] = field(default_factory=list)
    last_page: list[Json] | None = None
    size: int = 0

    def add(self, page: list[Json]) -> str:
        """Add a page; return why no further page should be read, if so."""
        if page and page == self.last_page:
            return "The service sent the same page twice. Check the parameter for the next page."
        self.rows += page
        self.last_page = page
        self.size += size_of(page, _MAX_SIZE)
        too_large = self.size > _MAX_SIZE
        return (
            "Stopped reading pages: no more fits into one step. There may be more items." if too_large else ""
        )


async def read_all(ctx: Context, method: str, url: str, call: RequestOptions, pages: Pages) -> None:
    """Request page by page, and set all items as the step's output."""
    max_pages = max_pages_of(ctx.parameters)
    at, items, received, stopped = text_of(ctx.parameters, "itemsPath").strip(), _Items(), 0, ""
    following: PreparedRequest | None = pages.first(PreparedRequest(method, url, _query(call)))
    page = 0
    while following is not None and not stopped:
        if page == max_pages:
            stopped = f"Stopped after {page} pages. There may be more items."
            break
        page += 1
        response = await ctx.http.request(method, following.url, **_page_call(ctx, call, following, page))
        if response.status >= 400:  # accepted, so that the flow can decide what to do
            stopped = f"Page {page} couldn't be read (status {response.status})."
            break
        rows = rows_of(response, at)
        stopped = items.add(rows)
        received += len(response.content)
        following = pages.next(following, response, rows)
        if following is not None:
            following = replace(following, url=on_same_service(url, following.url, response))
            if received > _MAX_BYTES and not stopped:
                stopped = f"Stopped after {_MAX_BYTES // 1024**2} MB. There may be more items."
    if stopped:
        ctx.warnings.append(stopped)
    more: JsonObject = {"pages": page, "complete": not stopped}
    item = {**response_item(response, lambda _: items.rows), **more}
    ctx.action_output = await asyncio.to_thread(ctx.masker().json, item)


def _query(call: RequestOptions) -> JsonObject:
    """The query rows by name; a name that occurs more than once has a list."""
    query: dict[str, list[Json]] = {}
    for name, value in query_pairs(call.get("params")):
        query.setdefault(name, []).append(value)
    return {name: list(values) for name, values in query.items()}


def _page_call(ctx: Context, call: RequestOptions, page: PreparedRequest, number_: int) -> RequestOptions:
    """The options for a page. Each has an idempotency key of its own: it is another request."""
    headers = dict(call.get("headers") or {})
    if number_ > 1 and headers.get("idempotency-key") == ctx.idempotency_key:
        headers["idempotency-key"] += f"-{number_}"
    return {**call, "headers": headers, "params": page.query}


def on_same_service(first: str, link: str, response: Response) -> str:
    """The address of the next page. Raises `ThirdPartyError` for one elsewhere, where headers may not go.

    Behind a proxy, services often name their own http:// address: then https:// is used as before.
    """
    if same_origin(first, link):
        return link
    known, given = urlsplit(first), urlsplit(link)
    if known.hostname == given.hostname and (known.scheme, given.scheme) == ("https", "http"):
        return urlunsplit(("https", known.netloc, given.path, given.query, ""))
    error = ThirdPartyError(
        app=response.app,
        said="",
        meaning="Headers and credentials are meant for the first address, so they aren't sent elsewhere.",
        todo="Check the path to the next page, or request that address in a step of its own.",
    )
    error.happened = f"The next page is at another address ({given.netloc[:100]})."
    raise error
