"""The addresses that start flows. A plain ASGI route: no API key, no validation layer, quick.

Source: domain facts, section 5 "Webhooks". HEAD and unknown methods never start a run.
"""

import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from patchbay.domain.base import Json
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.ports import WebhookAnswer, WebhookIntake, WebhookRequest
from patchbay.server.access import HEADER
from patchbay.server.failures import Refused, malformed
from patchbay.server.params import canonical, is_uuid

METHODS = ("GET", "POST", "PUT", "PATCH")

_CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": ", ".join(METHODS),
    "access-control-allow-headers": "*",
}
_NOT_PASSED_ON = frozenset(
    {
        "connection",
        "content-length",
        "date",
        "keep-alive",
        "server",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")


class WebhookEndpoint:
    """Hands incoming calls to the engine's intake."""

    def __init__(self, intake: WebhookIntake, *, synchronous: bool) -> None:
        self._intake, self._synchronous = intake, synchronous

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        answer = await self._answer(request)
        answer.headers.update({**_CORS, **dict(answer.headers)})
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204)
        if request.method not in METHODS:
            raise HTTPException(405, headers={"allow": ", ".join(METHODS)})
        flow_id = request.path_params["flowId"]
        if not is_uuid(flow_id):
            raise Refused(400, NotFound("This is not the address of a webhook: the flow's id is malformed."))
        try:
            event = await _read(request)
        except ClientDisconnect:
            return Response(status_code=400)
        answer = await self._intake.deliver(canonical(flow_id), event, synchronous=self._synchronous)
        return _response(answer)


def routes(intake: WebhookIntake) -> list[Route]:
    """The two addresses of every flow."""
    later, now = (WebhookEndpoint(intake, synchronous=value) for value in (False, True))
    return [Route("/webhooks/flows/{flowId}", later), Route("/webhooks/flows/{flowId}/sync", now)]


async def _read(request: Request) -> WebhookRequest:
    raw = await request.body()
    try:
        return WebhookRequest(
            method=request.method,
            headers={name: value for name, value in request.headers.items() if name != HEADER},
            query=_gathered(request.query_params.multi_items()),
            body=await _parsed(request, raw) if raw else None,
            raw_body=raw,
        )
    except (ValidationError, RecursionError):
        raise malformed(
            "The request holds text that is not valid Unicode, or is nested too deeply."
        ) from None


async def _parsed(request: Request, raw: bytes) -> Json:
    kind, charset = _content_type(request.headers.get("content-type", ""))
    if kind == "application/json" or kind.endswith("+json"):
        return _json(raw)
    if kind == "multipart/form-data":
        return await _fields(request)
    text = _text(raw, charset)
    if kind == "application/x-www-form-urlencoded" and text is not None:
        return _gathered(parse_qsl(text, keep_blank_values=True))
    return text


def _content_type(header: str) -> tuple[str, str]:
    kind, _, parameters = header.partition(";")
    charset = parameters.lower().partition("charset=")[2].split(";")[0].strip(' "')
    return kind.strip().lower(), charset


def _json(raw: bytes) -> Json:
    try:
        value: Json = json.loads(raw, parse_constant=_no_constant)
        if b"\\ud" in raw.lower():  # half of a surrogate pair can be written in JSON but stored nowhere
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise malformed("The body is not valid JSON.") from None
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _text(raw: bytes, charset: str) -> str | None:
    """The body as text; None when it is something binary."""
    try:
        return raw.decode(charset or "utf-8")
    except UnicodeDecodeError:
        return None
    except LookupError:
        words = f"The body's character set “{charset}” is not known here."
        raise Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, ValidationFailed({"general": [words]}, happened=words)
        ) from None


async def _fields(request: Request) -> Json:
    """Text fields of a multipart form; files are left out."""
    try:
        form = await request.form()
    except (HTTPException, MultiPartException):
        raise malformed("The body is not a valid multipart form.") from None
    fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    await form.close()
    return _gathered(fields)


def _gathered(pairs: Iterable[tuple[str, str]]) -> dict[str, Json]:
    """Names to values; a name given more than once holds a list."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name not in found:
            found[name] = value
        elif isinstance(found[name], list):
            found[name].append(value)
        else:
            found[name] = [found[name], value]
    return found


def _response(answer: WebhookAnswer) -> Response:
    """What the flow wants answered, without headers that are the server's own or not sendable."""
    headers = {name.lower(): value for name, value in answer.headers.items() if _sendable(name, value)}
    if answer.body is None:
        return Response(status_code=answer.status, headers=headers)
    headers.setdefault("content-type", _guessed_type(answer.body))
    return Response(answer.body, answer.status, headers)


def _sendable(name: str, value: str) -> bool:
    key = name.lower()
    if key in _NOT_PASSED_ON or not key or not set(key) <= _TOKEN:
        return False
    return value.isprintable() and value.isascii()


def _guessed_type(body: str) -> str:
    try:
        json.loads(body)
    except ValueError:
        return "text/plain; charset=utf-8"
    return "application/json"
