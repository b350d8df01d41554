"""Additional certificates that a connection trusts, by fingerprint or by certificate authority.

Both apply only to the hosts of the connection. A fingerprint is stored with the host it was accepted for, so
it no longer applies if the address is changed.
"""

import re
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.certificates import INSPECT_ONLY, normalize_pem, pinned_context
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import CA_CERTIFICATE, TRUSTED_CERTIFICATE, AuthField
from patchbay.integration.app_definition import App
from patchbay.integration.client_certificates import (
    ClientCertificate,
    client_certificate_of,
    normalize_client_certificate,
)
from patchbay.integration.credential_destinations import fields_in_addresses, known_addresses

_SEPARATOR = re.compile(r"[;,\n]")
_SHA256 = re.compile(r"[0-9a-f]{64}")

TRUST_FIELDS = (
    AuthField(
        key=CA_CERTIFICATE,
        label="CA certificate",
        description="Only needed if a private certificate authority signed the server's certificate. Paste "
        "the CA certificate, from BEGIN CERTIFICATE to END CERTIFICATE.",
    ),
    AuthField(
        key=TRUSTED_CERTIFICATE,
        label="Trusted certificate",
        description="The host and SHA-256 fingerprint of a self-signed certificate. Patchbay shows the "
        "fingerprint when it connects so you can compare it and trust it.",
    ),
)


@dataclass(frozen=True)
class CertificateTrust:
    """Trusted fingerprints by host, and `authority`: CA certificates in PEM format."""

    pins: tuple[tuple[str, str], ...] = ()
    authority: str = ""
    hosts: tuple[str, ...] = ()
    """The hosts whose certificates `authority` may have signed."""
    client: ClientCertificate | None = None
    client_host: str = ""
    """The host that the client certificate is shown to, in a client that is used for its addresses only."""

    @property
    def is_empty(self) -> bool:
        """Whether connections are made as without it."""
        return not (self.pins or self.authority or self.client)

    def showing_client_to(self, host: str) -> "CertificateTrust | None":
        """A copy that shows the client certificate to this host, or to none; None if nothing is left."""
        changed = replace(self, client=self.client if host else None, client_host=host if self.client else "")
        return None if changed.is_empty else changed

    def inspecting(self, host: str) -> "CertificateTrust":
        """A copy whose handshake with `host` always fails with an error that contains the certificate."""
        others = tuple(pin for pin in self.pins if pin[0] != host)
        return replace(self, pins=(*others, (host, INSPECT_ONLY)))


class _ContextByHost(ssl.SSLContext):
    """An SSL context that delegates to a host's own context, if there is one."""

    by_host: Mapping[str, ssl.SSLContext]
    default_context: ssl.SSLContext

    def wrap_bio(self, *args: Any, **named: Any) -> ssl.SSLObject:
        return self._context_for(args[3] if len(args) > 3 else named.get("server_hostname")).wrap_bio(
            *args, **named
        )

    def wrap_socket(self, *args: Any, **named: Any) -> ssl.SSLSocket:
        return self._context_for(named.get("server_hostname")).wrap_socket(*args, **named)

    def _context_for(self, host: object) -> ssl.SSLContext:
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
        return self.by_host.get(name.lower(), self.default_context)


def tls_context(
    trust: CertificateTrust, default_context: ssl.SSLContext, create_context: Callable[[], ssl.SSLContext]
) -> ssl.SSLContext:
    """An SSL context like `default_context` that trusts additional certificates for some hosts.

    It shows the client certificate to its host. `create_context` returns a context like `default_context`.
    """
    context = _ContextByHost(ssl.PROTOCOL_TLS_CLIENT)
    by_host: dict[str, ssl.SSLContext] = {}
    if trust.authority:
        with_authority = create_context()
        with_authority.load_verify_locations(cadata=trust.authority)
        by_host = dict.fromkeys(trust.hosts, with_authority)
    by_host |= {host: pinned_context(fingerprint) for host, fingerprint in trust.pins}
    if trust.client is not None and trust.client_host:
        shown = by_host.setdefault(trust.client_host, create_context())
        trust.client.load_into(shown)
    context.default_context, context.by_host = default_context, by_host
    return context


def with_trust_fields(app: App) -> App:
    """The app with certificate fields added, if it uses HTTP and its connection form contains an address."""
    if app.auth is None or not app.supports_connections or not fields_in_addresses(app):
        return app
    known = {field.key for field in app.auth.fields}
    new_fields = tuple(field for field in TRUST_FIELDS if field.key not in known)
    return replace(app, auth=replace(app.auth, fields=(*app.auth.fields, *new_fields)))


def trust_of(app: App, data: JsonObject) -> CertificateTrust | None:
    """The certificates that a connection trusts and shows; None if none were entered."""
    parts = [part.strip().rpartition(" ") for part in _SEPARATOR.split(_text(data.get(TRUSTED_CERTIFICATE)))]
    pins = tuple(
        (host.strip(), digits) for host, _, digits in parts if host.strip() and _SHA256.fullmatch(digits)
    )
    authority = ""
    with suppress(ValueError):
        authority = normalize_pem(_text(data.get(CA_CERTIFICATE)))
    trust = CertificateTrust(pins, authority, hosts_of(app, data), client_certificate_of(data))
    return None if trust.is_empty or not fields_in_addresses(app) else trust


def hosts_of(app: App, data: JsonObject) -> tuple[str, ...]:
    """The hosts a connection's credentials were entered for, the app's API host first."""
    hosts: list[str] = []
    for address in known_addresses(app, data):
        with suppress(ValueError):
            hosts.append(urlsplit(address).hostname or "")
    return tuple(filter(None, dict.fromkeys(hosts)))


def normalize_trust(app: App, data: JsonObject) -> JsonObject:
    """The form's values with PEM texts in standard form and the fingerprint prefixed by its host.

    Raises `ValidationFailed` for an invalid certificate or fingerprint.
    """
    checked = dict(normalize_client_certificate(data))
    if authority := _text(data.get(CA_CERTIFICATE)):
        try:
            pem = normalize_pem(authority)
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=pem)
        except (ssl.SSLError, ValueError):
            raise ValidationFailed(
                {CA_CERTIFICATE: ["This isn't a certificate."]},
                happened="The CA certificate can't be read.",
                todo="Paste all of it, including the lines BEGIN CERTIFICATE and END CERTIFICATE.",
            ) from None
        checked[CA_CERTIFICATE] = pem
    if entered := _text(data.get(TRUSTED_CERTIFICATE)):
        hosts = hosts_of(app, data)
        lines = [_normalize_pin(part, hosts) for part in _SEPARATOR.split(entered) if part.strip()]
        checked[TRUSTED_CERTIFICATE] = "; ".join(dict.fromkeys(lines))
    return checked


def _normalize_pin(text: str, hosts: tuple[str, ...]) -> str:
    """`host fingerprint`; without a host, that of the connection's first host."""
    host, _, fingerprint = text.strip().rpartition(" ")
    digits = re.sub(r"[\s:]", "", fingerprint).lower().removeprefix("sha256")
    host = host.strip().lower() or next(iter(hosts), "")
    if not _SHA256.fullmatch(digits) or not host:
        raise ValidationFailed(
            {TRUSTED_CERTIFICATE: ["Enter the host, a space, and the SHA-256 fingerprint (64 hex digits)."]},
            happened="The trusted certificate can't be read.",
            todo="Clear the field and connect again. Patchbay then shows the fingerprint.",
        )
    return f"{host} {digits}"


def _text(value: Json) -> str:
    return value.strip() if isinstance(value, str) else ""
