"""Retries of requests after network failures and temporary errors (429, 502, 503, 504)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import stamina

from patchbay.domain.certificates import rejection

MAX_ATTEMPTS = 3
INITIAL_DELAY_SECONDS = 0.1
MAX_DELAY_SECONDS = 5.0
"""A longer Retry-After is reported instead of waiting."""
RETRY_TIMEOUT_SECONDS = 20.0
"""No retry after this time, whatever the number of attempts."""
_TRANSIENT_ERRORS = (httpx.ConnectError, httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
_TRANSIENT_STATUSES = (429, 502, 503, 504)


@dataclass(frozen=True)
class RawResponse:
    """A response: status, headers, and the decompressed body."""

    status: int
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    content: bytes = b""

    @property
    def ok(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300


class _TransientStatus(Exception):
    """A response with a temporary error status."""

    def __init__(self, raw_response: RawResponse) -> None:
        super().__init__(raw_response.status)
        self.raw_response = raw_response


async def retry_transient(send_request: Callable[[], Awaitable[RawResponse]]) -> RawResponse:
    """Send the request, and retry it after network failures and temporary statuses.

    Only for requests that are safe to repeat. Raises the last httpx error; returns the last response if its
    status stays temporary.
    """
    try:
        async for attempt in stamina.retry_context(
            on=_retry_delay,
            attempts=MAX_ATTEMPTS,
            timeout=RETRY_TIMEOUT_SECONDS,
            wait_initial=INITIAL_DELAY_SECONDS,
            wait_max=MAX_DELAY_SECONDS,
            wait_jitter=INITIAL_DELAY_SECONDS,
        ):
            with attempt:
                raw_response = await send_request()
                if raw_response.status in _TRANSIENT_STATUSES:
                    raise _TransientStatus(raw_response)
    except _TransientStatus as transient:
        return transient.raw_response
    return raw_response


def _retry_delay(error: Exception) -> bool | float:
    """Whether to retry, or after how many seconds."""
    if not isinstance(error, _TransientStatus):
        return isinstance(error, _TRANSIENT_ERRORS) and rejection(error) is None
    delay = retry_after(error.raw_response.headers)
    if delay is None:
        return True
    return delay if delay <= MAX_DELAY_SECONDS else False


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds of a Retry-After header; None if it is missing, invalid, or in the past."""
    value = headers.get("retry-after", "").strip()
    if value.isdecimal() and len(value) < 10:
        return float(value)
    try:
        when = parsedate_to_datetime(value)
        seconds = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 else None
