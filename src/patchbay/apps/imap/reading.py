"""Parses fetched messages in worker processes and pushes them as items; unreadable ones are skipped."""

import asyncio

from patchbay.domain.base import JsonObject
from patchbay.integration import Context
from patchbay.integration.context import is_item_error

from .messages import describe_message, read_message
from .search import FetchedMessage, SearchResult

READ_TIMEOUT_SECONDS = 60.0
"""After this time, other messages are left to the next poll, so that hostile ones can't make it time out."""
SECONDS = 30.0
MEGABYTES = 384
OUTPUT_BYTES = 40 << 20
"""Limits for parsing one message, far above what ordinary messages need."""


async def push_messages(ctx: Context, found: SearchResult, *, with_content: bool) -> None:
    """Read messages, oldest first, and push them, newest first, with the ID up to which all were read."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + READ_TIMEOUT_SECONDS
    read: list[tuple[FetchedMessage, JsonObject | Exception]] = []
    for message in found.messages:
        read.append((message, await _read(ctx, message, with_content)))
        if loop.time() >= ends:
            break
    all_read = len(read) == len(found.messages)
    ctx.mark_known(found.mark if all_read else read[-1][0].id)
    for message, outcome in reversed(read):
        if isinstance(outcome, Exception):
            ctx.skip_item(message.id, outcome, describe_message(message.raw))
        else:
            ctx.push_trigger_item(outcome, message.id)


async def _read(ctx: Context, message: FetchedMessage, with_content: bool) -> JsonObject | Exception:
    """The message as data, or why it can't be read. Raises errors that aren't about the message."""
    try:
        content = await ctx.compute(
            read_message,
            message.raw,
            with_content,
            seconds=SECONDS,
            megabytes=MEGABYTES,
            output_bytes=OUTPUT_BYTES,
        )
    except Exception as error:
        if not is_item_error(error):
            raise
        return error
    return {**message.about, **content}
