"""Form-encoded bodies are taken by the interface as well as JSON. Source: wire facts."""

import json
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchbay.server.webhooks import PREFIX

_FORM = b"application/x-www-form-urlencoded"


class FormBodies:
    """Hands forms on as JSON objects of texts, except to webhooks, which read their bodies themselves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_form(scope) or scope["path"].startswith(PREFIX):
            await self._app(scope, receive, send)
            return
        text = (await _read(receive)).decode("utf-8", "replace")
        body = json.dumps(dict(parse_qsl(text, keep_blank_values=True))).encode()
        await self._app(_as_json(scope), _once(body, receive), send)


def _is_form(scope: Scope) -> bool:
    return any(
        name == b"content-type" and value.lower().startswith(_FORM) for name, value in scope["headers"]
    )


def _as_json(scope: Scope) -> Scope:
    kept = [item for item in scope["headers"] if item[0] not in (b"content-type", b"content-length")]
    return {**scope, "headers": [*kept, (b"content-type", b"application/json")]}


async def _read(receive: Receive) -> bytes:
    parts: list[bytes] = []
    more = True
    while more:
        message = await receive()
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
