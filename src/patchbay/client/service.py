"""One HTTP service as seen from here: requests with the key, answers unwrapped, failures as error kinds."""

import ipaddress
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import stamina
from pydantic import ValidationError

from patchbay.client.failures import from_answer, from_network, not_understood
from patchbay.domain.base import Model
from patchbay.domain.errors import Unreachable, ValidationFailed

M = TypeVar("M", bound=Model)

HEADER = "x-api-token"
CONNECT_SECONDS = 5.0
READ_SECONDS = 15.0
PATIENT_SECONDS = 120.0
"""For calls behind which the service itself asks a third party."""
IDLE_SECONDS = 3.0
"""Connections idle for longer are not used again; other services close theirs after five seconds."""
ATTEMPTS = 3
_TRANSIENT = (httpx.ConnectError, httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)


class Answer:
    """The `data` and `meta` of a successful call; both empty when there was no content."""

    def __init__(self, service: "Service", body: Mapping[str, Any]) -> None:
        self._service = service
        self.data: Any = body.get("data")
        self.meta: Mapping[str, Any] = body.get("meta") or {}

    def one(self, model: type[M]) -> M:
        """The data as a model."""
        return self._service.read(model, self.data)

    def many(self, model: type[M]) -> tuple[M, ...]:
        """The data as models, in their order."""
        return tuple(self._service.read(model, item) for item in self.data or ())


class Service:
    """Talks to one base address. The key travels in a header and is shown nowhere."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        timeout: float = READ_SECONDS,
    ) -> None:
        self.base_url = _checked(base_url)
        self._api_key = api_key
        self._transport = transport
        self._timeout = httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS))
        self._client: httpx.AsyncClient | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"Service({self.base_url!r})"

    @property
    def host(self) -> str:
        """Host and port, to call the service by."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    async def get(self, path: str, query: Mapping[str, Any] | None = None) -> Answer:
        """Ask; repeated a few times when the network fails."""
        try:
            async for attempt in stamina.retry_context(
                on=_TRANSIENT, attempts=ATTEMPTS, timeout=CONNECT_SECONDS, wait_initial=0.1, wait_max=1.0,
                wait_jitter=0.1,
            ):  # fmt: skip
                with attempt:
                    response = await self._open().get(self._url(path), params=_given(query))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise from_network(error, self.base_url) from error
        return self._unwrapped(response)

    async def send(self, method: str, path: str, body: object = None, *, patient: bool = False) -> Answer:
        """Change something; never repeated. `patient` waits for third parties behind the service."""
        timeout = httpx.Timeout(PATIENT_SECONDS, connect=CONNECT_SECONDS) if patient else self._timeout
        try:
            response = await self._open().request(method, self._url(path), json=body, timeout=timeout)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise from_network(error, self.base_url) from error
        return self._unwrapped(response)

    @asynccontextmanager
    async def stream(self, path: str, silence: float) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of an endless answer; `TimedOut` after `silence` seconds without any."""
        timeout = httpx.Timeout(silence, connect=CONNECT_SECONDS)
        try:
            async with self._open().stream("GET", self._url(path), timeout=timeout) as response:
                if not response.is_success:
                    body = await response.aread()
                    raise from_answer(response.status_code, response.headers, body, self.base_url)
                yield response.aiter_lines()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise from_network(error, self.base_url) from error

    def read(self, model: type[M], data: object) -> M:
        """A model from wire data; `ServerFault` when the data does not fit it."""
        try:
            return model.model_validate(data)
        except ValidationError as error:
            raise not_understood(self.base_url) from error

    def read_json(self, model: type[M], text: str) -> M:
        """A model from wire data that is still text."""
        try:
            return model.model_validate_json(text)
        except ValidationError as error:
            raise not_understood(self.base_url) from error

    async def close(self) -> None:
        self._closed = True
        if self._client is not None:
            await self._client.aclose()

    def _open(self) -> httpx.AsyncClient:
        if self._closed:
            raise Unreachable("The workspace is closed.", todo="Open it again.")
        if self._client is None:
            self._client = httpx.AsyncClient(
                headers={HEADER: self._api_key, "accept": "application/json"},
                transport=self._transport,
                timeout=self._timeout,
                limits=httpx.Limits(keepalive_expiry=IDLE_SECONDS),
                # Without TLS there is nothing to verify, and reading the certificates takes 20 ms.
                verify=self.base_url.startswith("https:"),
                trust_env=not _is_loopback(self.base_url),
            )
        return self._client

    def _url(self, path: str) -> str:
        return self.base_url + path

    def _unwrapped(self, response: httpx.Response) -> Answer:
        if not response.is_success:
            raise from_answer(response.status_code, response.headers, response.content, self.base_url)
        if not response.content:
            return Answer(self, {})
        try:
            body = response.json()
        except ValueError as error:
            raise not_understood(self.base_url) from error
        if not isinstance(body, dict) or "data" not in body:
            raise not_understood(self.base_url)
        return Answer(self, body)


def at(template: str, **ids: str) -> str:
    """A path with ids filled in, each kept to its one segment."""
    return template.format(**{name: quote(value, safe="") for name, value in ids.items()})


def _given(query: Mapping[str, Any] | None) -> dict[str, Any]:
    """The query without what was not asked for."""
    return {key: value for key, value in (query or {}).items() if value not in (None, "", (), [])}


def _checked(base_url: str) -> str:
    parts = urlsplit(base_url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        words = "The address of a service starts with http:// or https:// and names a host."
        raise ValidationFailed({"address": [words]}, happened=f"“{base_url}” is no address of a service.")
    return base_url.strip().rstrip("/")


def _is_loopback(base_url: str) -> bool:
    """Whether the service runs on this computer: then no proxy stands between."""
    host = urlsplit(base_url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
