"""What a service said last, given again while it is silent."""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx

from patchbay.client.answers import Answer
from patchbay.client.line import Line
from patchbay.client.patience import Reply
from patchbay.client.transport import is_silence
from patchbay.domain.error_wire import from_wire
from patchbay.domain.errors import AppError
from patchbay.domain.keeping import AnswerStore

_GATEWAY = (502, 503, 504)
_NO_CONNECTION = (httpx.ConnectError, httpx.ConnectTimeout)

Fetch = Callable[[], Awaitable[Reply]]
Told = Callable[[httpx.HTTPError | httpx.InvalidURL], Awaitable[AppError]]


class LastAnswers:
    """Stands between the calls and the network. Without a store every call goes to the network, as it is."""

    def __init__(self, store: AnswerStore | None, line: Line, told: Told) -> None:
        self._store, self._line, self._told = store, line, told

    async def read(self, question: str | None, fetch: Fetch, understood: Callable[[Reply], Answer]) -> Answer:
        """The answer, or the last good one while nobody answers. Nothing is kept for the question None."""
        if self._line.offline_since is not None:
            if (kept := await self._kept(question)) is None:
                raise self._line.unread()
            return understood(kept)
        begun = time.monotonic()
        try:
            reply = await fetch()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            failure = await self._told(error)
            if not self._is_gone(error, begun):
                raise failure from error
            self._line.lost()
            if (kept := await self._kept(question)) is None:
                raise failure from error
            return understood(kept)
        if self._store is not None and is_gateway(reply):
            self._line.lost()
            return understood(await self._kept(question) or reply)
        self._line.heard()
        answer = understood(reply)
        if self._store is not None and question is not None:
            self._store.keep(question, reply.content)
        return answer

    async def write(self, send: Fetch) -> Reply:
        """The reply. Raises in words when it is known that nobody answers, without waiting."""
        if self._line.offline_since is not None:
            raise self._line.unwritten()
        try:
            reply = await send()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            if self._store is not None and is_silence(error):
                self._line.lost() if isinstance(error, _NO_CONNECTION) else self._line.doubt()
            raise await self._told(error) from error
        if is_gateway(reply):
            self.cut_off()
        else:
            self._line.heard()
        return reply

    def cut_off(self) -> None:
        """A stream ended, or a gateway answered: the first sign that nobody may be there."""
        if self._store is not None:
            self._line.doubt()

    def _is_gone(self, error: Exception, begun: float) -> bool:
        """Whether nobody answers there; not when others are answered and this question alone takes long."""
        if self._store is None or not is_silence(error):
            return False
        return not (isinstance(error, httpx.TimeoutException) and self._line.heard_since(begun))

    async def _kept(self, question: str | None) -> Reply | None:
        if self._store is None or question is None:
            return None
        content = await self._store.last(question)
        return None if content is None else Reply(200, content=content)


def question_of(path: str, query: Mapping[str, Any], body: object) -> str:
    """One name for one question, whatever the order of its conditions."""
    asked = json.dumps([sorted((key, str(value)) for key, value in query.items()), body], sort_keys=True)
    return f"{path} {asked}"


def is_gateway(reply: Reply) -> bool:
    """Whether something before the service says that nobody answers behind it.

    A service of ours uses the same statuses in its own words, about those it talks to itself.
    """
    if reply.status not in _GATEWAY:
        return False
    try:
        body = json.loads(reply.content)
    except (ValueError, RecursionError):
        return True
    return not (isinstance(body, dict) and from_wire(body))
