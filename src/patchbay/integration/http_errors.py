"""Turns httpx failures and rejected certificates into `AppError`s."""

import asyncio
import re
import ssl
from typing import TYPE_CHECKING

import httpx

from patchbay.domain import certificates
from patchbay.domain.errors import AppError, ThirdPartyError, Unreachable, ValidationFailed
from patchbay.domain.remote_options import UntrustedCertificate
from patchbay.integration.certificate_trust import CertificateTrust, hosts_of, trust_of
from patchbay.integration.credential_destinations import fields_in_addresses
from patchbay.integration.network_errors import (
    TRY_LATER,
    as_sentence,
    cause_chain,
    explain_causes,
    timeout_error,
)

if TYPE_CHECKING:
    from patchbay.integration.context import Context
    from patchbay.integration.http_factory import HttpFactory

_CLIENT_CERTIFICATE_ALERT = re.compile(
    r"ALERT_(CERTIFICATE_(REQUIRED|EXPIRED|REVOKED|UNKNOWN)|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA)"
)
"""How OpenSSL names what a server says about the certificate of a client."""
_PLAIN_HTTP_HINT = "Is it http:// rather than https://?"


def error_from_httpx(error: Exception, *, app: str, host: str, seconds: float) -> AppError:
    """The `AppError` for anything httpx raises: `TimedOut`, `Unreachable`, or `ValidationFailed`."""
    if isinstance(error, (TimeoutError, httpx.TimeoutException)):
        return timeout_error(app, seconds)
    if isinstance(
        error, (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.LocalProtocolError, UnicodeError)
    ):
        return ValidationFailed(
            {"url": [f"The request to {app} is invalid: {as_sentence(str(error))}"]},
            todo="Check the URL and headers in this step or connection.",
        )
    causes = list(cause_chain(error))
    if rejected := client_certificate_error(causes, app):
        return rejected
    happened, meaning = _unreachable(causes, app, host)
    return Unreachable(happened, meaning=meaning, todo=TRY_LATER)


def client_certificate_error(causes: list[BaseException], app: str) -> ThirdPartyError | None:
    """The error for a service that wants a client certificate, or another one; None for other causes."""
    reasons = [str(getattr(cause, "reason", "")) for cause in causes if isinstance(cause, ssl.SSLError)]
    if not any(map(_CLIENT_CERTIFICATE_ALERT.search, reasons)):
        return None
    is_missing = any("REQUIRED" in reason for reason in reasons)
    error = ThirdPartyError(
        app=app,
        said="",
        meaning="It only accepts connections with a client certificate that it knows.",
        todo="Enter the client certificate that the service issued to you, or renew it.",
        rejects_credentials=True,
    )
    error.happened = f"{app} {'asks for a' if is_missing else 'rejected the'} client certificate."
    return error


def _unreachable(causes: list[BaseException], app: str, host: str) -> tuple[str, str]:
    """(what happened, meaning), from the deepest known cause."""
    if explanation := explain_causes(causes, host, tls=_PLAIN_HTTP_HINT):
        return explanation
    for cause in causes:
        if isinstance(cause, httpx.ProxyError):
            return f"The proxy rejected the request to {host}.", as_sentence(str(cause))
        if isinstance(cause, (httpx.DecodingError, httpx.RemoteProtocolError)):
            return f"{app} sent an incomplete or malformed response.", as_sentence(str(cause))
    return f"Couldn't reach {app} at {host}.", as_sentence(str(causes[0]))


# Rejected certificates


async def untrusted_certificate_error(
    factory: "HttpFactory", ctx: "Context", url: httpx.URL, rejection_error: ssl.SSLCertVerificationError
) -> AppError:
    """The error for a rejected certificate; includes the certificate if the user can choose to trust it.

    Users can trust certificates of the connection's hosts. No request was or is sent: the handshake is
    repeated and ended once the certificate has arrived.
    """
    app, data = ctx.auth.app or ctx.app, ctx.auth.data
    host = url.host
    plain_error = error_from_httpx(
        rejection_error, app=app.name, host=url.netloc.decode("ascii", "replace"), seconds=factory.timeout
    )
    if not fields_in_addresses(app) or host not in hosts_of(app, data):
        return plain_error
    trust = trust_of(app, data) or CertificateTrust()
    der = rejection_error.der if isinstance(rejection_error, certificates.CertificateRejected) else None
    if der is None and (der := await _fetch_certificate(factory, ctx, url, trust.inspecting(host))) is None:
        return plain_error
    seen = await asyncio.to_thread(certificates.seen, der)
    pinned = dict(trust.pins).get(host)
    if pinned is not None:
        return UntrustedCertificate(
            f"The certificate of {host} has changed.",
            certificate=seen,
            pinned=pinned,
            host=host,
            meaning=(
                "The server renewed its certificate, or another computer is impersonating it. Nothing "
                "was sent."
            ),
            todo="Ask the server's administrator whether the SHA-256 fingerprint is now "
            f"{seen.shown_fingerprint}. If so, reconnect and trust it.",
        )
    reason = certificates.rejection_reason(rejection_error) or "it can't be verified"
    return UntrustedCertificate(
        f"The certificate of {host} isn't trusted: {reason}.",
        certificate=seen,
        host=host,
        meaning="Another computer could be impersonating the server. Nothing was sent.",
        todo="Enter the CA certificate in the connection. Or trust only this certificate, if the "
        f"server's administrator confirms its SHA-256 fingerprint {seen.shown_fingerprint}.",
    )


async def _fetch_certificate(
    factory: "HttpFactory", ctx: "Context", url: httpx.URL, trust: CertificateTrust
) -> bytes | None:
    """The certificate that a host presents; None if it presents none."""
    try:
        async with asyncio.timeout(factory.timeout):
            async with factory.client_for(ctx.address_policy, trust) as client:
                await client.head(url.copy_with(raw_path=b"/"))
    except (TimeoutError, httpx.HTTPError) as error:
        rejection_error = certificates.rejection(error)
        return rejection_error.der if isinstance(rejection_error, certificates.CertificateRejected) else None
    return None
