"""Offline mode: detects when a server is unreachable, and serves its last responses until it's back."""

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

import httpx

from patchbay.client.http_client import is_no_response
from patchbay.client.responses import ApiResponse
from patchbay.client.retries import RawResponse
from patchbay.domain.base import EpochMs
from patchbay.domain.clock import now_ms
from patchbay.domain.error_wire import from_wire
from patchbay.domain.errors import AppError, Unreachable
from patchbay.domain.remote_cache import ResponseStore

INITIAL_WAIT_SECONDS = 1.0
MAX_WAIT_SECONDS = 30.0


class Offline(Unreachable):
    """The server is known to be offline; the request wasn't sent."""


class ConnectivityMonitor:
    """Tracks whether a server is reachable. `probe` checks it; `on_change` is called when that changes."""

    def __init__(
        self, host: str, probe: Callable[[], Awaitable[bool]], *, first_wait: float = INITIAL_WAIT_SECONDS
    ) -> None:
        self.offline_since: EpochMs | None = None
        self.on_change: Callable[[], None] | None = None
        self._host = host
        self._probe = probe
        self._first_wait = first_wait
        self._last_response_at = time.monotonic()
        self._online = asyncio.Event()
        self._online.set()
        self._probe_task: asyncio.Task[None] | None = None
        self._closed = False

    def record_response(self) -> None:
        """Note that a response arrived."""
        self._last_response_at = time.monotonic()

    def responded_since(self, started_at: float) -> bool:
        """Whether a response arrived after this time (of `time.monotonic`)."""
        return self._last_response_at > started_at

    def test_connection_in_background(self) -> None:
        """After a disconnect, check in the background whether the server is still reachable."""
        if self._probe_task is None and not self._closed:
            self._probe_task = asyncio.create_task(self._check_once(), name="patchbay-line")

    def mark_offline(self) -> None:
        """Go offline, until a probe succeeds."""
        if self.offline_since is None and not self._closed:
            self._set_offline()
            if self._probe_task is None:
                self._probe_task = asyncio.create_task(self._probe_until_online(), name="patchbay-line")

    async def sleep_until_online(self, seconds: float) -> None:
        """Sleep, and when offline, wait until the server is reachable."""
        await asyncio.sleep(seconds)
        await self.wait_until_online()

    async def wait_until_online(self) -> None:
        """Wait until the server is reachable."""
        await self._online.wait()

    def not_cached_error(self) -> Offline:
        """The error for data that was never loaded."""
        return Offline(
            f"{self._host} hasn't been reachable since {self._offline_since_text()}, "
            "and this hasn't been loaded before.",
            meaning="Offline, only data loaded before is available.",
            todo="It's loaded as soon as the server is back.",
        )

    def not_sent_error(self) -> Offline:
        """The error for changes while offline."""
        return Offline(
            f"{self._host} hasn't been reachable since {self._offline_since_text()}. Nothing was changed.",
            meaning="You're viewing data from then.",
            todo="Try again once the server is back. Patchbay reconnects automatically.",
        )

    async def close(self) -> None:
        self._closed = True
        if self._probe_task is not None:
            self._probe_task.cancel()
            await asyncio.wait([self._probe_task])

    async def _check_once(self) -> None:
        if await self._probe():
            self._probe_task = None
        else:
            if self.offline_since is None:
                self._set_offline()
            await self._probe_until_online()

    async def _probe_until_online(self) -> None:
        wait = self._first_wait
        while True:
            await asyncio.sleep(wait * random.uniform(0.8, 1.2))  # noqa: S311  # spreads retries
            if await self._probe():
                break
            wait = min(wait * 2, MAX_WAIT_SECONDS)
        self._probe_task = None
        self.offline_since = None
        self._online.set()
        self._notify()

    def _set_offline(self) -> None:
        self.offline_since = now_ms()
        self._online.clear()
        self._notify()

    def _notify(self) -> None:
        if self.on_change is not None:
            self.on_change()

    def _offline_since_text(self) -> str:
        since = datetime.fromtimestamp((self.offline_since or 0) / 1000)
        today = since.date() == datetime.now().date()
        return since.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")


