"""The HTTP client for one server: TLS trust, proxy, and descriptions of its failures."""

import asyncio
import os
import ssl
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from patchbay.client.errors import error_from_network
from patchbay.domain import certificates
from patchbay.domain.errors import AppError, AuthRequired, Unreachable, ValidationFailed
from patchbay.domain.outgoing import is_loopback
from patchbay.domain.remote_options import (
    NO_PROXY,
    SYSTEM_PROXY,
    RemoteOptions,
    UntrustedCertificate,
    format_fingerprint,
)


def create_tls_context(options: RemoteOptions) -> ssl.SSLContext:
    """Believes the authorities of the system and those of the CA file. Reads files, so not on the loop.

    Raises `ValidationFailed` if the CA file can't be used.
    """
    context = ssl.create_default_context()
    if not os.environ.get("SSL_CERT_FILE"):
        import certifi  # for systems that keep no list where OpenSSL looks for it

        context.load_verify_locations(certifi.where())
    if options.ca_file:
        _load_ca_file(context, options.ca_file)
    return context


def _load_ca_file(context: ssl.SSLContext, ca_file: str) -> None:
    path = Path(ca_file).expanduser()
    try:
        content = path.read_bytes()
        context.load_verify_locations(cadata=content.decode("ascii") if b"-----BEGIN" in content else content)
    except (OSError, ValueError) as error:  # also ssl.SSLError
        problem = "doesn't exist" if isinstance(error, FileNotFoundError) else "contains no certificate"
        raise ValidationFailed(
            {"caFile": [f"The file {problem}."]},
            happened=f"The CA file {path.name} {problem}.",
            meaning="The server's certificate can't be verified without it, so nothing was sent.",
            todo="Choose the file your administrator gave you, usually named .pem or .crt.",
        ) from error


IDLE_SECONDS = 3.0
"""Connections idle for longer aren't reused; Automatisch closes them after five seconds."""
PROXY_AUTH_REQUIRED = 407


async def open_client(
    base_url: str,
    options: RemoteOptions,
    *,
    headers: dict[str, str],
    timeout: httpx.Timeout,  # noqa: ASYNC109  that of its requests
    transport: httpx.AsyncBaseTransport | None = None,
) -> httpx.AsyncClient:
    """A client for this server. Raises `ValidationFailed` if its CA file can't be used."""
    # Without TLS there is nothing to verify, and reading the certificates takes 20 ms.
    verify: Any = False
    if base_url.startswith("https:") and transport is None:
        if options.pinned_sha256:
            verify = certificates.pinned_context(options.pinned_sha256)
        else:
            verify = await asyncio.to_thread(create_tls_context, options)
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))  # only the key identifies the caller
    return httpx.AsyncClient(
        # httpx would also accept the encodings of optional packages, and decompresses them without a limit.
        headers={"Accept-Encoding": "gzip, deflate", **headers},
        cookies=no_cookies,
        transport=transport,
        timeout=timeout,
        limits=httpx.Limits(keepalive_expiry=IDLE_SECONDS),
        verify=verify,
        **await _proxy_options(base_url, options),
    )


async def describe_failure(
    error: httpx.HTTPError | httpx.InvalidURL, base_url: str, options: RemoteOptions
) -> AppError:
    """The error for a network failure. Fetches an untrusted certificate again, to show it."""
    if rejection := certificates.rejection(error):
        return await _untrusted_certificate_error(rejection, base_url, options)
    if isinstance(error, httpx.ProxyError):
        return proxy_error(base_url, options, str(error))
    if isinstance(error, httpx.ConnectError) and options.proxy not in (SYSTEM_PROXY, NO_PROXY):
        return Unreachable(
            f"{base_url} can't be reached through the proxy {_proxy_name(options)}.",
            meaning="The proxy isn't responding, or it can't reach the server.",
            todo="Check the address of the proxy, then that of the server.",
        )
    return error_from_network(error, base_url)


