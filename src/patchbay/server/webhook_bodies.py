"""What was sent to a webhook, as data: JSON, forms, text, and files of multipart forms."""

import asyncio
import base64
from collections.abc import AsyncGenerator, Iterable
from http import HTTPStatus
from typing import NoReturn
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.types import Scope

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.server.failures import Refused, malformed
from patchbay.server.guard import USUAL, Allowance
from patchbay.server.json_text import strict_json

WITH_FILES = Allowance(length=10 * 1024 * 1024, seconds=120)
"""What a multipart form may take, all its fields and files together."""

_MULTIPART = "multipart/form-data"
_BLOCK = 256 * 1024


def allowance(scope: Scope) -> Allowance:
    """How much may be sent to a webhook with this request."""
    kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    return WITH_FILES if kind.lower().startswith(_MULTIPART.encode()) else USUAL


async def parsed(request: Request, raw: bytes) -> Json:
    """The body by its content type; None when it is empty.

    A file is `{"name", "contentType", "size", "base64"}`, and so is a body that is neither JSON nor form nor
    text. Raises `Refused` for what does not hold what its content type says.
    """
    if not raw:
        return None
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        _not_taken("The body is compressed, which is not taken here.", "Send it as it is.")
    given = request.headers.get("content-type", "")
    kind, charset = _content_type(given)
    if kind == "application/json" or kind.endswith("+json"):
        return _json(raw)
    if kind == _MULTIPART:
        return await _fields(request, raw)
    text = _text(raw, charset)
    if text is None:
        return _file("", given, raw)
    if kind == "application/x-www-form-urlencoded":
        return gathered(parse_qsl(text, keep_blank_values=True))
    return text


def gathered(pairs: Iterable[tuple[str, Json]]) -> JsonObject:
    """Names to values; a name given more than once holds a list."""
    found: dict[str, list[Json]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _content_type(header: str) -> tuple[str, str]:
    kind, _, parameters = header.partition(";")
    charset = parameters.lower().partition("charset=")[2].split(";")[0].strip(' "')
    return kind.strip().lower(), charset


def _json(raw: bytes) -> Json:
    try:
        return strict_json(raw)
    except ValueError:
        raise malformed("The body is not valid JSON, which its content type says it is.") from None


def _text(raw: bytes, charset: str) -> str | None:
    """The body as text; None when it is something binary."""
    try:
        return raw.decode(charset or "utf-8")
    except UnicodeDecodeError:
        return None
    except LookupError:
        _not_taken(f"The body's character set “{charset}” is not known here.", "Send it as UTF-8.")


def _not_taken(words: str, todo: str) -> NoReturn:
    error = ValidationFailed({"general": [words]}, happened=words, todo=todo)
    raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, error) from None


class _InMemory(MultiPartParser):
    """Files stay in memory: the body's limit bounds them, and nothing of them is left on a disk."""

    spool_max_size = WITH_FILES.length + 1


async def _fields(request: Request, raw: bytes) -> Json:
    parser = _InMemory(request.headers, _blocks(raw), max_part_size=WITH_FILES.length)
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise malformed(f"The body is not a multipart form that can be read: {error.message}") from None
    fields: list[tuple[str, Json]] = []
    for name, value in form.multi_items():
        fields.append((name, await _uploaded(value) if isinstance(value, UploadFile) else value))
    await form.close()
    return gathered(fields)


async def _blocks(raw: bytes) -> AsyncGenerator[bytes, None]:
    """The body in pieces, so that a long one does not keep the event loop from everybody else."""
    for start in range(0, len(raw), _BLOCK):
        yield raw[start : start + _BLOCK]
        await asyncio.sleep(0)


async def _uploaded(upload: UploadFile) -> Json:
    """None for the empty file that a browser sends when nobody chose one."""
    content = await upload.read()
    if not upload.filename and not content:
        return None
    return _file(upload.filename or "", upload.content_type or "", content)


def _file(name: str, content_type: str, content: bytes) -> JsonObject:
    return {
        "name": name,
        "contentType": content_type or "application/octet-stream",
        "size": len(content),
        "base64": base64.b64encode(content).decode(),
    }
