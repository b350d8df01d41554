"""Shared by the actions that send requests typed by a person: rows in, answers out."""

import asyncio
import json
from base64 import b64encode
from typing import TYPE_CHECKING

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.foreign_json import MOST_VALUES, TooManyValues, read_json
from patchbay.integration.masking import Masker
from patchbay.integration.request import Response, too_many_values

if TYPE_CHECKING:
    from patchbay.integration.context import Context

_TEXTUAL = ("json", "xml", "javascript", "x-www-form-urlencoded", "yaml", "csv", "graphql", "html")

_SHORT = 64 * 1024
"""Bytes that are read at once; a thread would cost more."""


def row_pairs(rows: Json) -> list[tuple[str, str]]:
    """Name and value of each filled row; rows without a name are dropped."""
    if not isinstance(rows, list):
        return []
    pairs = [(row.get("key"), row.get("value")) for row in rows if isinstance(row, dict)]
    return [(_text(name).strip(), _text(value)) for name, value in pairs if _text(name).strip()]


async def set_answer_item(ctx: "Context", response: Response) -> None:
    """Set an answer as what the action puts out; a long one is read in a thread, so that nobody waits for it.

    Raises `NotSupported` for JSON with too many values.
    """
    masker = ctx.masker()
    if len(response.content) <= _SHORT:
        ctx.action_output = _masked_item(response, masker)
    else:
        ctx.action_output = await asyncio.to_thread(_masked_item, response, masker)


def _masked_item(response: Response, masker: Masker) -> Json:
    return masker.json(answer_item(response))


def answer_item(response: Response) -> JsonObject:
    """An answer as a step puts it out: data, headers, status, statusText."""
    return {
        "data": data_of(response),
        "headers": dict(response.headers),
        "status": response.status,
        "statusText": response.reason,
    }


def data_of(response: Response) -> Json:
    """JSON as it is, text as text, everything else in base64. Raises `NotSupported` for too many values."""
    if not response.content:
        return ""
    if not is_textual(response):
        return b64encode(response.content).decode("ascii")
    try:
        return read_json(response.text, MOST_VALUES)
    except TooManyValues:
        raise too_many_values(response) from None
    except ValueError:
        return response.text


def is_textual(response: Response) -> bool:
    """Whether the content is text: by its type, or by its bytes when no type was sent."""
    kind = response.content_type
    if kind.startswith("text/") or any(word in kind for word in _TEXTUAL):
        return True
    if kind:
        return False
    try:
        response.content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in response.content


def _text(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
