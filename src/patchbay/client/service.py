"""One HTTP service as seen from here: requests with the key, answers unwrapped, failures as error kinds."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx
from pydantic import ValidationError

from patchbay.client import bodies
from patchbay.client import transport as network
from patchbay.client.addresses import tidied
from patchbay.client.answers import Answer, unwrapped
from patchbay.client.failures import UnexplainedRefusal, from_answer, not_understood
from patchbay.client.last_answers import LastAnswers, is_gateway, question_of
from patchbay.client.line import FIRST_WAIT_SECONDS, Line
from patchbay.client.patience import Reply, repeated
from patchbay.client.reading import read
from patchbay.domain.base import Model
from patchbay.domain.errors import AppError, NotFound, ServerFault, Unreachable
from patchbay.domain.keeping import AnswerStore
from patchbay.domain.remote_options import RemoteOptions

M = TypeVar("M", bound=Model)

HEADER = "x-api-token"
CONNECT_SECONDS = 5.0
READ_SECONDS = 15.0
PATIENT_SECONDS = 120.0
"""For calls behind which the service itself asks a third party."""
LAST_WORDS_SECONDS = 1.0
"""How long closing waits for answers under way: a connection that is just being made would be left open."""
ACCEPTED_SECONDS = 15.0
"""How long after a call that succeeded a refusal without words isn't blamed on the key."""
_FAULT = 500
WHOLE_ANSWER_SECONDS = 60.0
"""From the first byte of an answer to its last."""


