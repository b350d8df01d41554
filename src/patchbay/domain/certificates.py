"""TLS certificates of servers: their contents, and contexts that trust exactly one (certificate pinning)."""

import hashlib
import hmac
import re
import ssl

from patchbay.domain.base import EpochMs
from patchbay.domain.remote_options import SeenCertificate

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----")
INSPECT_ONLY = ""
"""A pin that no certificate matches, to read a certificate: the handshake ends before anything is sent."""

_UNKNOWN_ISSUER = "its issuer isn't known to this computer"
_REASONS = {
    "unable to get local issuer certificate": _UNKNOWN_ISSUER,
    "unable to get issuer certificate": _UNKNOWN_ISSUER,
    "unable to verify the first certificate": _UNKNOWN_ISSUER,
    "self-signed certificate in certificate chain": _UNKNOWN_ISSUER,
    "self signed certificate in certificate chain": _UNKNOWN_ISSUER,
    "self-signed certificate": "it's self-signed",
    "self signed certificate": "it's self-signed",
    "certificate has expired": "it has expired",
    "certificate is not yet valid": "it isn't valid yet",
}
"""OpenSSL's most common reasons, in plain words."""


class CertificateRejected(ssl.SSLCertVerificationError):
    """The certificate isn't the pinned one, so the handshake was ended. `der` is the certificate."""

    def __init__(self, der: bytes) -> None:
        super().__init__(1, "unexpected certificate")
        self.verify_message = "another certificate is expected"
        self.der = der


def rejection_reason(rejection: BaseException) -> str:
    """Why a certificate was rejected, in plain words where they are known; empty if nothing says why."""
    message = str(getattr(rejection, "verify_message", "")).rstrip(".")
    return _REASONS.get(message, message)


class _PinningContext(ssl.SSLContext):
    pinned = INSPECT_ONLY


class _PinnedObject(ssl.SSLObject):
    """Ends the handshake, before any request is sent, unless the certificate is the pinned one."""

    def do_handshake(self) -> None:
        super().do_handshake()
        der = self.getpeercert(binary_form=True) or b""
        context = self.context
        expected = context.pinned if isinstance(context, _PinningContext) else INSPECT_ONLY
        if not hmac.compare_digest(fingerprint(der), expected):
            raise CertificateRejected(der)


def pinned_context(sha256: str) -> ssl.SSLContext:
    """A TLS context that trusts only the certificate with this fingerprint, whatever its names and dates.

    With `INSPECT_ONLY` it trusts none; `CertificateRejected.der` is then the server's certificate.
    """
    context = _PinningContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.sslobject_class = _PinnedObject
    context.pinned = sha256
    return context


def normalize_pem(text: str) -> str:
    """PEM certificates with the line breaks restored that a one-line input removes. Raises `ValueError`."""
    found = ["".join(match.split()) for match in _PEM.findall(text)]
    if not found:
        raise ValueError("no certificate")
    return "".join(f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n" for body in found)


def fingerprint(der: bytes) -> str:
    """The SHA-256 of the certificate, in lower-case hexadecimal digits."""
    return hashlib.sha256(der).hexdigest()


def rejection(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    """The certificate error that caused a network error, if any."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error


def seen(der: bytes) -> SeenCertificate:
    """The names, dates, and fingerprint of a certificate; only the fingerprint if it can't be parsed."""
    from cryptography import x509  # slow to load, and only needed here

    try:
        certificate = x509.load_der_x509_certificate(der)
        subject, issuer = certificate.subject.rfc4514_string(), certificate.issuer.rfc4514_string()
        names = _names(certificate)
    except ValueError:
        return SeenCertificate(fingerprint=fingerprint(der))
    return SeenCertificate(
        fingerprint=fingerprint(der),
        subject=subject,
        issuer=issuer,
        names=names,
        valid_from=_ms(certificate.not_valid_before_utc.timestamp()),
        valid_until=_ms(certificate.not_valid_after_utc.timestamp()),
    )


def _names(certificate: "object") -> tuple[str, ...]:
    from cryptography import x509

    assert isinstance(certificate, x509.Certificate)
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    hosts = found.get_values_for_type(x509.DNSName)
    return (*hosts, *map(str, found.get_values_for_type(x509.IPAddress)))


def _ms(seconds: float) -> EpochMs:
    return int(seconds * 1000)
