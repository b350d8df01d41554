"""Parsing responses: bodies with limits, tolerant models, and the envelope of the API."""

import asyncio
import codecs
import json
import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, TypeVar

import httpx
from pydantic import ValidationError

from patchbay.client.errors import error_from_response, invalid_response_error, response_too_large
from patchbay.client.retries import RawResponse
from patchbay.domain.base import Model

MAX_RESPONSE_BYTES = 32 * 1024 * 1024
"""Max. bytes of one response, decompressed."""
MAX_LINE_LENGTH = 1024 * 1024
"""Max. characters of one line of an event stream."""


async def read_body(response: httpx.Response, base_url: str, seconds: float) -> bytes:
    """Read and decompress the body.

    Raises `ServerFault` if it is too large, `httpx.ReadTimeout` if it hasn't ended within `seconds`, and
    `httpx.DecodingError` if it can't be decompressed.
    """
    _reject_double_compression(response)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for part in response.aiter_bytes():
                size += len(part)
                if size > MAX_RESPONSE_BYTES:
                    raise response_too_large(base_url, MAX_RESPONSE_BYTES)
                parts.append(part)
    except TimeoutError as error:
        raise httpx.ReadTimeout("The response didn't end.", request=response.request) from error
    return b"".join(parts)


async def iter_lines(response: httpx.Response, base_url: str) -> AsyncIterator[str]:
    """The lines of an endless response. Raises `ServerFault` for a line that is too long."""
    _reject_double_compression(response)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    partial_line = ""
    async for part in response.aiter_bytes():
        *ended, partial_line = (partial_line + decode(part)).split("\n")
        if len(partial_line) > MAX_LINE_LENGTH or any(len(line) > MAX_LINE_LENGTH for line in ended):
            raise response_too_large(base_url, MAX_LINE_LENGTH)
        for line in ended:
            yield line.removesuffix("\r")


def _reject_double_compression(response: httpx.Response) -> None:
    """Raise `DecodingError` for doubly compressed data, which can grow a million times uncounted."""
    if "," in response.headers.get("content-encoding", ""):
        raise httpx.DecodingError("The response is compressed more than once.", request=response.request)


# Tolerant models

M = TypeVar("M", bound=Model)
Location = tuple[int | str, ...]
_REMOVED = object()

log = logging.getLogger("client")

MAX_REPAIR_ROUNDS = 5
"""Max. attempts to repair a row before it's skipped."""
_FALLBACK_VALUES: Mapping[str, str] = {"type": "action", "state": "running"}
"""Replacements for unknown enum values; other unknown values are removed."""
_DEFAULT_VALUES: Mapping[str, str] = {"name": "Without a name", "fullName": "", "email": "", "happened": ""}
"""Defaults for required fields that are null or missing."""


def read(model: type[M], data: object) -> M | None:
    """Parse a model, repaired if necessary; None if it can't be parsed."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        return _repair_and_validate(model, data, error)


def parse_models(model: type[M], rows: Iterable[object]) -> tuple[M, ...]:
    """Parse models, in order, without rows that can't be parsed."""
    return tuple(found for row in rows if (found := read(model, row)) is not None)


def _repair_and_validate(model: type[M], data: object, error: ValidationError) -> M | None:
    row: Any = data
    for _ in range(MAX_REPAIR_ROUNDS):
        row = _copy_without_removed(row)
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        if not isinstance(row, dict) or not all(
            _repair_field(row, item["loc"], item["type"]) for item in problems
        ):
            return None
        row = _copy_without_removed(row)
        try:
            found = model.model_validate(row)
        except ValidationError as next_error:
            error = next_error
        else:
            log.debug("a response was only partly understood (%s)", model.__name__)
            return found
    return None


def _repair_field(row: dict[str, Any], location: Location, kind: str) -> bool:
    """Repair the value at `location`; False if there is nothing to change."""
    if not location:
        return False
    parent, key = _parent_of(row, location), location[-1]
    if parent is _REMOVED:
        return True  # along with its container
    if isinstance(parent, dict):
        if key in _DEFAULT_VALUES and parent.get(key) is None:
            parent[key] = _DEFAULT_VALUES[str(key)]
            return True
        if kind == "enum" and key in _FALLBACK_VALUES:
            parent[key] = _FALLBACK_VALUES[str(key)]
            return True
    if kind == "missing":
        # There is no default, so remove the smallest object that lacks it.
        return _repair_field(row, location[:-1], "incomplete")
    there = key in parent if isinstance(parent, dict) else isinstance(parent, list) and isinstance(key, int)
    if there:
        parent[key] = _REMOVED
    return there


def _parent_of(row: dict[str, Any], location: Location) -> Any:
    """The container of the value at `location`."""
    parent: Any = row
    for key in location[:-1]:
        if isinstance(parent, dict):
            parent = parent.get(key)
        elif isinstance(parent, list) and isinstance(key, int) and key < len(parent):
            parent = parent[key]
    return parent


def _copy_without_removed(value: Any) -> Any:
    """A copy without the removed values."""
    if isinstance(value, Mapping):
        return {key: _copy_without_removed(item) for key, item in value.items() if item is not _REMOVED}
    if isinstance(value, list):
        return [_copy_without_removed(item) for item in value if item is not _REMOVED]
    return value


# The envelope


class ApiResponse:
    """The `data` and `meta` of a successful call; both empty if there was no content."""

    def __init__(self, body: Mapping[str, Any], base_url: str) -> None:
        self._base_url = base_url
        self.data: Any = body.get("data")
        meta = body.get("meta")
        self.meta: Mapping[str, Any] = meta if isinstance(meta, Mapping) else {}

    def one(self, model: type[M]) -> M:
        """The data as a model. Raises `ServerFault` if it can't be parsed."""
        if (found := read(model, self.data)) is None:
            raise invalid_response_error(self._base_url)
        return found

    def many(self, model: type[M]) -> tuple[M, ...]:
        """The data as models, in order, without rows that can't be parsed.

        Raises `ServerFault` if none can.
        """
        found = parse_models(model, self.rows())
        if not found and self.rows():
            raise invalid_response_error(self._base_url)
        return found

    def rows(self) -> list[Any]:
        """The data as a list; empty for null. Raises `ServerFault` for anything else."""
        if self.data is None:
            return []
        if not isinstance(self.data, list):
            raise invalid_response_error(self._base_url)
        return self.data

    @property
    def total(self) -> int | None:
        """The number of rows in all pages; None if the server doesn't send it."""
        count = self.meta.get("count")
        try:
            return None if count is None else max(0, int(count))
        except (TypeError, ValueError, OverflowError):
            return None

    @property
    def count(self) -> int:
        """The number of rows in all pages; of the rows received, if the server doesn't send it."""
        received = len(self.data) if isinstance(self.data, list) else 0
        return received if self.total is None else self.total


def unwrap_response(raw_response: RawResponse, base_url: str) -> ApiResponse:
    """Parse a response. Raises the error that the server reports; `ServerFault` if it is invalid."""
    if not raw_response.ok:
        raise error_from_response(raw_response.status, raw_response.headers, raw_response.content, base_url)
    if not raw_response.content:
        return ApiResponse({}, base_url)
    try:
        body = json.loads(raw_response.content)
    except (ValueError, RecursionError) as error:
        raise invalid_response_error(base_url, raw_response.headers, raw_response.content) from error
    if not isinstance(body, dict) or "data" not in body:
        raise invalid_response_error(base_url)
    return ApiResponse(body, base_url)
