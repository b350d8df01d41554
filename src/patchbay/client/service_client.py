"""The HTTP client of one server: address, API key, requests with retries, and errors."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

import httpx
from pydantic import ValidationError

from patchbay.client import http_client as network
from patchbay.client import responses
from patchbay.client.errors import UnexplainedUnauthorized, error_from_response, invalid_response_error
from patchbay.client.offline import (
    INITIAL_WAIT_SECONDS,
    ConnectivityMonitor,
    OfflineCache,
    build_cache_key,
    is_gateway_error,
)
from patchbay.client.responses import ApiResponse, read, unwrap_response
from patchbay.client.retries import RawResponse, retry_transient
from patchbay.domain.base import Model
from patchbay.domain.errors import AppError, NotFound, ServerFault, Unreachable, ValidationFailed
from patchbay.domain.remote_cache import ResponseStore
from patchbay.domain.remote_options import RemoteOptions

_API_SUFFIX = re.compile(r"/(v1|healthcheck|openapi\.json|docs)$", re.IGNORECASE)


def normalize_address(address: str) -> str:
    """The base address of a typed address, without trailing slashes, queries, and API paths.

    Raises `ValidationFailed` if it isn't the address of a server.
    """
    parts: SplitResult | None = None
    with contextlib.suppress(ValueError):  # unbalanced brackets, or an invalid port
        split = urlsplit(address.strip())
        _ = split.port
        parts = split
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        message = "The address must start with http:// or https:// and contain a host name."
        raise ValidationFailed({"address": [message]}, happened=f"“{address}” isn't the address of a server.")
    if parts.username is not None or parts.password is not None:
        message = "The address must not contain a user name or password. Use an API key to sign in."
        raise ValidationFailed({"address": [message]}, happened=message)
    path = parts.path.rstrip("/")
    while (shorter := _API_SUFFIX.sub("", path).rstrip("/")) != path:
        path = shorter
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


M = TypeVar("M", bound=Model)

API_KEY_HEADER = "x-api-token"
CONNECT_TIMEOUT_SECONDS = 5.0
READ_TIMEOUT_SECONDS = 15.0
LONG_TIMEOUT_SECONDS = 120.0
"""For calls behind which the service itself asks a third party."""
CLOSE_GRACE_SECONDS = 1.0
"""How long closing waits for running requests: a connection that is being opened would stay open."""
KEY_TRUST_SECONDS = 15.0
"""How long after a successful call a rejection without a message isn't attributed to the key."""
_SERVER_ERROR = 500
RESPONSE_TIMEOUT_SECONDS = 60.0
"""Timeout from the first to the last byte of a response."""


