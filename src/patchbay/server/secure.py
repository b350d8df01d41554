"""What every answer says about itself, whoever made it: how browsers may use it, and that nobody keeps it."""

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchbay.server.flow_responses import SANDBOX
from patchbay.server.hosts import LOOPBACK_NAMES, host_name
from patchbay.server.webhooks import WEBHOOK_PREFIX

_COMMON_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
_API_HEADERS = (
    *_COMMON_HEADERS,
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_WEBHOOK_HEADERS = (
    *_COMMON_HEADERS,
    # What a flow answers may be a page made of what strangers sent: it gets no part of our origin.
    (b"content-security-policy", SANDBOX.encode()),
)
_ENFORCED_HEADERS = frozenset((b"x-content-type-options", b"referrer-policy", b"content-security-policy"))
"""What answers at the addresses of webhooks never say otherwise, whoever made them."""
_HSTS_HEADER = (b"strict-transport-security", b"max-age=31536000")

RawHeaders = list[tuple[bytes, bytes]]


def add_security_headers(headers: Iterable[tuple[bytes, bytes]], path: str, *, encrypted: bool) -> RawHeaders:
    """The headers of an answer with what is missing; what the answer says itself stays, but for webhooks."""
    of_flow = path.startswith(WEBHOOK_PREFIX)
    headers_sent = [item for item in headers if not (of_flow and item[0].lower() in _ENFORCED_HEADERS)]
    names = {name.lower() for name, _ in headers_sent}
    wanted = _WEBHOOK_HEADERS if of_flow else _API_HEADERS
    more = (*wanted, _HSTS_HEADER) if encrypted else wanted
    return [*headers_sent, *(item for item in more if item[0] not in names)]


class SecureHeaders:
    """Adds to every answer what it does not say itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                encrypted = scope["scheme"] == "https" and not _is_loopback_request(scope)
                headers = add_security_headers(message.get("headers", ()), scope["path"], encrypted=encrypted)
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, complete)


def _is_loopback_request(scope: Scope) -> bool:
    """A browser must not be told to encrypt whatever runs here, on every port, for a year."""
    hosts = (value for name, value in scope["headers"] if name == b"host")
    return host_name(next(hosts, b"").decode("latin-1")) in LOOPBACK_NAMES
