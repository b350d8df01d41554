"""The outermost layer of the service: bounded bodies and an answer to every unexpected exception."""

from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchbay.server.failures import BodyTooLarge, bug, failure

BODY_LIMIT = 1024 * 1024
_DRAIN_LIMIT = 16 * BODY_LIMIT
"""How much of an oversized body is read and thrown away, so that the caller hears why."""


class Guard:
    """Refuses bodies over the limit and turns a bug into a JSON answer; the traceback goes to the log."""

    def __init__(self, app: ASGIApp, limit: int = BODY_LIMIT) -> None:
        self._app, self._limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _announced_length(scope) > self._limit:
            await _drain(receive)
            await failure(BodyTooLarge(self._limit).error, 413)(scope, receive, send)
            return
        await self._guarded(scope, self._counted(receive), send)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except BodyTooLarge as error:  # from whoever reads the body before the endpoint does
            await failure(error.error, 413)(scope, receive, send)
        except Exception as error:  # noqa: BLE001 the last line of defence: nothing else answers the caller
            answer = bug(error, scope["method"], scope["path"])
            if not started:
                await answer(scope, receive, send)

    def _counted(self, receive: Receive) -> Receive:
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._limit:
                if message.get("more_body", False):
                    await _drain(receive)
                raise BodyTooLarge(self._limit)
            return message

        return counted


def _announced_length(scope: Scope) -> int:
    headers: dict[bytes, Any] = dict(scope["headers"])
    value = headers.get(b"content-length", b"0")
    return int(value) if value.isdigit() else 0


async def _drain(receive: Receive) -> None:
    left = _DRAIN_LIMIT
    while left > 0:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return
        left -= len(message.get("body", b""))
