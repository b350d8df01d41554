"""Keeps a connection's credentials from reaching any origin but the ones they were entered for."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx

from patchbay.domain.errors import ValidationFailed
from patchbay.domain.run_trees import RUN_ROOT_HEADER as RUN_ROOT
from patchbay.integration import addresses
from patchbay.integration.destinations import known_addresses
from patchbay.integration.request import RequestConfig

if TYPE_CHECKING:
    from patchbay.integration.context import Context

_KEPT_ON_REDIRECT = frozenset((
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection",
    "content-encoding", "content-language", "content-length", "content-type", "depth", "host",
    "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "prefer", "range",
    "transfer-encoding", "user-agent", RUN_ROOT,
))  # fmt: skip
"""Headers that can hold no credentials. Any other may: services name their key headers as they like."""


def require_known_destination(
    ctx: "Context", request: httpx.Request, config: RequestConfig, known: Iterator[str]
) -> None:
    """Raises `ValidationFailed` when the request takes a secret of the connection somewhere else."""
    own = any(address and addresses.same_origin(address, str(request.url)) for address in known)
    # A Host header of a step's own choice makes a shared front end hand the request to another site.
    renamed = request.headers.get("host", "").lower() != _host(request.url)
    if (own and not renamed) or not _carries_secret(ctx, request, config):
        return
    app = ctx.auth.app or ctx.app
    if own:
        words = f"A Host header can’t be combined with a connection to {app.name}."
        raise ValidationFailed({"headers": [words]}, happened=words, todo="Remove the header.")
    words = f"The credentials of this connection aren’t sent to {_host(request.url)}."
    raise ValidationFailed(
        {"url": [words]},
        happened=words,
        meaning=f"They were entered for {_entered_for(ctx) or app.name} and are only used there.",
        todo="Use another connection, or none, for other addresses.",
    )


def addresses_entered_for(ctx: "Context", override: str | None, also_to: str) -> Iterator[str]:
    """Where the credentials of `ctx` may go in one call."""
    yield override or ""
    yield also_to
    yield from known_addresses(ctx.auth.app or ctx.app, ctx.auth.data)


def without_private_headers(request: httpx.Request) -> httpx.Request:
    """The request as it may go to another origin: only with headers that can hold no credentials."""
    for name in {name.lower() for name in request.headers}:
        if name not in _KEPT_ON_REDIRECT:
            del request.headers[name]
    return request


def holds_secret(ctx: "Context", request: httpx.Request) -> bool:
    """Whether address, headers or body of the request hold a secret of the connection."""
    masker = ctx.masker()
    return (
        masker.hides(str(request.url))
        or any(masker.hides(value) for value in request.headers.values())
        or masker.hides(request.read().decode("utf-8", "replace"))
    )


def _carries_secret(ctx: "Context", request: httpx.Request, config: RequestConfig) -> bool:
    masker = ctx.masker()
    # Within base64 a short password cannot be found any more.
    return any(map(masker.hides, config.basic or ())) or holds_secret(ctx, request)


def _entered_for(ctx: "Context") -> str:
    known = known_addresses(ctx.auth.app or ctx.app, ctx.auth.data)
    return next((_host(httpx.URL(address)) for address in known if addresses.is_absolute(address)), "")


def _host(url: httpx.URL) -> str:
    return url.netloc.decode("ascii", "replace").lower()
