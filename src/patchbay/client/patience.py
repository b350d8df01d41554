"""When asking again may help: the network failed, or the service said that it cannot answer just now."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import stamina

from patchbay.domain.certificates import refusal

ATTEMPTS = 3
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
"""Who asks for more than that is told to whoever waits, instead of letting them wait."""
PATIENCE_SECONDS = 20.0
"""After which nothing is asked again, however often it was."""
_TRANSIENT = (httpx.ConnectError, httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
_PASSING = (429, 502, 503, 504)


@dataclass(frozen=True)
class Reply:
    """What came back: status, headers, and the body, unpacked."""

    status: int
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    content: bytes = b""

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class _NotNow(Exception):
    """An answer by which the service says that it cannot answer."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


async def repeated(ask: Callable[[], Awaitable[Reply]]) -> Reply:
    """What `ask` brings, asked again a few times with growing pauses while that may help.

    Only for what may be done twice. Raises what httpx raised last; a refusal that does not pass is returned.
    """
    try:
        async for attempt in stamina.retry_context(
            on=_pause_after, attempts=ATTEMPTS, timeout=PATIENCE_SECONDS, wait_initial=FIRST_PAUSE_SECONDS,
            wait_max=LONGEST_PAUSE_SECONDS, wait_jitter=FIRST_PAUSE_SECONDS,
        ):  # fmt: skip
            with attempt:
                reply = await ask()
                if reply.status in _PASSING:
                    raise _NotNow(reply)
    except _NotNow as refused:
        return refused.reply
    return reply


def _pause_after(error: Exception) -> bool | float:
    """Whether to ask again, or after how many seconds."""
    if not isinstance(error, _NotNow):
        return isinstance(error, _TRANSIENT) and refusal(error) is None
    wanted = retry_after(error.reply.headers)
    if wanted is None:
        return True
    return wanted if wanted <= LONGEST_PAUSE_SECONDS else False


def retry_after(headers: Mapping[str, str]) -> float | None:
    """How many seconds the service asks to wait; None when it does not say, or nothing that makes sense."""
    value = headers.get("retry-after", "").strip()
    if value.isdecimal() and len(value) < 10:
        return float(value)
    try:
        when = parsedate_to_datetime(value)
        seconds = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 else None