class ServiceClient:
    """Sends requests to one base address. The API key is sent in a header and never shown.

    With `response_store`, the last response to each request is stored, and returned while offline.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        timeout: float = READ_TIMEOUT_SECONDS,
        options: RemoteOptions | None = None,
        response_store: ResponseStore | None = None,
        first_wait: float = INITIAL_WAIT_SECONDS,
    ) -> None:
        self.base_url = normalize_address(base_url)
        self.options = options or RemoteOptions()
        self._api_key = api_key
        self._transport = transport
        self._timeout = httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT_SECONDS))
        self._client: httpx.AsyncClient | None = None
        self._open_lock = asyncio.Lock()
        self._closed = False
        self._key_accepted_at: float | None = None
        """When a request with the key last succeeded."""
        self._active_requests = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.base = ""
        """The prefix of the API's paths below the address ("/api"), once it is known."""
        self.connectivity = ConnectivityMonitor(self.host, self._is_reachable, first_wait=first_wait)
        self._offline_cache = OfflineCache(response_store, self.connectivity, self._describe_failure)

    def __repr__(self) -> str:
        return f"ServiceClient({self.base_url!r})"

    @property
    def host(self) -> str:
        """Host and port, to call the service by."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    async def get(
        self, path: str, query: Mapping[str, Any] | None = None, *, cached: bool = True
    ) -> ApiResponse:
        """Send a GET request, with retries after temporary failures.

        While offline, returns the last response; with `cached` False, none is stored or returned.
        """
        return await self.send("GET", path, query=query, safe=True, cached=cached)

    async def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, Any] | None = None,
        long_timeout: bool = False,
        safe: bool = False,
        cached: bool = True,
    ) -> ApiResponse:
        """Send a request. `long_timeout` allows for third parties that the server calls.

        Only retried if `safe`, which means that it changes nothing.
        """
        timeout = (
            httpx.Timeout(LONG_TIMEOUT_SECONDS, connect=CONNECT_TIMEOUT_SECONDS)
            if long_timeout
            else self._timeout
        )

        async def send_request() -> RawResponse:
            client = await self._open()
            request = client.build_request(
                method, self._url(path), json=body, params=_without_empty(query), timeout=timeout
            )
            return await self._send_and_count(client, request)

        try:
            if not safe:
                return self._parse_response(await self._offline_cache.write(send_request))
            cache_key = build_cache_key(self.base + path, _without_empty(query), body) if cached else None
            return await self._offline_cache.read(
                cache_key, lambda: retry_transient(send_request), self._parse_response
            )
        except UnexplainedUnauthorized as unauthorized:
            raise await self._explain_unauthorized(unauthorized) from None

    @asynccontextmanager
    async def stream(self, path: str, idle_timeout: float) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of an event stream; `TimedOut` after `idle_timeout` seconds without any."""
        timeout = httpx.Timeout(idle_timeout, connect=CONNECT_TIMEOUT_SECONDS)
        try:
            client = await self._open()
            async with client.stream("GET", self._url(path), timeout=timeout) as response:
                if not response.is_success:
                    body = await responses.read_body(response, self.base_url, READ_TIMEOUT_SECONDS)
                    raise error_from_response(response.status_code, response.headers, body, self.base_url)
                yield responses.iter_lines(response, self.base_url)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self._offline_cache.report_disconnect()
            raise await self._describe_failure(error) from error
        self._offline_cache.report_disconnect()

    def read(self, model: type[M], data: object) -> M:
        """A model from wire data; `ServerFault` when the data does not fit it."""
        if (found := read(model, data)) is None:
            raise invalid_response_error(self.base_url)
        return found

    def read_json(self, model: type[M], text: str) -> M:
        """A model from wire data that is still text."""
        try:
            return model.model_validate_json(text)
        except ValidationError as error:
            raise invalid_response_error(self.base_url) from error

    async def close(self) -> None:
        self._closed = True
        await self.connectivity.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_GRACE_SECONDS):
                await self._idle.wait()
        if self._client is not None:
            await self._client.aclose()

    async def _open(self) -> httpx.AsyncClient:
        async with self._open_lock:
            if self._closed:
                raise Unreachable("The workspace is closed.", todo="Open it again.")
            if self._client is None:
                self._client = await network.open_client(
                    self.base_url,
                    self.options,
                    headers={API_KEY_HEADER: self._api_key, "accept": "application/json"},
                    timeout=self._timeout,
                    transport=self._transport,
                )
            return self._client

    async def _describe_failure(self, error: httpx.HTTPError | httpx.InvalidURL) -> AppError:
        return await network.describe_failure(error, self.base_url, self.options)

    def _parse_response(self, raw_response: RawResponse) -> ApiResponse:
        if raw_response.status == network.PROXY_AUTH_REQUIRED:
            raise network.proxy_error(self.base_url, self.options, str(raw_response.status))
        response = unwrap_response(raw_response, self.base_url)
        self._key_accepted_at = time.monotonic()
        return response

    async def _explain_unauthorized(self, unauthorized: UnexplainedUnauthorized) -> AppError:
        """The error for a 401 without a message, which may have another cause than the key.

        An Automatisch server that can't reach its database finds no key there and responds as if it were
        wrong.
        """
        if not await self._is_healthy():
            return Unreachable(
                f"{self.base_url} has an internal problem.",
                meaning="It rejected the API key, and its health check fails: its database may be down.",
                todo="Try again later. The key is probably fine.",
            )
        accepted_at = self._key_accepted_at
        if accepted_at is not None and time.monotonic() - accepted_at < KEY_TRUST_SECONDS:
            return ServerFault(
                f"{self.base_url} rejected a request that needs the API key.",
                meaning="It accepted the same key a moment ago.",
                todo="Try again in a moment. If it keeps failing, check the key.",
            )
        return unauthorized

    async def _is_healthy(self) -> bool:
        """Whether its health check passes, where it has one."""
        try:
            client = await self._open()
            root = f"{self.base_url.removesuffix('/api')}/healthcheck"
            request = client.build_request("GET", root, timeout=CONNECT_TIMEOUT_SECONDS)
            del request.headers[API_KEY_HEADER]
            return (await self._send_and_count(client, request)).status < _SERVER_ERROR
        except (httpx.HTTPError, httpx.InvalidURL, AppError):
            return False

    async def _is_reachable(self) -> bool:
        """Whether the server responds, with any status."""
        try:
            client = await self._open()
            request = client.build_request("GET", self._url("/v1/info"), timeout=CONNECT_TIMEOUT_SECONDS)
            return not is_gateway_error(await self._send_and_count(client, request))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return not network.is_no_response(error)
        except AppError:
            return True  # the next call will report the error

    def _url(self, path: str) -> str:
        return self.base_url + self.base + path

    async def _send_and_count(self, client: httpx.AsyncClient, request: httpx.Request) -> RawResponse:
        """Status, headers and body; the body only up to a bound."""
        self._active_requests += 1
        self._idle.clear()
        try:
            response = await client.send(request, stream=True)
            try:
                content = await responses.read_body(response, self.base_url, RESPONSE_TIMEOUT_SECONDS)
            finally:
                await response.aclose()
            return RawResponse(response.status_code, response.headers, content)
        finally:
            self._active_requests -= 1
            if not self._active_requests:
                self._idle.set()


def build_path(template: str, **ids: str) -> str:
    """Fill IDs into a path, each quoted as one segment.

    Raises `NotFound` for an empty ID and for dot segments, which would lead to another path.
    """
    if any(value in ("", ".", "..") for value in ids.values()):
        raise NotFound("This doesn't exist any more.", todo="Refresh the list.")
    return template.format(**{name: quote(value, safe="") for name, value in ids.items()})


def _without_empty(query: Mapping[str, Any] | None) -> dict[str, Any]:
    """The query without empty parameters."""
    return {key: value for key, value in (query or {}).items() if value not in (None, "", (), [])}
