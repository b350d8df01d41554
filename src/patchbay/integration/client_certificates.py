"""Client certificates of connections, for services that ask for one (mutual TLS).

Certificate and key are secrets of the connection. Python's `ssl` reads them from files only, so the key is
encrypted with a one-time passphrase before it is written, and the file is deleted right away: no usable key
is ever on disk.
"""

import re
import secrets
import ssl
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.certificates import normalize_pem
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import CLIENT_CERTIFICATE, CLIENT_KEY, AuthField, Option
from patchbay.integration.values import text_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.x509 import Certificate

_USE, _PASSPHRASE = "clientTls", "clientKeyPassphrase"
_WITH_CERTIFICATE = "certificate"
_KEY_PEM = re.compile(
    r"-----BEGIN ((?:ENCRYPTED |RSA |EC |DSA )?PRIVATE KEY)-----([^-]*(?:-(?!----)[^-]*)*)-----END \1-----"
)
"""The content ends before the next line of dashes, so that many BEGIN lines don't take quadratic time."""
_MAX_KEY_LENGTH = 8_000
"""Max. characters of a private key: enough for 8192 bits. Checking larger ones takes seconds."""
_MAX_DERIVATION = 2_000_000
"""Max. cost of deriving a key from its passphrase: half a second for PBKDF2, 256 MB of memory for scrypt."""
_SCRYPT = bytes.fromhex("06092b06010401da47040b")
_INTEGER, _SEQUENCE = 0x02, 0x30
_MAX_DEPTH = 10
_KEY_HEADERS = re.compile(r"\s*(Proc-Type: \S+)\s+(DEK-Info: \S+)\s+")

CLIENT_CERTIFICATE_FIELDS = (
    AuthField(
        key=_USE,
        label="Client certificate",
        options=(
            Option(label="Not needed", value="none"),
            Option(label="Certificate and private key", value=_WITH_CERTIFICATE),
        ),
        value="none",
        description="For services that ask for one (mutual TLS).",
    ),
    AuthField(
        key=CLIENT_CERTIFICATE,
        label="Certificate",
        required=True,
        secret=True,
        visible_if={_USE: _WITH_CERTIFICATE},
        description="In PEM format, with intermediate certificates if there are any.",
    ),
    AuthField(
        key=CLIENT_KEY,
        label="Private key",
        required=True,
        secret=True,
        visible_if={_USE: _WITH_CERTIFICATE},
        description="In PEM format, from BEGIN PRIVATE KEY to END PRIVATE KEY.",
    ),
    AuthField(
        key=_PASSPHRASE,
        label="Passphrase",
        visible_if={_USE: _WITH_CERTIFICATE},
        description="Only needed if the private key is encrypted.",
    ),
)
"""The part of a connection form that asks for a certificate."""


@dataclass(frozen=True)
class ClientCertificate:
    """A certificate chain with its private key, both as PEM text."""

    chain: str = field(repr=False)
    key: str = field(repr=False)
    passphrase: str = field(default="", repr=False)

    def load_into(self, context: ssl.SSLContext) -> None:
        """Present the certificate in connections with this context."""
        from cryptography.hazmat.primitives.serialization import (
            BestAvailableEncryption,
            Encoding,
            PrivateFormat,
        )

        one_time = secrets.token_urlsafe(32).encode()
        encrypted_key = _read_key(self.key, self.passphrase).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(one_time)
        )
        with TemporaryDirectory(prefix="patchbay-") as folder:
            file = Path(folder, "client.pem")
            file.touch(mode=0o600)
            file.write_bytes(self.chain.encode() + encrypted_key)
            context.load_cert_chain(file, password=one_time)


def client_certificate_of(data: JsonObject) -> ClientCertificate | None:
    """The client certificate of a connection; None if it has none."""
    chain, key = text_of(data, CLIENT_CERTIFICATE), text_of(data, CLIENT_KEY)
    return ClientCertificate(chain, key, text_of(data, _PASSPHRASE)) if chain and key else None


def certificate_end(data: JsonObject) -> EpochMs | None:
    """When the client certificate of a connection expires; None if it has none."""
    certificate = client_certificate_of(data)
    if certificate is None:
        return None
    return int(_read_certificate(certificate.chain).not_valid_after_utc.timestamp() * 1000)


