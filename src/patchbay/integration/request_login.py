"""Credentials that depend on the request itself or on a challenge: digest authentication and signatures."""

from collections.abc import Generator

import httpx

from patchbay.domain.errors import NotSupported
from patchbay.integration.request import RequestConfig, Signer


class _Digest(httpx.DigestAuth):
    """Digest authentication (RFC 7616)."""

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        try:
            yield from super().auth_flow(request)
        except (KeyError, ValueError, NotImplementedError, httpx.ProtocolError):
            raise NotSupported(
                f"{request.url.host} asks for a kind of digest authentication that isn't supported.",
                meaning="Patchbay supports the algorithms MD5, SHA, SHA-256, and SHA-512 with qop auth.",
                todo="Choose another way to sign in, if the service has one.",
            ) from None


class _Signature(httpx.Auth):
    """Adds headers that are computed from the whole request."""

    def __init__(self, sign: Signer) -> None:
        self._sign = sign

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        headers = {name: value for name, value in request.headers.items() if name != "authorization"}
        request.headers.update(self._sign(request.method, str(request.url), headers, request.read()))
        yield request


def login_of(config: RequestConfig) -> httpx.Auth | None:
    """What authenticates each request of a call; None if the credentials are in the request already."""
    if config.digest is not None:
        return _Digest(*config.digest)
    return _Signature(config.sign) if config.sign is not None else None


async def send_with_login(
    client: httpx.AsyncClient, request: httpx.Request, login: httpx.Auth | None
) -> httpx.Response:
    """Send the request, and again with credentials after a challenge. The response isn't read yet.

    `client.send(auth=…)` would read the response with the challenge without a limit on its size.
    """
    if login is None:
        return await client.send(request, stream=True)
    flow = login.auth_flow(request)
    following = next(flow)
    while True:
        response = await client.send(following, stream=True)
        try:
            following = flow.send(response)
        except StopIteration:
            return response
        except BaseException:
            await response.aclose()
            raise
        await response.aclose()
