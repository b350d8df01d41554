"""What a service said last, given again while it is silent."""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx

from patchbay.client.answers import ApiResponse
from patchbay.client.line import ConnectivityMonitor
from patchbay.client.patience import RawResponse
from patchbay.client.transport import is_no_response
from patchbay.domain.error_wire import from_wire
from patchbay.domain.errors import AppError
from patchbay.domain.keeping import ResponseStore

_GATEWAY_STATUSES = (502, 503, 504)
_CONNECT_ERRORS = (httpx.ConnectError, httpx.ConnectTimeout)

Fetch = Callable[[], Awaitable[RawResponse]]
DescribeFailure = Callable[[httpx.HTTPError | httpx.InvalidURL], Awaitable[AppError]]


class OfflineCache:
    """Stands between the calls and the network. Without a store every call goes to the network, as it is."""

    def __init__(
        self, store: ResponseStore | None, line: ConnectivityMonitor, describe_failure: DescribeFailure
    ) -> None:
        self._store, self._line, self._describe_failure = store, line, describe_failure

    async def read(
        self, cache_key: str | None, fetch: Fetch, parse: Callable[[RawResponse], ApiResponse]
    ) -> ApiResponse:
        """The answer, or the last good one while nobody answers. Nothing is kept for the question None."""
        if self._line.offline_since is not None:
            if (cached := await self._cached(cache_key)) is None:
                raise self._line.not_cached_error()
            return parse(cached)
        started_at = time.monotonic()
        try:
            raw_response = await fetch()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            failure = await self._describe_failure(error)
            if not self._is_unreachable(error, started_at):
                raise failure from error
            self._line.mark_offline()
            if (cached := await self._cached(cache_key)) is None:
                raise failure from error
            return parse(cached)
        if self._store is not None and is_gateway_error(raw_response):
            self._line.mark_offline()
            return parse(await self._cached(cache_key) or raw_response)
        self._line.record_response()
        response = parse(raw_response)
        if self._store is not None and cache_key is not None:
            self._store.keep(cache_key, raw_response.content)
        return response

    async def write(self, send: Fetch) -> RawResponse:
        """The reply. Raises in words when it is known that nobody answers, without waiting."""
        if self._line.offline_since is not None:
            raise self._line.not_sent_error()
        try:
            raw_response = await send()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            if self._store is not None and is_no_response(error):
                self._line.mark_offline() if isinstance(
                    error, _CONNECT_ERRORS
                ) else self._line.test_connection_in_background()
            raise await self._describe_failure(error) from error
        if is_gateway_error(raw_response):
            self.report_disconnect()
        else:
            self._line.record_response()
        return raw_response

    def report_disconnect(self) -> None:
        """A stream ended, or a gateway answered: the first sign that nobody may be there."""
        if self._store is not None:
            self._line.test_connection_in_background()

    def _is_unreachable(self, error: Exception, started_at: float) -> bool:
        """Whether nobody answers there; not when others are answered and this question alone takes long."""
        if self._store is None or not is_no_response(error):
            return False
        return not (isinstance(error, httpx.TimeoutException) and self._line.responded_since(started_at))

    async def _cached(self, cache_key: str | None) -> RawResponse | None:
        if self._store is None or cache_key is None:
            return None
        content = await self._store.last(cache_key)
        return None if content is None else RawResponse(200, content=content)


def build_cache_key(path: str, query: Mapping[str, Any], body: object) -> str:
    """One name for one question, whatever the order of its conditions."""
    canonical_request = json.dumps(
        [sorted((key, str(value)) for key, value in query.items()), body], sort_keys=True
    )
    return f"{path} {canonical_request}"


def is_gateway_error(raw_response: RawResponse) -> bool:
    """Whether something before the service says that nobody answers behind it.

    A service of ours uses the same statuses in its own words, about those it talks to itself.
    """
    if raw_response.status not in _GATEWAY_STATUSES:
        return False
    try:
        body = json.loads(raw_response.content)
    except (ValueError, RecursionError):
        return True
    return not (isinstance(body, dict) and from_wire(body))
