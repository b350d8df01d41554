"""The HTTP client of apps: base URL, hooks, redirects, limits, and errors.

It sends a connection's credentials only to the origins they were entered for.
"""

import asyncio
import logging
import ssl
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

import httpx

from patchbay.domain import certificates
from patchbay.domain.charsets import charset_from_content_type
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.json_limits import THREAD_THRESHOLD
from patchbay.domain.request_context import RUN_ROOT_HEADER
from patchbay.integration import urls
from patchbay.integration.certificate_trust import CertificateTrust, trust_of
from patchbay.integration.credential_destinations import known_addresses
from patchbay.integration.http_errors import error_from_httpx, untrusted_certificate_error
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.request import (
    FormPart,
    RequestConfig,
    RequestOptions,
    Response,
    build_request_config,
)
from patchbay.integration.request_login import login_of, send_with_login
from patchbay.integration.response_bodies import read_body
from patchbay.integration.third_party_errors import error_from_response, error_from_success

if TYPE_CHECKING:
    from patchbay.integration.context import Context

_HEADERS_KEPT_ON_REDIRECT = frozenset((
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection",
    "content-encoding", "content-language", "content-length", "content-type", "depth", "host",
    "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "prefer", "range",
    "transfer-encoding", "user-agent", RUN_ROOT_HEADER,
))  # fmt: skip
"""Headers that can't contain credentials. Any other may: services choose the names of their key headers."""


def require_known_destination(
    ctx: "Context", request: httpx.Request, config: RequestConfig, allowed_addresses: Iterator[str]
) -> None:
    """Raise `ValidationFailed` if the request would send a secret to an unknown destination."""
    is_known = any(address and urls.same_origin(address, str(request.url)) for address in allowed_addresses)
    # With a Host header set by the step, a shared front end may route the request to another site.
    has_other_host_header = request.headers.get("host", "").lower() != _lower_host(request.url)
    if is_known and not has_other_host_header:
        return
    # A short password can't be found inside base64, and no secret inside a digest or signature.
    has_secret_login = bool(config.digest or config.sign)
    has_secret_login = has_secret_login or any(map(ctx.masker().contains_secret, config.basic or ()))
    if not has_secret_login and not request_contains_secret(ctx, request):
        return
    app = ctx.auth.app or ctx.app
    if is_known:
        message = f"A Host header can't be combined with a connection to {app.name}."
        raise ValidationFailed({"headers": [message]}, happened=message, todo="Remove the header.")
    known = (address for address in known_addresses(app, ctx.auth.data) if urls.is_absolute(address))
    entered_for = next((_lower_host(httpx.URL(address)) for address in known), "") or app.name
    message = f"The credentials of this connection aren't sent to {_lower_host(request.url)}."
    raise ValidationFailed(
        {"url": [message]},
        happened=message,
        meaning=f"They were entered for {entered_for} and are only sent there.",
        todo="For other addresses, use another connection or none.",
    )


def allowed_destinations(ctx: "Context", override: str | None, also_to: str) -> Iterator[str]:
    """The addresses that the credentials of `ctx` may be sent to in this call."""
    yield override or ""
    yield also_to
    yield from known_addresses(ctx.auth.app or ctx.app, ctx.auth.data)


def strip_private_headers(request: httpx.Request) -> httpx.Request:
    """The request for another origin: only with headers that can't contain credentials."""
    for name in {name.lower() for name in request.headers}:
        if name not in _HEADERS_KEPT_ON_REDIRECT:
            del request.headers[name]
    return request


def request_contains_secret(ctx: "Context", request: httpx.Request) -> bool:
    """Whether the URL, headers, or body of the request contain a secret of the connection."""
    masker = ctx.masker()
    return (
        masker.contains_secret(str(request.url))
        or any(masker.contains_secret(value) for value in request.headers.values())
        or masker.contains_secret(request.read().decode("utf-8", "replace"))
    )


def _lower_host(url: httpx.URL) -> str:
    return url.netloc.decode("ascii", "replace").lower()


# The client

MAX_REDIRECTS = 5
_REDIRECTED_AS_GET_METHODS = ("GET", "HEAD", "POST")
_SAFE_METHODS_WITH_BODY = ("PROPFIND", "REPORT", "SEARCH", "QUERY")
_SEE_OTHER = 303
_UNAUTHORIZED = 401
_FORBIDDEN = 403

for _library in ("httpx", "httpcore"):  # they log URLs, which may contain keys
    logging.getLogger(_library).setLevel(logging.WARNING)


