"""Addresses, labels, messages, signatures, and threads for dropdowns."""

import asyncio
from collections.abc import Sequence
from typing import Any

from patchbay.domain.base import JsonObject
from patchbay.domain.fields import Option
from patchbay.integration import Context, DynamicData, option_list, segment
from patchbay.integration.described_requests import prepare, values_of
from patchbay.integration.google import GOOGLE_PROFILE
from patchbay.integration.paging import rows_of

from .reading import headers_of

_MAILBOX = "/gmail/v1/users/{auth.userId}"
_MAX_LISTED = 50
_AT_ONCE = 10
"""Messages that are requested at the same time, within Gmail's limit for one user."""

list_emails = option_list(
    "listEmails", GOOGLE_PROFILE, at="emailAddresses", label="{value}", value="{value}", absent_if_empty=True
)
list_labels = option_list("listLabels", f"{_MAILBOX}/labels", at="labels", absent_if_empty=True)
list_signatures = option_list(
    "listSignatures",
    f"{_MAILBOX}/settings/sendAs",
    at="sendAs",
    label="{sendAsEmail}",
    value="{signature}",
    only=lambda alias, parameters: bool(alias.get("signature")),
    absent_if_empty=True,
)


async def _newest(ctx: Context, kind: str) -> list[dict[str, Any]]:
    """The newest messages or threads, with the headers that describe them."""
    request = prepare(f"{_MAILBOX}/{kind}", values_of(ctx), query={"maxResults": _MAX_LISTED})
    listed = rows_of(await request.send(ctx), kind, absent_if_empty=True)
    details: JsonObject = {"format": "metadata", "metadataHeaders": ["Subject", "From"]}

    async def read(row: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = (
            await ctx.http.get(f"{request.url}/{segment(row['id'])}", params=details)
        ).json()
        return found

    found: list[dict[str, Any]] = []
    for start in range(0, len(listed), _AT_ONCE):
        found += await asyncio.gather(*map(read, listed[start : start + _AT_ONCE]))
    return found


def _option(entry: dict[str, Any], message: dict[str, Any]) -> Option:
    headers = headers_of(message)
    label = " - ".join(filter(None, (headers.get("subject"), headers.get("from"))))
    return Option(label=label or str(entry["id"]), value=str(entry["id"]))


async def _load_messages(ctx: Context) -> Sequence[Option]:
    return [_option(message, message) for message in await _newest(ctx, "messages")]


async def _load_threads(ctx: Context) -> Sequence[Option]:
    return [_option(thread, thread["messages"][0]) for thread in await _newest(ctx, "threads")]


list_messages = DynamicData(key="listMessages", load=_load_messages)
list_threads = DynamicData(key="listThreads", load=_load_threads)
