"""Bodies of the interface: JSON, or forms, which are taken as well. Source: wire facts.

Checked before anything else reads them, so that what a body says does not depend on who reads it.
"""

import json
from functools import partial

from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchbay.domain.charsets import charset_from_content_type
from patchbay.domain.ports import ApiKeys
from patchbay.server.access import API_KEY_HEADER
from patchbay.server.body_decoding import (
    FORM,
    DecodingThreads,
    decode_form,
    decode_json,
    is_json,
    refuse_compressed,
    unsupported_charset,
    unsupported_media_type,
)
from patchbay.server.failures import RequestRejected, bad_request, error_response
from patchbay.server.webhooks import WEBHOOK_PREFIX

_METHODS_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
_CHARSETS = ("", "utf-8", "utf8", "us-ascii")


class ApiBodyParser:
    """Hands on JSON that can be read, and forms as JSON objects of texts; webhooks read theirs themselves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._threads = DecodingThreads()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] != "http"
            or scope["method"] in _METHODS_WITHOUT_BODY
            or scope["path"].startswith(WEBHOOK_PREFIX)
        ):
            await self._app(scope, receive, send)
            return
        if not await _may_send_body(scope):
            await self._app(scope, _replay_body(b"", receive), send)
            return
        raw = await _read_body(receive)
        if raw is None:
            return  # the caller is gone
        try:
            body = await self._threads.run(raw, partial(_to_json, scope, raw)) if raw else raw
        except RequestRejected as refused:
            await error_response(refused.error, refused.status)(scope, receive, send)
            return
        if raw:
            _mark_as_json(scope)
        await self._app(scope, _replay_body(body, receive), send)


async def _may_send_body(scope: Scope) -> bool:
    """Whether the address exists and the key, if it needs one, is known.

    Otherwise the error doesn't depend on the body, and reading it would only let strangers cause work.
    """
    app = scope["app"]
    route = next((item for item in app.router.routes if item.matches(scope)[0] is Match.FULL), None)
    if route is None:
        return False
    if isinstance(route, Route) and not isinstance(route, APIRoute):
        return True  # pages and forms outside the interface
    keys: ApiKeys = app.state.api_keys
    key = Headers(scope=scope).get(API_KEY_HEADER, "")
    return bool(key) and await keys.check(key) is not None


def _to_json(scope: Scope, raw: bytes) -> bytes:
    """The body as JSON. Raises `RequestRejected` for one that isn't JSON or a form."""
    headers = dict(scope["headers"])
    content_type = headers.get(b"content-type", b"").decode("latin-1").lower()
    media_type, charset = content_type.partition(";")[0].strip(), charset_from_content_type(content_type)
    refuse_compressed(headers.get(b"content-encoding", b"").decode("latin-1"))
    if charset not in _CHARSETS:
        raise unsupported_charset(charset)
    if media_type == FORM:
        return json.dumps(dict(decode_form(_decode_utf8(raw)))).encode()
    if media_type and not is_json(media_type):
        raise unsupported_media_type(
            f"The content type “{media_type}” isn't supported.", "Send application/json."
        )
    decode_json(raw)
    return raw


def _decode_utf8(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise bad_request("The form is not valid UTF-8.") from None


def _mark_as_json(scope: Scope) -> None:
    other_headers = [item for item in scope["headers"] if item[0] not in (b"content-type", b"content-length")]
    scope["headers"] = [*other_headers, (b"content-type", b"application/json")]


async def _read_body(receive: Receive) -> bytes | None:
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


def _replay_body(body: bytes, receive: Receive) -> Receive:
    is_replayed = False

    async def replay() -> Message:
        nonlocal is_replayed
        if is_replayed:
            return await receive()
        is_replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