class AppHttp:
    """The HTTP client for one call of app code, with the connection's credentials.

    Paths are below the app's API base address; absolute addresses are allowed. Raises `ThirdPartyError`
    for a status of 400 and above, `Unreachable`, `TimedOut`, and `ValidationFailed` for impossible requests.
    """

    def __init__(self, factory: HttpFactory, ctx: "Context") -> None:
        self._factory = factory
        self._ctx = ctx

    async def get(self, url: str, **call: Unpack[RequestOptions]) -> Response:
        return await self.request("GET", url, **call)

    async def post(self, url: str, **call: Unpack[RequestOptions]) -> Response:
        """Send a POST request."""
        return await self.request("POST", url, **call)

    async def put(self, url: str, **call: Unpack[RequestOptions]) -> Response:
        return await self.request("PUT", url, **call)

    async def patch(self, url: str, **call: Unpack[RequestOptions]) -> Response:
        """Send a PATCH request."""
        return await self.request("PATCH", url, **call)

    async def delete(self, url: str, **call: Unpack[RequestOptions]) -> Response:
        return await self.request("DELETE", url, **call)

    async def request(self, method: str, url: str, **call: Unpack[RequestOptions]) -> Response:
        """Send one request and read the whole response (25 MB at most)."""
        can_renew = self._ctx.auth.can_renew and not (call.get("extra") or {}).get("skip_auth")
        if can_renew:
            await self._ctx.run_on_main_loop(lambda: self._factory.token_renewer.renew_if_due(self._ctx))
        used = self._ctx.auth.data
        response, request_line = await self._send_once(method, url, call)
        # Some services return 403 for an expired token. If the expiry is known, 403 isn't treated as expiry.
        ends = self._ctx.auth.data.get("expiresAt")
        is_rejected = response.status == _UNAUTHORIZED or (response.status == _FORBIDDEN and ends is None)
        if can_renew and is_rejected:
            renew = self._factory.token_renewer.renew
            if await self._ctx.run_on_main_loop(lambda: renew(self._ctx, used)):
                response, request_line = await self._send_once(method, url, call)
        accepts = call.get("accepts")
        if response.status >= 400 and not (accepts and accepts(response.status)):
            raise error_from_response(response, request_line, self._ctx.masker(), self._ctx.now)
        if (find_error := self._ctx.app.error_in_response) and (message := find_error(response)):
            raise error_from_success(response, message, request_line, self._ctx.masker())
        self._ctx.last_response = response
        return response

    def _trust_for(self, url: httpx.URL, call: RequestOptions) -> CertificateTrust | None:
        """The certificates for a request. The client certificate is a credential: it stays where they do."""
        trust = trust_of(self._ctx.auth.app or self._ctx.app, self._ctx.auth.data)
        if trust is None or trust.client is None:
            return trust
        also_to = call.get("also_to", "")
        without_credentials = (call.get("extra") or {}).get("skip_auth") and not also_to
        override = self._factory.address_overrides.get(self._ctx.app.key)
        known = () if without_credentials else allowed_destinations(self._ctx, override, also_to)
        is_known = any(address and urls.same_origin(address, str(url)) for address in known)
        return trust.showing_client_to(url.host if is_known else "")

    @property
    def base_url(self) -> str:
        """The API base URL for this connection, with `{auth.…}` filled in; empty if there is none."""
        override = self._factory.address_overrides.get(self._ctx.app.key)
        return override or urls.resolve_base_url(self._ctx.app, self._ctx.auth.data)

    async def _send_once(self, method: str, url: str, call: RequestOptions) -> tuple[Response, str]:
        config = build_request_config(method, url, call)
        if urls.is_absolute(url):
            config.base_url, config.url = urls.split(url)
        else:
            config.base_url = self.base_url
        auth_app = self._ctx.auth.app
        for hook in (
            *self._ctx.app.before_request,
            *(auth_app.before_request if auth_app is not None else ()),
        ):
            config = hook(self._ctx, config)

        seconds = call.get("seconds") or self._factory.timeout
        request = self._build_request(config, seconds)
        override = self._factory.address_overrides.get(self._ctx.app.key)
        allowed_addresses = allowed_destinations(self._ctx, override, call.get("also_to", ""))
        require_known_destination(self._ctx, request, config, allowed_addresses)
        try:
            async with asyncio.timeout(seconds):
                login = login_of(config)
                response = await self._ctx.run_on_main_loop(lambda: self._send(request, login, call))
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, ssl.SSLError) as error:
            # httpx passes on the SSLError of a server that ends an open connection with a TLS alert.
            if certificate_error := certificates.rejection(error):
                # After redirects, it isn't the request that was sent first.
                requested = error.request if isinstance(error, httpx.RequestError) else request
                raise await self._ctx.run_on_main_loop(
                    lambda: untrusted_certificate_error(
                        self._factory, self._ctx, requested.url, certificate_error
                    )
                ) from error
            host = _url_host(request.url)
            raise error_from_httpx(error, app=self._service_name(host), host=host, seconds=seconds) from error
        return response, f"{request.method} {request.url.path}"

    def _build_request(self, config: RequestConfig, seconds: float) -> httpx.Request:
        content: dict[str, Any] = {"json": config.json, "data": config.form, "content": config.content}
        if config.multipart is not None:
            content["files"] = [_multipart_field(part) for part in config.multipart]
        try:
            request = self._factory.default_client.build_request(
                config.method,
                urls.join(config.base_url, config.url, config.params),
                headers=urls.encode_headers(config.headers),
                timeout=seconds,
                **{key: value for key, value in content.items() if value is not None},
            )
        except (httpx.InvalidURL, UnicodeError) as error:
            raise error_from_httpx(error, app=self._ctx.app.name, host=config.base_url, seconds=0) from error
        if root_id := self._ctx.execution.root_id:
            request.headers[RUN_ROOT_HEADER] = root_id
        if config.basic:
            request = next(httpx.BasicAuth(*config.basic).sync_auth_flow(request))
        return request

    async def _send(self, request: httpx.Request, login: httpx.Auth | None, call: RequestOptions) -> Response:
        """Send, and follow redirects. Credentials are only sent to the origin they were entered for."""
        requested = _url_host(request.url)
        for _ in range(MAX_REDIRECTS + 1):
            user = self._ctx.auth.id or self._ctx.flow.id
            trust = self._trust_for(request.url, call)
            async with self._factory.client_for(self._ctx.address_policy, trust, user) as client:
                httpx_response = await send_with_login(client, request, login)
                try:
                    next_request = httpx_response.next_request
                    if next_request is None or not call.get("follow_redirects", True):
                        return await self._read(httpx_response, requested)
                    next_request = _with_original_method(request, httpx_response, next_request)
                    if not urls.same_origin(str(request.url), str(next_request.url)):
                        login = None
                    request = self._follow_redirect(request, next_request)
                finally:
                    await httpx_response.aclose()
        raise self._redirect_error(request, "It kept redirecting the request to other addresses.")

    def _follow_redirect(self, request: httpx.Request, next_request: httpx.Request) -> httpx.Request:
        if urls.same_origin(str(request.url), str(next_request.url)):
            return next_request
        next_request = strip_private_headers(next_request)
        if request_contains_secret(self._ctx, next_request):
            raise self._redirect_error(
                request, "It redirected the request to another address, and credentials aren't sent there."
            )
        if next_request.read() and not self._may_carry_body(request, next_request):
            raise self._redirect_error(
                request,
                f"It redirected the request to {_url_host(next_request.url)}, but the request body was meant "
                f"for {_url_host(request.url)} only.",
                f"If you trust {_url_host(next_request.url)}, enter its address yourself.",
            )
        return next_request

    def _may_carry_body(self, request: httpx.Request, next_request: httpx.Request) -> bool:
        """Whether the body may be sent there: same host with https, or an address the user entered."""
        is_https_upgrade = request.url.host == next_request.url.host and next_request.url.scheme == "https"
        override = self._factory.address_overrides.get(self._ctx.app.key)
        allowed_addresses = allowed_destinations(self._ctx, override, "")
        return (
            is_https_upgrade
            or request.method in _SAFE_METHODS_WITH_BODY
            or any(
                address and urls.same_origin(address, str(next_request.url)) for address in allowed_addresses
            )
        )

    async def _read(self, httpx_response: httpx.Response, requested: str) -> Response:
        """The response with its whole body. `requested`: the host before redirects. Raises as `read_body`."""
        host = _url_host(httpx_response.url)
        sender = self._service_name(host)
        response = Response(
            status=httpx_response.status_code,
            reason=httpx_response.reason_phrase,
            headers={name.lower(): value for name, value in httpx_response.headers.items()},
            content=await read_body(httpx_response, sender),
            url=str(httpx_response.url),
            app=sender,
            encoding=charset_from_content_type(httpx_response.headers.get("content-type", "")),
            redirected_to="" if host == requested else host,
        )
        # Apps call `json` on the event loop.
        large = len(response.content) > THREAD_THRESHOLD and response.looks_like_json
        return await asyncio.to_thread(response.with_parsed_json) if large else response

    def _redirect_error(
        self, request: httpx.Request, meaning: str, todo: str = "Check the service's address."
    ) -> ThirdPartyError:
        name = self._service_name(_url_host(request.url))
        error = ThirdPartyError(app=name, said="", meaning=meaning, todo=todo)
        error.happened = f"A redirect from {name} wasn't followed."
        return error

    def _service_name(self, host: str) -> str:
        """The name of the service: the app, or the host if the app works with any address."""
        return self._ctx.app.name if self._ctx.app.api_base_url else host


def _multipart_field(part: FormPart) -> tuple[str, tuple[str | None, str | bytes, str | None]]:
    """The part in the form that httpx takes; without a type, none is sent for a field."""
    return part.name, (part.file_name, part.content, part.content_type or None)


def _url_host(url: httpx.URL) -> str:
    return url.netloc.decode("ascii", "replace")


def _with_original_method(
    request: httpx.Request, httpx_response: httpx.Response, next_request: httpx.Request
) -> httpx.Request:
    """The next request with the original method: httpx turns a redirected PUT into a GET.

    Only POST may become GET (RFC 9110, 15.4). "See other" means GET, except for safe methods with a body:
    calendar servers redirect PROPFIND to their actual URL (RFC 6764, 5).
    """
    changed = next_request.method != request.method and request.method not in _REDIRECTED_AS_GET_METHODS
    if not changed or (
        httpx_response.status_code == _SEE_OTHER and request.method not in _SAFE_METHODS_WITH_BODY
    ):
        return next_request
    return httpx.Request(
        request.method,
        next_request.url,
        headers=next_request.headers,
        content=request.content,
        extensions=request.extensions,
    )