# Cached responses

_GATEWAY_STATUSES = (502, 503, 504)
_CONNECT_ERRORS = (httpx.ConnectError, httpx.ConnectTimeout)

Fetch = Callable[[], Awaitable[RawResponse]]
DescribeFailure = Callable[[httpx.HTTPError | httpx.InvalidURL], Awaitable[AppError]]


class OfflineCache:
    """Serves cached responses while offline. Without a store, every request is sent."""

    def __init__(
        self,
        store: ResponseStore | None,
        connectivity: ConnectivityMonitor,
        describe_failure: DescribeFailure,
    ) -> None:
        self._store = store
        self._connectivity = connectivity
        self._describe_failure = describe_failure

    async def read(
        self, cache_key: str | None, fetch: Fetch, parse: Callable[[RawResponse], ApiResponse]
    ) -> ApiResponse:
        """The response, or the last successful one while offline. Not cached if `cache_key` is None."""
        if self._connectivity.offline_since is not None:
            if (cached := await self._cached(cache_key)) is None:
                raise self._connectivity.not_cached_error()
            return parse(cached)
        started_at = time.monotonic()
        try:
            raw_response = await fetch()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            failure = await self._describe_failure(error)
            # If others have got responses meanwhile, the server is only slow with this request.
            has_timed_out = isinstance(error, httpx.TimeoutException)
            is_slow = has_timed_out and self._connectivity.responded_since(started_at)
            if self._store is None or not is_no_response(error) or is_slow:
                raise failure from error
            self._connectivity.mark_offline()
            if (cached := await self._cached(cache_key)) is None:
                raise failure from error
            return parse(cached)
        if self._store is not None and is_gateway_error(raw_response):
            self._connectivity.mark_offline()
            return parse(await self._cached(cache_key) or raw_response)
        self._connectivity.record_response()
        response = parse(raw_response)
        if self._store is not None and cache_key is not None:
            self._store.put(cache_key, raw_response.content)
        return response

    async def write(self, send: Fetch) -> RawResponse:
        """Send a change. Raises `Offline` immediately while offline."""
        if self._connectivity.offline_since is not None:
            raise self._connectivity.not_sent_error()
        try:
            raw_response = await send()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            if self._store is not None and is_no_response(error):
                self._connectivity.mark_offline() if isinstance(
                    error, _CONNECT_ERRORS
                ) else self._connectivity.test_connection_in_background()
            raise await self._describe_failure(error) from error
        if is_gateway_error(raw_response):
            self.report_disconnect()
        else:
            self._connectivity.record_response()
        return raw_response

    def report_disconnect(self) -> None:
        """A stream ended, or a gateway responded: the server may be offline."""
        if self._store is not None:
            self._connectivity.test_connection_in_background()

    async def _cached(self, cache_key: str | None) -> RawResponse | None:
        if self._store is None or cache_key is None:
            return None
        content = await self._store.get(cache_key)
        return None if content is None else RawResponse(200, content=content)


def build_cache_key(path: str, query: Mapping[str, Any], body: object) -> str:
    """The cache key of a request, independent of the order of its parameters."""
    canonical_request = json.dumps(
        [sorted((key, str(value)) for key, value in query.items()), body], sort_keys=True
    )
    return f"{path} {canonical_request}"


def is_gateway_error(raw_response: RawResponse) -> bool:
    """Whether a gateway reports that the server behind it is unreachable.

    A Patchbay server uses the same statuses, with errors in its own format, about third parties.
    """
    if raw_response.status not in _GATEWAY_STATUSES:
        return False
    try:
        body = json.loads(raw_response.content)
    except (ValueError, RecursionError):
        return True
    return not (isinstance(body, dict) and from_wire(body))
