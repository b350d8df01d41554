"""Shared by the actions that send requests typed by a person: rows in, answers out."""

import asyncio
import json
from base64 import b64encode
from typing import TYPE_CHECKING

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.foreign_json import MAX_JSON_VALUES, TooManyValues, read_json
from patchbay.integration.contract import OnInterrupted
from patchbay.integration.fields import YES_NO, dropdown
from patchbay.integration.masking import Masker
from patchbay.integration.request import Response, too_many_values
from patchbay.integration.values import flag, text_of

if TYPE_CHECKING:
    from patchbay.integration.context import Context

_TEXTUAL = ("json", "xml", "javascript", "x-www-form-urlencoded", "yaml", "csv", "graphql", "html")

IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"})
"""Methods that have the same effect however often a request is sent (RFC 9110, 9.2.2)."""
_IDEMPOTENCY_KEY = "idempotency-key"

_SHORT = 64 * 1024
"""Bytes that are read at once; a thread would cost more."""


def row_headers(ctx: "Context", method: str) -> dict[str, str]:
    """The headers that were typed, lower-case; an `Idempotency-Key` is added where the method needs one.

    The key is the same whenever this step of this run is repeated, so that a service that knows the header
    carries the request out once. A typed one is sent instead; with an empty value, none is.
    """
    headers = {name.lower(): value for name, value in row_pairs(ctx.parameters.get("headers"))}
    if method not in IDEMPOTENT:
        headers.setdefault(_IDEMPOTENCY_KEY, ctx.idempotency_key)
    if not headers.get(_IDEMPOTENCY_KEY, "-"):
        del headers[_IDEMPOTENCY_KEY]
    return headers


def when_interrupted(parameters: JsonObject) -> OnInterrupted:
    """A typed request is repeated if its method is idempotent, or if the step says that it is safe."""
    if text_of(parameters, "method").strip().upper() in IDEMPOTENT:
        return OnInterrupted.REPEAT
    return OnInterrupted.REPEAT_WITH_KEY if flag(parameters.get("mayRepeat")) else OnInterrupted.ASK


MAY_REPEAT = dropdown(
    "mayRepeat",
    "Safe to repeat",
    YES_NO,
    value=False,
    description="For POST and PATCH. Yes: the request is sent again after an interruption, a timeout, or an "
    "error of the server. No: the run stops there and you decide. Other methods are always repeated.",
)


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
        return read_json(response.text, MAX_JSON_VALUES)
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
