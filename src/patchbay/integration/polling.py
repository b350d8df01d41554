"""Builds polling triggers from a description of items, pages, and item IDs."""

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import Argument
from patchbay.domain.json_limits import read_json
from patchbay.domain.variables import look_up
from patchbay.integration.app_definition import Trigger
from patchbay.integration.context import Context, StopTrigger
from patchbay.integration.request import Response, segment

Item = tuple[Json, str]
Items = Callable[[Context], AsyncGenerator[Item, None]]
MAX_PAGES = 20
MAX_ITEMS = 10_000
"""Max. new items of one poll. The next poll continues with the others."""
MAX_POLL_BYTES = 25 * 1024 * 1024
"""No further page is requested once the responses of one poll are this large."""
_WORKER_THRESHOLD_BYTES = 512 * 1024
"""Larger responses are parsed in a worker process: parsing in a thread would block the event loop as well."""
_LOOKUP_BATCH = 500
_MAX_BLOCKING_SECONDS = 0.01
"""Seconds of handling items after which other tasks of the event loop run."""
_PARAMETER = re.compile(r"\{(\w+)\}")


def polling_trigger(
    *,
    key: str,
    name: str,
    items: Items,
    description: str = "",
    arguments: Iterable[Argument] = (),
    supports_connections: bool = True,
    source: Iterable[str] = (),
) -> Trigger:
    """A trigger that fetches items, newest first, until it reaches a known one.

    If a poll leaves items behind, the next one reads up to `1 + unfinished_polls` times as many pages, and
    skips the items already reported.

    `items` yields each item with its ID. Wrap the code that builds one item in `ctx.guard_item(id)`, so that
    an item that it can't handle is skipped, and the others start the flow. `source` as in `Trigger`.
    """

    async def run(ctx: Context) -> None:
        loop = asyncio.get_running_loop()
        handled, resumed_at = 0, loop.time()
        async with (
            aclosing(items(ctx)) as all_items,
            aclosing(_without_passed_items(ctx, all_items)) as found,
        ):
            async for raw, internal_id in found:
                if handled >= MAX_ITEMS:
                    ctx.has_more_items = True
                    return
                ctx.push_trigger_item(raw, internal_id)
                handled += 1
                if loop.time() - resumed_at > _MAX_BLOCKING_SECONDS:
                    await asyncio.sleep(0)
                    resumed_at = loop.time()

    return Trigger(
        key=key,
        name=name,
        description=description,
        arguments=tuple(arguments),
        run=run,
        supports_connections=supports_connections,
        source=tuple(source),
    )


async def _without_passed_items(
    ctx: Context, items: AsyncGenerator[Item, None]
) -> AsyncGenerator[Item, None]:
    """The items that no unfinished poll has reported. Raises `StopTrigger` at a known one."""
    if not ctx.unfinished_polls:
        async for item in items:
            yield item
        return
    batch: list[Item] = []
    async for item in items:
        batch.append(item)
        if len(batch) >= _LOOKUP_BATCH:
            for one in await _drop_passed_items(ctx, batch):
                yield one
            batch.clear()
    for one in await _drop_passed_items(ctx, batch):
        yield one


async def _drop_passed_items(ctx: Context, items: Sequence[Item]) -> list[Item]:
    """The new ones among the items, up to the first known one, which stops the trigger when it's pushed."""
    passed_ids = await ctx.seen([internal_id for _, internal_id in items])
    new: list[Item] = []
    for item in items:
        if item[1] not in passed_ids:
            new.append(item)
            continue
        try:
            ctx.mark_passed(item[1])
        except StopTrigger:
            return [*new, item]
    return new


def one_page(
    path: str, *, at: str = "", internal_id: str = "id", query: Mapping[str, Json] | None = None
) -> Items:
    """All items of one response. `at` is the dotted path of the list; empty for the top level."""

    async def items(ctx: Context) -> AsyncGenerator[Item, None]:
        response = await ctx.http.get(
            _build_path(path, ctx.parameters), params=_build_query(query, ctx.parameters)
        )
        max_rows = MAX_ITEMS * (1 + ctx.unfinished_polls)
        rows = await _read_rows(ctx, response, at, max_rows + 1)
        for raw in rows:
            yield raw, identify(raw, internal_id)
        ctx.has_more_items = len(rows) > max_rows

    return items