def normalize_client_certificate(data: JsonObject) -> JsonObject:
    """The form's values with certificate and key in standard PEM. A key pasted with the certificate is found.

    Raises `ValidationFailed` if one of them can't be read, or they don't belong together.
    """
    entered, entered_key = text_of(data, CLIENT_CERTIFICATE), text_of(data, CLIENT_KEY)
    if data.get(_USE) != _WITH_CERTIFICATE or not entered:
        return data
    key_pem = _normalize_key(entered_key or entered)
    if not key_pem and not entered_key:
        return data  # the key is missing, which the form reports
    try:
        chain = normalize_pem(entered)
        certificate = _read_certificate(chain)
    except ValueError:
        raise _invalid(CLIENT_CERTIFICATE, "The client certificate can't be read.", "CERTIFICATE") from None
    if len(key_pem) > _MAX_KEY_LENGTH or _derivation_cost(key_pem) > _MAX_DERIVATION:
        message = "Reading this private key would take too long."
        raise ValidationFailed(
            {CLIENT_KEY: [message]},
            happened=message,
            todo="Use a key of at most 8192 bits, encrypted with the default settings or not at all.",
        )
    try:
        key = _read_key(key_pem, text_of(data, _PASSPHRASE))
    except TypeError:
        raise ValidationFailed({_PASSPHRASE: ["Enter the passphrase of the private key."]}) from None
    except ValueError:
        if text_of(data, _PASSPHRASE):
            message = "The private key can't be decrypted with this passphrase."
            raise ValidationFailed({_PASSPHRASE: [message]}) from None
        raise _invalid(CLIENT_KEY, "The private key can't be read.", "PRIVATE KEY") from None
    if key.public_key() != certificate.public_key():
        message = "The private key belongs to another certificate."
        raise ValidationFailed({CLIENT_KEY: [message]}, happened=message)
    return {**data, CLIENT_CERTIFICATE: chain, CLIENT_KEY: key_pem}


def _normalize_key(text: str) -> str:
    """A PEM key with the line breaks restored that a one-line input removes; empty if there is none."""
    found = _KEY_PEM.search(text)
    if found is None:
        return ""
    label, body = found.groups()
    headers = ""
    if encryption := _KEY_HEADERS.match(body):
        headers, body = "\n".join((*encryption.groups(), "", "")), body[encryption.end() :]
    return f"-----BEGIN {label}-----\n{headers}{''.join(body.split())}\n-----END {label}-----\n"


def _derivation_cost(pem: str) -> int:
    """The cost of deriving the key from its passphrase (RFC 8018): PBKDF2's rounds, or scrypt's N * r * p."""
    if not pem.startswith("-----BEGIN ENCRYPTED"):
        return 0
    try:
        der = b64decode(pem.splitlines()[-2], validate=True)
    except ValueError:
        return 0  # it can't be read
    numbers = list(_integers(der))
    return prod(numbers[:3]) if _SCRYPT in der else max(numbers, default=0)


def _integers(der: bytes, depth: int = 0) -> Iterator[int]:
    """The integers in a DER value, in order."""
    position = 0
    while position + 2 <= len(der):
        tag, length = der[position], der[position + 1]
        position += 2
        if length & 0x80:
            size = length & 0x7F
            length = int.from_bytes(der[position : position + size])
            position += size
        content = der[position : position + length]
        position += length
        if tag == _INTEGER:
            yield int.from_bytes(content)
        elif tag == _SEQUENCE and depth < _MAX_DEPTH:
            yield from _integers(content, depth + 1)


def _read_certificate(chain: str) -> "Certificate":
    """The first certificate of a chain. Raises `ValueError`."""
    from cryptography import x509

    return x509.load_pem_x509_certificates(chain.encode())[0]


def _read_key(pem: str, passphrase: str) -> "PrivateKeyTypes":
    """The private key. Raises `ValueError`, and `TypeError` if it needs a passphrase."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        if passphrase:
            try:
                return load_pem_private_key(pem.encode(), passphrase.encode())
            except TypeError:
                pass  # it isn't encrypted
        return load_pem_private_key(pem.encode(), None)
    except UnsupportedAlgorithm as error:
        raise ValueError(str(error)) from None


def _invalid(key: str, happened: str, label: str) -> ValidationFailed:
    return ValidationFailed(
        {key: [happened]},
        happened=happened,
        todo=f"Paste all of it, including the lines BEGIN {label} and END {label}.",
    )