def proxy_error(base_url: str, options: RemoteOptions, detail: str) -> AppError:
    """The error for a response of the proxy itself."""
    if str(PROXY_AUTH_REQUIRED) in detail:
        return AuthRequired(
            f"The proxy {_proxy_name(options)} requires a user name and a password.",
            meaning=f"The request wasn't sent to {base_url}.",
            todo="Enter them in the proxy's address: http://user:password@host:port. "
            "The password is stored in the keyring.",
        )
    return Unreachable(
        f"The proxy {_proxy_name(options)} couldn't connect to {base_url}.",
        meaning=f"It responded: {detail}." if detail else "",
        todo="Check the address of the server, or choose another proxy.",
    )


def is_no_response(error: Exception) -> bool:
    """Whether there was no response, so that retrying later makes sense."""
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.ProxyError)):
        return False
    return isinstance(error, httpx.TransportError) and certificates.rejection(error) is None


def is_loopback_address(base_url: str) -> bool:
    """Whether the service runs on this computer: then the system's proxy does not stand between."""
    return is_loopback(urlsplit(base_url).hostname or "")


async def _proxy_options(base_url: str, options: RemoteOptions) -> dict[str, Any]:
    if options.proxy == SYSTEM_PROXY:
        return {"trust_env": not is_loopback_address(base_url)}
    if options.proxy == NO_PROXY:
        return {"trust_env": False}
    parts = urlsplit(options.proxy)
    user, _, host = parts.netloc.rpartition("@")
    auth = (unquote(user), options.proxy_password or "") if user else None
    # The pinned certificate is the server's; the proxy's is verified as usual.
    context = await asyncio.to_thread(create_tls_context, options) if parts.scheme == "https" else None
    proxy = httpx.Proxy(f"{parts.scheme}://{host}", auth=auth, ssl_context=context)
    return {"proxy": proxy, "trust_env": False}


async def _untrusted_certificate_error(
    rejection: BaseException, base_url: str, options: RemoteOptions
) -> AppError:
    der = (
        rejection.der
        if isinstance(rejection, certificates.CertificateRejected)
        else await _fetch_certificate(base_url, options)
    )
    if der is None:
        return Unreachable(
            f"The certificate of {base_url} isn't trusted.",
            meaning="Its certificate, or that of a proxy in between, isn't trusted by this computer.",
            todo="Check the addresses, or choose the CA file.",
        )
    certificate = await asyncio.to_thread(certificates.seen, der)
    fingerprint, pinned = certificate.shown_fingerprint, options.pinned_sha256
    if pinned:
        return UntrustedCertificate(
            f"The certificate of {base_url} isn't the one you trust.",
            certificate=certificate,
            pinned=pinned,
            meaning="It was renewed, or another server is impersonating it. Nothing was sent. The "
            f"fingerprint you trust is {format_fingerprint(pinned)}.",
            todo=f"Ask the server's administrator whether its fingerprint is now {fingerprint}.",
        )
    detail = certificates.rejection_reason(rejection)
    reason = f" ({detail})" if detail else ""
    return UntrustedCertificate(
        f"The certificate of {base_url} isn't trusted{reason}.",
        certificate=certificate,
        meaning="Another server could be impersonating it. Nothing was sent.",
        todo="Choose the CA file, or trust this certificate if the server's administrator confirms "
        f"the fingerprint {fingerprint}.",
    )


async def _fetch_certificate(base_url: str, options: RemoteOptions) -> bytes | None:
    """The certificate, from a handshake that ends before anything is sent."""
    probe_client = httpx.AsyncClient(
        verify=certificates.pinned_context(certificates.INSPECT_ONLY),
        **await _proxy_options(base_url, options),
    )
    try:
        async with probe_client:
            await probe_client.head(base_url)
    except httpx.HTTPError as error:
        rejection = certificates.rejection(error)
        return rejection.der if isinstance(rejection, certificates.CertificateRejected) else None
    return None


def _proxy_name(options: RemoteOptions) -> str:
    if options.proxy in (SYSTEM_PROXY, NO_PROXY):
        return "of this computer"
    return options.proxy.rpartition("@")[2].rpartition("/")[2]
