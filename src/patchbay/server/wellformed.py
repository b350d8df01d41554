"""Turns away requests whose head could be read in two ways, that have no end, or that ask for a worker."""

from http import HTTPStatus
from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Receive, Scope, Send

from patchbay.domain.errors import AppError, Forbidden, NotFound, ValidationFailed
from patchbay.server.failures import error_response
from patchbay.server.limits import DEFAULT_LIMITS

MAX_HEADERS = 100
_INVALID_SEGMENT_BYTES = frozenset(b"/\\") | set(range(0x20)) | {0x7F}


class RequestHeadCheck:
    """Lets only requests through whose target and headers mean one thing."""

    def __init__(self, app: ASGIApp, head_length: int = DEFAULT_LIMITS.head_length) -> None:
        self._app, self._head_length = app, head_length

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (problem := self._find_problem(scope)):
            status, message = problem
            answer = error_response(_error(status, message), status)
            answer.headers["connection"] = "close"  # nobody can tell where the next request begins
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _find_problem(self, scope: Scope) -> tuple[int, str] | None:
        headers = scope["headers"]
        length = len(scope["raw_path"]) + len(scope["query_string"])
        length += sum(len(name) + len(value) for name, value in headers)
        if len(headers) > MAX_HEADERS or length > self._head_length:
            return 431, "The request line and the headers are too long."
        names = [name for name, _ in headers]
        if b"service-worker" in names:
            return 403, "Service workers aren't supported: one could answer in place of the service."
        if b"transfer-encoding" in names and (b"content-length" in names or scope["http_version"] == "1.0"):
            return 400, "The request says in two ways where its body ends."
        if not scope["raw_path"].startswith(b"/"):
            return 400, "The request must ask for a path of this service, which begins with a slash."
        if b"%" in scope["raw_path"] or b"." in scope["raw_path"]:
            return _find_path_problem(scope["raw_path"])
        return None


def _find_path_problem(raw_path: bytes) -> tuple[int, str] | None:
    for segment in raw_path.split(b"/"):
        plain = unquote_to_bytes(segment)
        if plain in (b".", b"..") or _INVALID_SEGMENT_BYTES & set(plain) or not _is_text(plain):
            return 404, "There is no such path: it steps sideways, or holds what no path holds."
    return None


def _is_text(plain: bytes) -> bool:
    try:
        plain.decode()
    except UnicodeDecodeError:
        return False
    return True


def _error(status: int, message: str) -> AppError:
    if status == HTTPStatus.FORBIDDEN:
        return Forbidden(message)
    if status == HTTPStatus.NOT_FOUND:
        return NotFound(message, todo="Look at /openapi.json.")
    return ValidationFailed({"general": [message]}, happened=message)
