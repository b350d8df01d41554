"""Replaces a trusted proxy's address with the client's, for rate limits and logs."""

from starlette.types import ASGIApp, Receive, Scope, Send

from patchbay.server.proxies import TrustedProxies


class ClientAddress:
    """Sets `scope["client"]` to the client's address when a trusted proxy forwarded the request."""

    def __init__(self, app: ASGIApp, proxies: TrustedProxies) -> None:
        self._app, self._proxies = app, proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = scope.get("client")
        if scope["type"] == "http" and peer is not None:
            address = self._proxies.client(peer[0], scope["headers"])
            if address != peer[0]:
                scope = {**scope, "client": (address, 0)}
        await self._app(scope, receive, send)
