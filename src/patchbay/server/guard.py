"""The layer around what reads bodies: bounded bodies and an answer to every unexpected exception."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchbay.server.failures import (
    BodyRejected,
    BodyTimedOut,
    BodyTooLarge,
    body_rejected_response,
    internal_error_response,
)


@dataclass(frozen=True)
class BodyLimits:
    """What the body of a request may take: its length in bytes, and the time until it has arrived."""

    length: int = 1024 * 1024
    seconds: float = 30.0
    is_rejected_early: bool = True
    """Refuse an announced length over the limit before the application is called, not when it reads."""


DEFAULT_BODY_LIMITS = BodyLimits()


class BodyLimitMiddleware:
    """Refuses bodies over the limit and turns a bug into a JSON answer; the traceback goes to the log."""

    def __init__(
        self, app: ASGIApp, body_limits: Callable[[Scope], BodyLimits] = lambda scope: DEFAULT_BODY_LIMITS
    ) -> None:
        self._app, self._body_limits = app, body_limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limits = self._body_limits(scope)
        body = _LimitedBody(scope, receive, limits)
        try:
            if limits.is_rejected_early:
                body.reject_announced_length()
        except BodyRejected as error:
            await body_rejected_response(error)(scope, receive, send)
            return
        await self._call_app(scope, body.receive, send)

    async def _call_app(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except BodyRejected as error:  # from whoever reads the body before the endpoint does
            await body_rejected_response(error)(scope, receive, send)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 the last line of defence: nothing else answers the caller
            answer = internal_error_response(error, scope["method"], scope["path"])
            if not started:
                await answer(scope, receive, send)


class _LimitedBody:
    """The body of one request, counted and timed from the first look at it."""

    def __init__(self, scope: Scope, receive: Receive, limits: BodyLimits) -> None:
        self._headers: dict[bytes, bytes] = dict(scope["headers"])
        self._receive, self._limits = receive, limits
        self._received = 0
        self._complete = False
        self._deadline: float | None = None

    def reject_announced_length(self) -> None:
        """Raises `BodyTooLarge` when the caller says that the body is. Who waits for a go-ahead gets none."""
        if self._announced() > self._limits.length:
            raise BodyTooLarge(self._limits.length)

    async def receive(self) -> Message:
        """As ASGI's receive. Raises `BodyTooLarge` and `BodyTimedOut`."""
        if self._complete:
            return await self._receive()
        if self._deadline is None:
            self.reject_announced_length()
        message = await self._next()
        self._received += len(message.get("body", b""))
        if self._received > self._limits.length:
            raise BodyTooLarge(self._limits.length)
        return message

    async def _next(self) -> Message:
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._limits.seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise BodyTimedOut(self._limits.seconds) from None
        self._complete = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    def _announced(self) -> int:
        value = self._headers.get(b"content-length", b"0")
        return int(value) if value.isdigit() else 0
