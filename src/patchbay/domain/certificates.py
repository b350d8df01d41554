"""Certificates of servers: what they say, and TLS contexts that trust exactly one of them."""

import hashlib
import hmac
import ssl

from patchbay.domain.base import EpochMs
from patchbay.domain.remote_options import SeenCertificate

INSPECT_ONLY = ""
"""The pin no certificate has: the handshake ends before anything is sent."""


class CertificateRejected(ssl.SSLCertVerificationError):
    """The handshake was ended here because of the certificate; `der` is what was shown."""

    def __init__(self, der: bytes) -> None:
        super().__init__(1, "the certificate is not the one expected")
        self.verify_message = "another certificate is expected"
        self.der = der


class _PinningContext(ssl.SSLContext):
    pinned = INSPECT_ONLY


class _PinnedObject(ssl.SSLObject):
    """Ends the handshake, before any request, when the certificate is not the one that is pinned."""

    def do_handshake(self) -> None:
        super().do_handshake()
        der = self.getpeercert(binary_form=True) or b""
        context = self.context
        expected = context.pinned if isinstance(context, _PinningContext) else INSPECT_ONLY
        if not hmac.compare_digest(fingerprint(der), expected):
            raise CertificateRejected(der)


def pinned_context(sha256: str) -> ssl.SSLContext:
    """A context that trusts one certificate, whatever it says.

    With `INSPECT_ONLY` it trusts none, and the refusal carries the one that was shown.
    """
    context = _PinningContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.sslobject_class = _PinnedObject
    context.pinned = sha256
    return context


def fingerprint(der: bytes) -> str:
    return hashlib.sha256(der).hexdigest()


def refusal(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    """The refused certificate behind an error of the network, if that is what it was."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error


def seen(der: bytes) -> SeenCertificate:
    """What a certificate says of itself; only its fingerprint when it cannot be read."""
    from cryptography import x509  # takes a while to load, and is wanted only here

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
