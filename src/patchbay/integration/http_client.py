"""Keeps a connection's credentials from reaching any origin but the ones they were entered for."""

import asyncio
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

import httpx

from patchbay.domain import certificates
from patchbay.domain.base import JsonObject
from patchbay.domain.charsets import charset_from_content_type
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.json_limits import THREAD_THRESHOLD
from patchbay.domain.request_context import RUN_ROOT_HEADER
from patchbay.domain.request_context import RUN_ROOT_HEADER as RUN_ROOT
from patchbay.integration import urls
from patchbay.integration.app_definition import Hook
from patchbay.integration.certificate_trust import CertificateTrust, trust_of
from patchbay.integration.credential_destinations import known_addresses
from patchbay.integration.http_errors import told, untrusted
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.request import Call, RequestConfig, Response, config_of
from patchbay.integration.response_bodies import read_body
from patchbay.integration.third_party_errors import refusal

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
    own = any(address and urls.same_origin(address, str(request.url)) for address in known)
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
    return next((_host(httpx.URL(address)) for address in known if urls.is_absolute(address)), "")


def _host(url: httpx.URL) -> str:
    return url.netloc.decode("ascii", "replace").lower()


# MERGED: The HTTP client handed to apps: base address, hooks, limits, and errors in the third party's
# own words.

MAX_REDIRECTS = 5
_MAY_BECOME_GET = ("GET", "HEAD", "POST")
_ONLY_ASK = ("PROPFIND", "REPORT", "SEARCH", "QUERY")
_SEE_OTHER = 303
_REJECTED = 401
_FORBIDDEN = 403

for _name in ("httpx", "httpcore"):  # their request log would hold keys that travel in addresses
    logging.getLogger(_name).setLevel(logging.WARNING)


