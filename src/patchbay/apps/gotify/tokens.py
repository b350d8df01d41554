"""The two tokens of a connection: that of an application only sends, that of a client only reads."""

from typing import Any

from patchbay.integration import Context, RequestConfig, Response
from patchbay.integration.values import parameter_error, text_of

_HEADER = "X-Gotify-Key"
_AS_CLIENT = "as_client"


def add_token(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Add the token of the application, or of the client for requests by `get_as_client`."""
    config.headers[_HEADER] = text_of(
        ctx.auth.data, "clientToken" if config.extra.get(_AS_CLIENT) else "apiKey"
    )
    return config


async def get_as_client(ctx: Context, path: str, **query: Any) -> Response:
    """Request something that only clients can read. Raises `ValidationFailed` without a client token."""
    if not text_of(ctx.auth.data, "clientToken"):
        raise parameter_error(
            "connection",
            "This connection has no client token, so it can't read messages.",
            "Create a client in Gotify, and enter its token in the connection.",
        )
    return await ctx.http.get(path, params=query, extra={_AS_CLIENT: True})
