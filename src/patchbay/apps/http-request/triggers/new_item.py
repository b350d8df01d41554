"""The trigger “New item in a JSON API”."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Argument, Context, Response, dropdown, name_value_rows, polling_trigger, text
from patchbay.integration.described_requests import PreparedRequest
from patchbay.integration.paging import Pages, identify, one_response, read_pages
from patchbay.integration.polling import Item
from patchbay.integration.request_actions import headers_from_rows, pairs_from_rows
from patchbay.integration.templates import find_value, paths_in
from patchbay.integration.values import parameter_error, text_of

from ..addresses import full_address
from ..pages import MAX_PAGES, PAGING_ARGUMENTS, max_pages_of, on_same_service, pages_of

NEWEST_FIRST, ANY_ORDER = "newestFirst", "anyOrder"
_ORDERS = ((NEWEST_FIRST, "Newest first"), (ANY_ORDER, "Newest last, or in any order"))
_DESCRIPTIONS = {
    "paging": "How the other pages of the list are requested.",
    "maxPages": f"Of one poll, up to {MAX_PAGES}. If there are more, the next poll reads further.",
}


class _PagesOfOneService:
    """Pages of the first address's service; it ends if the service sends the same page again."""

    def __init__(self, pages: Pages, first: str) -> None:
        self._pages, self._first = pages, first
        self._last_page: Sequence[Json] = ()

    def first(self, request: PreparedRequest) -> PreparedRequest:
        return self._pages.first(request)

    def next(
        self, request: PreparedRequest, response: Response, rows: Sequence[Json]
    ) -> PreparedRequest | None:
        if rows and rows == self._last_page:
            return None
        self._last_page = rows
        following = self._pages.next(request, response, rows)
        if following is None:
            return None
        return replace(following, url=on_same_service(self._first, following.url, response))


async def items(ctx: Context) -> AsyncGenerator[Item, None]:
    """The items of the list with their IDs: as listed if new ones come first, else only the new ones."""
    read = _read_items(ctx)
    async with aclosing(read) as found:
        if text_of(ctx.parameters, "order") != ANY_ORDER:
            async for item in found:
                yield item
            return
        listed = {internal_id: row async for row, internal_id in found}
    seen = await ctx.seen(list(listed))
    for internal_id, row in reversed(listed.items()):
        if internal_id not in seen:
            yield row, internal_id


async def _read_items(ctx: Context) -> AsyncGenerator[Item, None]:
    parameters = ctx.parameters
    field, at = text_of(parameters, "idPath").strip(), text_of(parameters, "itemsPath").strip()
    url = full_address(ctx, text_of(parameters, "url").strip())
    request = PreparedRequest("GET", url, _query(parameters), headers=headers_from_rows(ctx, "GET"))
    pages = _PagesOfOneService(pages_of(parameters) or one_response(), url)
    reader = read_pages(ctx, request, pages, at, max_pages=max_pages_of(parameters))
    async with aclosing(reader) as all_pages:
        async for rows in all_pages:
            _require_ids(rows, field)
            for row in rows:
                yield row, _id_of(row, field)


def _query(parameters: JsonObject) -> JsonObject:
    """The query rows by name; a name that occurs more than once has a list."""
    query: dict[str, list[Json]] = {}
    for name, value in pairs_from_rows(parameters.get("queryParams")):
        query.setdefault(name, []).append(value)
    return {name: list(values) for name, values in query.items()}


def _require_ids(rows: Sequence[Any], field: str) -> None:
    """Raise `ValidationFailed` if no item has the field: then each change would look like a new item."""
    names = paths_in(field) if "{" in field else {field}
    if not field or not rows or any(_scalar(find_value(row, name)) for row in rows for name in names):
        return
    raise parameter_error(
        "idPath",
        f"No item has the field “{field[:60]}”.",
        "Check the path to the list and the field, or leave it empty to compare whole items.",
    )


def _id_of(row: Any, field: str) -> str:
    """The ID of an item; a hash of its content if it has none."""
    if "{" in field:
        return identify(row, field)
    return _scalar(find_value(row, field) if field else None) or identify(row, "")


def _scalar(value: Json) -> str:
    return str(value) if isinstance(value, (str, int, float)) else ""


def _constant(argument: Argument) -> Argument:
    """The argument without variables, as a trigger has no earlier steps."""
    fields = tuple(map(_constant, argument.fields))
    described = _DESCRIPTIONS.get(argument.key, argument.description)
    return argument.model_copy(update={"variables": False, "fields": fields, "description": described})


_ARGUMENTS = (
    text(
        "url",
        "Address",
        required=True,
        placeholder="https://example.com/items",
        description="With a connection, you can enter a path, such as /items.",
    ),
    name_value_rows("queryParams", "Query parameters", add="Add parameter"),
    name_value_rows("headers", "Headers", add="Add header"),
    text(
        "itemsPath",
        "Path to the list",
        placeholder="data.items",
        description="Leave empty if the response is the list.",
    ),
    text(
        "idPath",
        "Field that identifies an item",
        value="id",
        placeholder="id",
        description="A path such as id or meta.uuid. With {id}-{updatedAt}, changed items start the flow "
        "again. Leave empty to compare whole items.",
    ),
    dropdown(
        "order",
        "Order of the list",
        _ORDERS,
        required=True,
        value=ANY_ORDER,
        description="Newest first: reading ends at the first item that is known. Otherwise every poll reads "
        "all pages.",
    ),
    *(argument for argument in PAGING_ARGUMENTS if argument.key != "itemsPath"),
)

new_item = replace(
    polling_trigger(
        key="newItem",
        name="New item in a JSON API",
        description="Starts for each new item of a list that a service returns as JSON.",
        arguments=map(_constant, _ARGUMENTS),
        source=["url", "itemsPath"],
        supports_connections=False,
        items=items,
    ),
    connection_app="http",
    connection_optional=True,
)
