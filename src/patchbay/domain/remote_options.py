"""Connection options of a remote server: its proxy, and which certificate to trust."""

import re
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from pydantic import Field

from patchbay.domain.base import EpochMs, JsonObject, Model
from patchbay.domain.errors import Unreachable, ValidationFailed

SYSTEM_PROXY, NO_PROXY = "system", "none"
"""Values of `proxy`: the system's proxy, and no proxy."""


class RemoteOptions(Model):
    """How to connect to one server. `proxy` is `system`, `none`, or an address without a password.

    With `pinned_sha256` (64 hexadecimal digits, of the DER form), only this certificate is trusted, whatever
    its issuer and names. Otherwise those are that the system trusts or that the authority in `ca_file`
    issued.
    """

    proxy: str = SYSTEM_PROXY
    proxy_password: str | None = Field(None, repr=False, exclude=True)
    """Stored in the keyring, never in the settings file."""
    ca_file: str | None = None
    pinned_sha256: str | None = None


def format_fingerprint(digits: str) -> str:
    """A fingerprint in the usual notation: `AB:CD:…`."""
    return ":".join(re.findall("..", digits.upper()))


class SeenCertificate(Model):
    """The certificate of a server. `fingerprint` is the SHA-256 of its DER form, in hexadecimal."""

    fingerprint: str
    subject: str = ""
    issuer: str = ""
    names: tuple[str, ...] = ()
    """The hosts and addresses it is valid for."""
    valid_from: EpochMs = 0
    valid_until: EpochMs = 0

    @property
    def shown_fingerprint(self) -> str:
        """The fingerprint in the usual notation: `AB:CD:…`."""
        return format_fingerprint(self.fingerprint)


class UntrustedCertificate(Unreachable):
    """The server's certificate isn't trusted; nothing was sent.

    `pinned` is the expected fingerprint, None if no certificate was pinned. `host` is the server, if several
    are possible.
    """

    kind: ClassVar[str] = "UntrustedCertificate"

    def __init__(
        self,
        happened: str,
        *,
        certificate: SeenCertificate,
        pinned: str | None = None,
        host: str = "",
        meaning: str = "",
        todo: str = "",
    ) -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.certificate = certificate
        self.pinned = pinned
        self.host = host

    def extra(self) -> JsonObject:
        return {"certificate": self.certificate.wire(), "pinned": self.pinned, "host": self.host}


def parse_remote_options(
    proxy: str | None = None, ca_file: str | None = None, pinned_sha256: str | None = None
) -> RemoteOptions:
    """Parse options that a person entered; a password in the proxy's address is stored separately.

    Raises `ValidationFailed` naming `proxy`, `caFile` or `pinnedSha256`.
    """
    address, password = _parse_proxy((proxy or SYSTEM_PROXY).strip())
    return RemoteOptions(
        proxy=address,
        proxy_password=password,
        ca_file=(ca_file or "").strip() or None,
        pinned_sha256=_parse_fingerprint(pinned_sha256 or ""),
    )


def _parse_proxy(text: str) -> tuple[str, str | None]:
    if text.lower() in (SYSTEM_PROXY, NO_PROXY):
        return text.lower(), None
    parts = urlsplit(text if "://" in text else f"http://{text}")
    try:
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port
    except ValueError:
        usable = None
    if not usable:
        message = "Enter system, none, or an address such as http://proxy.example.org:3128."
        raise ValidationFailed({"proxy": [message]}, happened="The proxy address isn't valid.", todo=message)
    name, _, host = parts.netloc.rpartition("@")
    user, _, password = name.partition(":")
    netloc = f"{user}@{host}" if user else host
    return f"{parts.scheme}://{netloc}", unquote(password) or None


def _parse_fingerprint(text: str) -> str | None:
    plain = re.sub(r"[\s:]", "", text).lower().removeprefix("sha256")
    if not plain:
        return None
    if not re.fullmatch("[0-9a-f]{64}", plain):
        message = "A SHA-256 fingerprint has 64 hexadecimal digits."
        raise ValidationFailed(
            {"pinnedSha256": [message]}, happened="The fingerprint isn't valid.", meaning=message
        )
    return plain