class Service:
    """Talks to one base address. The key travels in a header and is shown nowhere.

    With `answers` the last answer to every question is kept, and given while nobody answers; see `line`.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        timeout: float = READ_SECONDS,
        options: RemoteOptions | None = None,
        answers: AnswerStore | None = None,
        first_wait: float = FIRST_WAIT_SECONDS,
    ) -> None:
        self.base_url = tidied(base_url)
        self.options = options or RemoteOptions()
        self._api_key = api_key
        self._transport = transport
        self._timeout = httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS))
        self._client: httpx.AsyncClient | None = None
        self._opening = asyncio.Lock()
        self._closed = False
        self._accepted_at: float | None = None
        """When a call with the key succeeded last."""
        self._under_way = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self.base = ""
        """What stands between the address and the paths of the interface ("/api"), once that is known."""
        self.line = Line(self.host, self._answers, first_wait=first_wait)
        self._last = LastAnswers(answers, self.line, self._told)

    def __repr__(self) -> str:
        return f"Service({self.base_url!r})"

    @property
    def host(self) -> str:
        """Host and port, to call the service by."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    async def get(self, path: str, query: Mapping[str, Any] | None = None, *, kept: bool = True) -> Answer:
        """Ask; repeated a few times when the network fails or the service cannot answer just now.

        While nobody answers, the last answer is given; with `kept` False it is neither kept nor given.
        """
        return await self.send("GET", path, query=query, safe=True, kept=kept)

    async def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, Any] | None = None,
        patient: bool = False,
        safe: bool = False,
        kept: bool = True,
    ) -> Answer:
        """Change something. `patient` waits for third parties behind the service.

        Never repeated, unless it is `safe`: it changes nothing, so that doing it twice does no harm.
        """
        timeout = httpx.Timeout(PATIENT_SECONDS, connect=CONNECT_SECONDS) if patient else self._timeout

        async def ask() -> Reply:
            client = await self._open()
            request = client.build_request(
                method, self._url(path), json=body, params=_given(query), timeout=timeout
            )
            return await self._received(client, request)

        try:
            if not safe:
                return self._understood(await self._last.write(ask))
            question = question_of(self.base + path, _given(query), body) if kept else None
            return await self._last.read(question, lambda: repeated(ask), self._understood)
        except UnexplainedRefusal as refused:
            raise await self._explained(refused) from None

    @asynccontextmanager
    async def stream(self, path: str, silence: float) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of an endless answer; `TimedOut` after `silence` seconds without any."""
        timeout = httpx.Timeout(silence, connect=CONNECT_SECONDS)
        try:
            client = await self._open()
            async with client.stream("GET", self._url(path), timeout=timeout) as response:
                if not response.is_success:
                    body = await bodies.whole(response, self.base_url, READ_SECONDS)
                    raise from_answer(response.status_code, response.headers, body, self.base_url)
                yield bodies.lines(response, self.base_url)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self._last.cut_off()
            raise await self._told(error) from error
        self._last.cut_off()

    def read(self, model: type[M], data: object) -> M:
        """A model from wire data; `ServerFault` when the data does not fit it."""
        if (found := read(model, data)) is None:
            raise not_understood(self.base_url)
        return found

    def read_json(self, model: type[M], text: str) -> M:
        """A model from wire data that is still text."""
        try:
            return model.model_validate_json(text)
        except ValidationError as error:
            raise not_understood(self.base_url) from error

    async def close(self) -> None:
        self._closed = True
        await self.line.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORDS_SECONDS):
                await self._quiet.wait()
        if self._client is not None:
            await self._client.aclose()

    async def _open(self) -> httpx.AsyncClient:
        async with self._opening:
            if self._closed:
                raise Unreachable("The workspace is closed.", todo="Open it again.")
            if self._client is None:
                self._client = await network.open_client(
                    self.base_url,
                    self.options,
                    headers={HEADER: self._api_key, "accept": "application/json"},
                    timeout=self._timeout,
                    transport=self._transport,
                )
            return self._client

    async def _told(self, error: httpx.HTTPError | httpx.InvalidURL) -> AppError:
        return await network.told(error, self.base_url, self.options)

    def _understood(self, reply: Reply) -> Answer:
        if reply.status == network.PROXY_REFUSES:
            raise network.proxy_refused(self.base_url, self.options, str(reply.status))
        answer = unwrapped(reply, self.base_url)
        self._accepted_at = time.monotonic()
        return answer

    async def _explained(self, refused: UnexplainedRefusal) -> AppError:
        """A refusal without words, when it isn't about the key.

        A service that can't reach its database finds no key there, and answers as if the key were wrong.
        """
        if not await self._is_healthy():
            return Unreachable(
                f"{self.base_url} has a problem of its own.",
                meaning="It rejected the API key, and its health check fails: its database may be down.",
                todo="Try again later. The key is probably fine.",
            )
        accepted = self._accepted_at
        if accepted is not None and time.monotonic() - accepted < ACCEPTED_SECONDS:
            return ServerFault(
                f"{self.base_url} rejected a request that needs the API key.",
                meaning="It accepted the same key a moment ago.",
                todo="Try again in a moment. If it stays, check the key.",
            )
        return refused

    async def _is_healthy(self) -> bool:
        """Whether its health check passes, where it has one."""
        try:
            client = await self._open()
            root = f"{self.base_url.removesuffix('/api')}/healthcheck"
            request = client.build_request("GET", root, timeout=CONNECT_SECONDS)
            del request.headers[HEADER]
            return (await self._received(client, request)).status < _FAULT
        except (httpx.HTTPError, httpx.InvalidURL, AppError):
            return False

    async def _answers(self) -> bool:
        """Whether anybody answers there, whatever they say."""
        try:
            client = await self._open()
            request = client.build_request("GET", self._url("/v1/info"), timeout=CONNECT_SECONDS)
            return not is_gateway(await self._received(client, request))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return not network.is_silence(error)
        except AppError:
            return True  # whatever it is, the next call tells it

    def _url(self, path: str) -> str:
        return self.base_url + self.base + path

    async def _received(self, client: httpx.AsyncClient, request: httpx.Request) -> Reply:
        """Status, headers and body; the body only up to a bound."""
        self._under_way += 1
        self._quiet.clear()
        try:
            return await self._whole(client, request)
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._quiet.set()

    async def _whole(self, client: httpx.AsyncClient, request: httpx.Request) -> Reply:
        response = await client.send(request, stream=True)
        try:
            content = await bodies.whole(response, self.base_url, WHOLE_ANSWER_SECONDS)
        finally:
            await response.aclose()
        return Reply(response.status_code, response.headers, content)


def at(template: str, **ids: str) -> str:
    """A path with ids filled in, each kept to its one segment.

    Raises `NotFound` for an empty one and for one that steps sideways: the path would be that of something
    else.
    """
    if any(value in ("", ".", "..") for value in ids.values()):
        raise NotFound("This does not exist (any more).", todo="Refresh the list.")
    return template.format(**{name: quote(value, safe="") for name, value in ids.items()})


def _given(query: Mapping[str, Any] | None) -> dict[str, Any]:
    """The query without what was not asked for."""
    return {key: value for key, value in (query or {}).items() if value not in (None, "", (), [])}
