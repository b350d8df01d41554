"""Limits that all webhook requests share: memory for their bodies, and the number of concurrent requests."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TypeAlias

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from patchbay.domain.base import FlowId
from patchbay.domain.errors import Unreachable
from patchbay.server.errors import RequestRejected

_Account: TypeAlias = tuple[str, str]
"""A kind and a name: a client network, a flow, or `_ALL`."""
_ALL = ("all", "")
_STALLED_SECONDS = 2.0
_PROGRESS_BYTES = 64 * 1024
"""A body that receives less than this within `_STALLED_SECONDS` is stalled."""


class BodyMemory:
    """Limits the memory of all webhook bodies that are being received or handed to the engine.

    A client network gets at most a quarter and a flow at most half of it, so that neither can block the
    webhooks of others; but each may always have one body of the maximum length. At a limit, bodies whose
    clients have all but stopped sending are dropped in favour of others.
    """

    def __init__(self, limit: int = 128 * 1024 * 1024, *, stalled_seconds: float = _STALLED_SECONDS) -> None:
        self._limit, self._stalled_seconds = limit, stalled_seconds
        self._used: Counter[_Account] = Counter()
        self._arriving: dict[BodyReading, None] = {}

    @property
    def used(self) -> int:
        """Bytes of all bodies."""
        return self._used[_ALL]

    def reading(self, receive: Receive, network: str, flow_id: FlowId, longest: int) -> "BodyReading":
        """A context manager that receives the whole body, counted until the end of the block.

        `longest` is the maximum length of a body. Raises `RequestRejected` (503) if a limit is reached, and
        any error of receiving.
        """
        shares = {
            _ALL: self._limit,
            ("network", network): max(self._limit // 4, longest),
            ("flow", flow_id): max(self._limit // 2, longest),
        }
        return BodyReading(self, receive, shares)

    def reserve(self, reading: "BodyReading", length: int) -> None:
        """Count received bytes. Raises `RequestRejected` (503) if a limit is reached."""
        reading.reserved += length
        for account in reading.shares:
            self._used[account] += length
        for account, share in reading.shares.items():
            while self._used[account] > share:
                self._drop_stalled(account, reading)

    def release(self, reading: "BodyReading") -> None:
        """Stop counting the body."""
        for account in reading.shares:
            self._used[account] -= reading.reserved
            if not self._used[account]:
                del self._used[account]
        reading.reserved = 0

    @contextmanager
    def arriving(self, reading: "BodyReading") -> Iterator[None]:
        """Allow dropping the body during the block."""
        self._arriving[reading] = None
        try:
            yield
        finally:
            del self._arriving[reading]

    def _drop_stalled(self, account: _Account, newest: "BodyReading") -> None:
        """Drop the body that stalled first. Raises `RequestRejected` (503) if none is stalled."""
        latest = asyncio.get_running_loop().time() - self._stalled_seconds
        stalled = [
            item
            for item in self._arriving
            if account in item.shares and item.reserved and item.progress_at <= latest and item is not newest
        ]
        if not stalled:
            raise _memory_limit_reached()
        min(stalled, key=lambda item: item.progress_at).drop()


class BodyReading:
    """The context manager of `BodyMemory.reading`; a generator would take longer than receiving."""

    def __init__(self, memory: BodyMemory, receive: Receive, shares: dict[_Account, int]) -> None:
        self._memory, self._receive = memory, receive
        self.shares = shares
        """What the body counts towards, and the bytes allowed there."""
        self.reserved = 0
        self.progress_at = 0.0
        """When the latest `_PROGRESS_BYTES` were complete."""
        self._progress_bytes = 0
        self._pieces: list[bytes] = []
        self._is_dropped = False
        self._timeout = asyncio.timeout(None)

    async def __aenter__(self) -> bytes:
        try:
            if await self._read_piece():
                await self._read_rest()
            return b"".join(self._pieces)
        except BaseException:
            self._memory.release(self)
            raise
        finally:
            self._pieces.clear()

    async def __aexit__(self, *_: object) -> None:
        self._memory.release(self)

    def drop(self) -> None:
        """Free the memory; the request gets status 503."""
        self._is_dropped = True
        self._pieces.clear()
        self._memory.release(self)
        self._timeout.reschedule(asyncio.get_running_loop().time())

    async def _read_rest(self) -> None:
        """Read on until the end. Most bodies arrive in one piece, and don't get here."""
        self.progress_at = asyncio.get_running_loop().time()
        try:
            with self._memory.arriving(self):
                async with self._timeout:
                    while await self._read_piece():
                        pass
        except TimeoutError:
            raise _memory_limit_reached() from None

    async def _read_piece(self) -> bool:
        """Read the next piece; whether more follow."""
        message = await self._receive()
        if self._is_dropped:
            raise _memory_limit_reached()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        piece = message.get("body", b"")
        self._memory.reserve(self, len(piece))
        self._pieces.append(piece)
        self._progress_bytes += len(piece)
        if self._progress_bytes >= _PROGRESS_BYTES:
            self._progress_bytes = 0
            self.progress_at = asyncio.get_running_loop().time()
        return bool(message.get("more_body", False))


def _memory_limit_reached() -> RequestRejected:
    error = Unreachable("The memory limit for request bodies is reached.", todo="Try again in a moment.")
    return RequestRejected(HTTPStatus.SERVICE_UNAVAILABLE, error)


class ConcurrencyLimit:
    """Limits the number of concurrent webhook requests, in total and per flow; others get status 503.

    The remaining connections are reserved for the API, however many requests wait for their flows.
    """

    def __init__(self, number: int, per_flow: int | None = None) -> None:
        self._number, self._per_flow = number, number if per_flow is None else per_flow
        self._used = 0
        self._used_by_flow: Counter[FlowId] = Counter()

    def require_free_slot(self, flow_id: FlowId) -> None:
        """Raises `RequestRejected` (503) if all slots are in use, or all that one flow may use."""
        if self._used >= self._number or self._used_by_flow[flow_id] >= self._per_flow:
            error = Unreachable(
                "Too many webhook requests at once.",
                meaning="This request wasn't accepted.",
                todo="Try again in a moment.",
            )
            raise RequestRejected(503, error)

    @contextmanager
    def slot(self, flow_id: FlowId) -> Iterator[None]:
        """Hold a slot during the block. Raises like `require_free_slot`."""
        self.require_free_slot(flow_id)
        self._used += 1
        self._used_by_flow[flow_id] += 1
        try:
            yield
        finally:
            self._used -= 1
            self._used_by_flow[flow_id] -= 1
            if not self._used_by_flow[flow_id]:
                del self._used_by_flow[flow_id]