class AppHttp:
    """One app's view of the network, with the connection's credentials.

    Paths are below the app's API base address; absolute addresses are allowed. Raises `ThirdPartyError`
    for a status of 400 and above, `Unreachable`, `TimedOut`, and `ValidationFailed` for impossible requests.
    """

    def __init__(self, factory: HttpFactory, ctx: "Context") -> None:
        self._factory = factory
        self._ctx = ctx

    async def get(self, url: str, **call: Unpack[Call]) -> Response:
        return await self.request("GET", url, **call)

    async def post(self, url: str, **call: Unpack[Call]) -> Response:
        return await self.request("POST", url, **call)

    async def put(self, url: str, **call: Unpack[Call]) -> Response:
        return await self.request("PUT", url, **call)

    async def patch(self, url: str, **call: Unpack[Call]) -> Response:
        return await self.request("PATCH", url, **call)

    async def delete(self, url: str, **call: Unpack[Call]) -> Response:
        return await self.request("DELETE", url, **call)

    async def request(self, method: str, url: str, **call: Unpack[Call]) -> Response:
        """Send one request and read the whole answer (25 MB at most)."""
        renews = self._ctx.auth.renews and not (call.get("extra") or {}).get("skip_auth")
        if renews:
            await self._ctx.on_program_loop(lambda: self._factory.renewals.before_use(self._ctx))
        used = self._ctx.auth.data
        response, line = await self._attempt(method, url, call)
        if renews and self._may_be_stale(response) and await self._renewed(used):
            response, line = await self._attempt(method, url, call)
        if response.status >= 400:
            raise refusal(response, line, self._ctx.masker(), self._ctx.now)
        self._ctx.last_response = response
        return response

    async def _renewed(self, used: JsonObject) -> bool:
        return await self._ctx.on_program_loop(lambda: self._factory.renewals.renew(self._ctx, used))

    @property
    def _trust(self) -> CertificateTrust | None:
        return trust_of(self._ctx.auth.app or self._ctx.app, self._ctx.auth.data)

    @property
    def base_url(self) -> str:
        """The API base address for this connection, with `{auth.…}` filled in; empty when there is none."""
        override = self._factory.address_overrides.get(self._ctx.app.key)
        return override or urls.resolve_base(self._ctx.app, self._ctx.auth.data)

    def _may_be_stale(self, response: Response) -> bool:
        """Some services say 403 to a token that has ended; where its end is known, 403 means what it says."""
        status, ends = response.status, self._ctx.auth.data.get("expiresAt")
        return status == _REJECTED or (status == _FORBIDDEN and ends is None)

    async def _attempt(self, method: str, url: str, call: Call) -> tuple[Response, str]:
        config = self._prepare(method, url, call)
        request = self._build(config)
        override = self._factory.address_overrides.get(self._ctx.app.key)
        known = addresses_entered_for(self._ctx, override, call.get("also_to", ""))
        require_known_destination(self._ctx, request, config, known)
        try:
            async with asyncio.timeout(self._factory.timeout):
                response = await self._ctx.on_program_loop(lambda: self._send(request))
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL) as error:
            if refused := certificates.refusal(error):
                asked = error.request if isinstance(error, httpx.RequestError) else request  # after redirects
                raise await self._ctx.on_program_loop(
                    lambda: untrusted(self._factory, self._ctx, asked.url, refused)
                ) from error
            host = _http_host(request.url)
            raise told(error, app=self._name(host), host=host, seconds=self._factory.timeout) from error
        return response, f"{request.method} {request.url.path}"

    def _prepare(self, method: str, url: str, call: Call) -> RequestConfig:
        config = config_of(method, url, call)
        if urls.is_absolute(url):
            config.base_url, config.url = urls.split(url)
        else:
            config.base_url = self.base_url
        for hook in self._hooks():
            config = hook(self._ctx, config)
        return config

    def _hooks(self) -> Iterator[Hook]:
        """Those of the app, then those of the app whose connection is used."""
        yield from self._ctx.app.before_request
        if self._ctx.auth.app is not None:
            yield from self._ctx.auth.app.before_request

    def _build(self, config: RequestConfig) -> httpx.Request:
        content: dict[str, Any] = {"json": config.json, "data": config.form, "content": config.content}
        try:
            request = self._factory.usual.build_request(
                config.method,
                urls.join(config.base_url, config.url, config.params),
                headers=urls.encode_headers(config.headers),
                **{key: value for key, value in content.items() if value is not None},
            )
        except (httpx.InvalidURL, UnicodeError) as error:
            raise told(error, app=self._ctx.app.name, host=config.base_url, seconds=0) from error
        if root_id := self._ctx.execution.root_id:
            request.headers[RUN_ROOT_HEADER] = root_id
        if config.basic:
            request = next(httpx.BasicAuth(*config.basic).sync_auth_flow(request))
        return request

    async def _send(self, request: httpx.Request) -> Response:
        """Send and follow redirects; credentials go no further than the origin they were meant for."""
        asked = _http_host(request.url)
        for _ in range(MAX_REDIRECTS + 1):
            user = self._ctx.auth.id or self._ctx.flow.id
            async with self._factory.client_for(self._ctx.address_policy, self._trust, user) as client:
                answer = await client.send(request, stream=True)
                try:
                    following = answer.next_request
                    if following is None:
                        return await self._read(answer, asked)
                    request = self._redirected(request, _as_asked(request, answer, following))
                finally:
                    await answer.aclose()
        raise self._refused(request, "It kept redirecting the request to other addresses.")

    def _redirected(self, request: httpx.Request, following: httpx.Request) -> httpx.Request:
        if urls.same_origin(str(request.url), str(following.url)):
            return following
        following = without_private_headers(following)
        if holds_secret(self._ctx, following):
            raise self._refused(
                request, "It redirected the request to another address, where credentials must not go."
            )
        if following.read() and not self._may_hold_body(request, following):
            raise self._refused(
                request,
                f"It redirected the request to {_http_host(following.url)}, and the request body was meant for "
                f"{_http_host(request.url)} only.",
                f"If you trust {_http_host(following.url)}, enter its address yourself.",
            )
        return following

    def _may_hold_body(self, request: httpx.Request, following: httpx.Request) -> bool:
        """Whether the body may go to another origin: the same host by https, or one that was entered."""
        upgraded = request.url.host == following.url.host and following.url.scheme == "https"
        override = self._factory.address_overrides.get(self._ctx.app.key)
        known = addresses_entered_for(self._ctx, override, "")
        return (
            upgraded
            or request.method in _ONLY_ASK
            or any(address and urls.same_origin(address, str(following.url)) for address in known)
        )

    async def _read(self, answer: httpx.Response, asked: str) -> Response:
        """The answer with its whole body, `asked` being the host asked first. Raises as `read_body`."""
        host = _http_host(answer.url)
        sender = self._name(host)
        response = Response(
            status=answer.status_code,
            reason=answer.reason_phrase,
            headers={name.lower(): value for name, value in answer.headers.items()},
            content=await read_body(answer, sender),
            url=str(answer.url),
            app=sender,
            encoding=charset_from_content_type(answer.headers.get("content-type", "")),
            redirected_to="" if host == asked else host,
        )
        # Apps call `json` on the event loop.
        large = len(response.content) > THREAD_THRESHOLD and response.looks_like_json
        return await asyncio.to_thread(response.read_ahead) if large else response

    def _refused(
        self, request: httpx.Request, meaning: str, todo: str = "Check the address of the service."
    ) -> ThirdPartyError:
        name = self._name(_http_host(request.url))
        error = ThirdPartyError(app=name, said="", meaning=meaning, todo=todo)
        error.happened = f"A redirect from {name} wasn’t followed."
        return error

    def _name(self, host: str) -> str:
        """Who answers: the app's service, or the host when the app is for any address."""
        return self._ctx.app.name if self._ctx.app.api_base_url else host


def _http_host(url: httpx.URL) -> str:
    return url.netloc.decode("ascii", "replace")


def _as_asked(request: httpx.Request, answer: httpx.Response, following: httpx.Request) -> httpx.Request:
    """The next request with the method of the first: httpx makes a GET of a PUT, which then does nothing.

    Only POST may become GET (RFC 9110, 15.4). "See other" means GET, except to methods that only ask: so
    calendar servers say where they are (RFC 6764, 5).
    """
    changed = following.method != request.method and request.method not in _MAY_BECOME_GET
    if not changed or (answer.status_code == _SEE_OTHER and request.method not in _ONLY_ASK):
        return following
    return httpx.Request(
        request.method,
        following.url,
        headers=following.headers,
        content=request.content,
        extensions=request.extensions,
    )
