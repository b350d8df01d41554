"""How a service elsewhere is reached: through which proxy, and whose certificate is believed."""

import re
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from pydantic import Field

from patchbay.domain.base import EpochMs, JsonObject, Model
from patchbay.domain.errors import Unreachable, ValidationFailed

SYSTEM_PROXY, NO_PROXY = "system", "none"
"""The proxy the computer is set to use, and no proxy at all."""


class RemoteOptions(Model):
    """Choices for one service. `proxy` is `system`, `none` or an address without a password.

    With `pinned_sha256` (64 hexadecimal digits over the DER form) exactly this certificate is believed,
    whoever made it out and whatever names it bears; otherwise those the system trusts, and those that the
    authority in `ca_file` made out.
    """

    proxy: str = SYSTEM_PROXY
    proxy_password: str | None = Field(None, repr=False, exclude=True)
    """Kept in the keyring; never part of what is written down."""
    ca_file: str | None = None
    pinned_sha256: str | None = None


class SeenCertificate(Model):
    """A certificate that a service showed. `fingerprint` is SHA-256 over its DER form, in hexadecimal."""

    fingerprint: str
    subject: str = ""
    issuer: str = ""
    names: tuple[str, ...] = ()
    """Hosts and addresses it is made out for."""
    valid_from: EpochMs = 0
    valid_until: EpochMs = 0

    @property
    def shown_fingerprint(self) -> str:
        """In the form in which services tell it: `AB:CD:…`."""
        pairs = re.findall("..", self.fingerprint.upper())
        return ":".join(pairs)


class UntrustedCertificate(Unreachable):
    """The service showed a certificate that is not believed; nothing was sent to it.

    `pinned` is the fingerprint that was expected when one was, None when it is simply not trusted. `host` is
    who showed it, where several may be meant.
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
        self.certificate, self.pinned, self.host = certificate, pinned, host

    def extra(self) -> JsonObject:
        return {"certificate": self.certificate.wire(), "pinned": self.pinned, "host": self.host}


def parse_remote_options(
    proxy: str | None = None, ca_file: str | None = None, pinned_sha256: str | None = None
) -> RemoteOptions:
    """Options from what somebody typed; a password within the proxy's address is taken out of it.

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
        raise ValidationFailed(
            {"proxy": [message]}, happened="This is not the address of a proxy.", todo=message
        )
    name, _, host = parts.netloc.rpartition("@")
    user, _, password = name.partition(":")
    netloc = f"{user}@{host}" if user else host
    return f"{parts.scheme}://{netloc}", unquote(password) or None


def _parse_fingerprint(text: str) -> str | None:
    plain = re.sub(r"[\s:]", "", text).lower().removeprefix("sha256")
    if not plain:
        return None
    if not re.fullmatch("[0-9a-f]{64}", plain):
        message = "The SHA-256 fingerprint of a certificate has 64 hexadecimal digits."
        raise ValidationFailed(
            {"pinnedSha256": [message]}, happened="This is no fingerprint.", meaning=message
        )
    return plain
