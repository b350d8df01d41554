"""Bodies of the interface: JSON, or forms, which are taken as well. Source: wire facts.

Checked before anything else reads them, so that what a body says does not depend on who reads it.
"""

import asyncio
import json
from http import HTTPStatus
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchbay.domain.charsets import charset_in
from patchbay.domain.errors import ValidationFailed
from patchbay.server.failures import Refused, failure, malformed
from patchbay.server.json_text import MOST_VALUES, TooManyValues, strict_json
from patchbay.server.webhooks import PREFIX

_FORM = "application/x-www-form-urlencoded"
_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
_SHORT = 16 * 1024
_READ_AT_ONCE = 2
_CHARSETS = ("", "utf-8", "utf8", "us-ascii")


class InterfaceBodies:
    """Hands on JSON that can be read, and forms as JSON objects of texts; webhooks read theirs themselves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._turns = asyncio.Semaphore(_READ_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in _WITHOUT_BODY or scope["path"].startswith(PREFIX):
            await self._app(scope, receive, send)
            return
        raw = await _read(receive)
        if raw is None:
            return  # the caller is gone
        try:
            body = await self._readable(scope, raw)
        except Refused as refused:
            await failure(refused.error, refused.status)(scope, receive, send)
            return
        if raw:
            _mark_as_json(scope)
        await self._app(scope, _once(body, receive), send)

    async def _readable(self, scope: Scope, raw: bytes) -> bytes:
        """Long bodies are looked at in a thread: nobody has been asked for a key yet."""
        if len(raw) <= _SHORT:
            return _readable(scope, raw) if raw else raw
        async with self._turns:
            return await asyncio.to_thread(_readable, scope, raw)


def _readable(scope: Scope, raw: bytes) -> bytes:
    headers = dict(scope["headers"])
    given = headers.get(b"content-type", b"").decode("latin-1").lower()
    kind, charset = given.partition(";")[0].strip(), charset_in(given)
    encoding = headers.get(b"content-encoding", b"").decode("latin-1").strip().lower()
    if encoding not in ("", "identity"):
        raise _not_taken("The body is compressed, which is not taken here.", "Send it as it is.")
    if charset not in _CHARSETS:
        raise _not_taken(f"The body's character set “{charset}” is not taken here.", "Send it as UTF-8.")
    if kind == _FORM:
        return json.dumps(_fields(raw)).encode()
    if kind and kind != "application/json" and not kind.endswith("+json"):
        raise _not_taken(f"A body of the type “{kind}” is not taken here.", "Send application/json.")
    try:
        strict_json(raw, MOST_VALUES)
    except TooManyValues:
        raise malformed(f"The body holds more than {MOST_VALUES:,} values. Send less at once.") from None
    except ValueError:
        raise malformed("The body is not valid JSON.") from None
    return raw


def _fields(raw: bytes) -> dict[str, str]:
    try:
        return dict(parse_qsl(raw.decode(), keep_blank_values=True, max_num_fields=1000))
    except ValueError:
        raise malformed("The body is not a form that can be read.") from None


def _not_taken(words: str, todo: str) -> Refused:
    error = ValidationFailed({"general": [words]}, happened=words, todo=todo)
    return Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, error)


def _mark_as_json(scope: Scope) -> None:
    kept = [item for item in scope["headers"] if item[0] not in (b"content-type", b"content-length")]
    scope["headers"] = [*kept, (b"content-type", b"application/json")]


async def _read(receive: Receive) -> bytes | None:
    """The whole body; None when the caller left before its end."""
    parts: list[bytes] = []
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def _once(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