def offset_pages(
    path: str,
    *,
    at: str = "",
    internal_id: str = "id",
    query: Mapping[str, Json] | None = None,
    offset_key: str = "offset",
    limit_key: str = "limit",
    limit: int = 100,
) -> Items:
    """All items of pages by offset and limit, until a page isn't full."""

    async def items(ctx: Context) -> AsyncGenerator[Item, None]:
        pages = offset_rows(
            ctx,
            _build_path(path, ctx.parameters),
            at=at,
            query=_build_query(query, ctx.parameters),
            offset_key=offset_key,
            limit_key=limit_key,
            limit=limit,
        )
        async with aclosing(pages) as rows:
            async for raw in rows:
                yield raw, identify(raw, internal_id)

    return items


async def offset_rows(
    ctx: Context,
    path: str,
    *,
    at: str = "",
    query: Mapping[str, Json] | None = None,
    offset_key: str = "offset",
    limit_key: str = "limit",
    limit: int = 100,
    max_pages: int = MAX_PAGES,
) -> AsyncGenerator[Json, None]:
    """The rows of all pages, until a page isn't full. Of each page, at most `limit` rows are read."""
    received_bytes, page_factor = 0, 1 + ctx.unfinished_polls
    for page in range(max_pages * page_factor):
        params = {**(query or {}), limit_key: limit, offset_key: page * limit}
        response = await ctx.http.get(path, params=params)
        rows = await _read_rows(ctx, response, at, limit)
        for row in rows:
            yield row
        received_bytes += len(response.content)
        if len(rows) < limit:
            return
        if received_bytes > MAX_POLL_BYTES * page_factor:
            break
    ctx.has_more_items = True


def identify(raw: Json, internal_id: str) -> str:
    """The item's ID at a dotted path; without one, a hash of its content, the same at every poll."""
    found, value = look_up(raw, tuple(internal_id.split(".")))
    if found and isinstance(value, (str, int, float)) and str(value):
        return str(value)
    try:
        canonical = json.dumps(raw, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:  # too deep to be stored, but the next poll must recognize it
        values = raw.items() if isinstance(raw, dict) else ()
        canonical = repr([(key, value) for key, value in values if not isinstance(value, (dict, list))])
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


async def _read_rows(ctx: Context, response: Response, at: str, max_rows: int) -> list[Json]:
    """The first `max_rows` rows of a response. Raises `ThirdPartyError` if it isn't JSON."""
    if len(response.content) <= _WORKER_THRESHOLD_BYTES or ctx.workers is None:
        return _find_list(response.json(), at)[:max_rows]
    rows = await ctx.compute(parse_rows, response.content, at, max_rows, output_bytes=MAX_POLL_BYTES)
    if rows is None:
        raise response.not_json_error()
    return rows


def parse_rows(content: bytes, at: str, max_rows: int) -> list[Json] | None:
    """The first `max_rows` rows of the list at `at` in JSON text; None if invalid. Runs in a worker."""
    try:
        return _find_list(read_json(content), at)[:max_rows]
    except ValueError:
        return None


def _find_list(response: Json, at: str) -> list[Json]:
    value = look_up(response, tuple(at.split(".")))[1] if at else response
    return value if isinstance(value, list) else []


def _build_path(template: str, parameters: JsonObject) -> str:
    return _PARAMETER.sub(lambda match: segment(parameters.get(match[1]) or ""), template)


def _build_query(query: Mapping[str, Json] | None, parameters: JsonObject) -> JsonObject:
    """The parameters of the request, without empty ones."""
    filled = {
        key: _PARAMETER.sub(lambda match: str(parameters.get(match[1]) or ""), value)
        if isinstance(value, str)
        else value
        for key, value in (query or {}).items()
    }
    return {key: value for key, value in filled.items() if value not in (None, "")}
