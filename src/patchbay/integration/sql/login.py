"""The connection form of databases and its parsed values."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from patchbay.domain.base import JsonObject
from patchbay.domain.certificates import normalize_pem
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import AuthField, Option
from patchbay.integration.outgoing_addresses import AddressPolicy, tls_context_for
from patchbay.integration.values import as_bool, as_number, text_of

if TYPE_CHECKING:
    import ssl


@dataclass(frozen=True)
class Login:
    """Address and credentials of a database connection. `tls` is None without encryption."""

    host: str
    port: int
    database: str
    user: str
    password: str = field(repr=False)
    tls: "ssl.SSLContext | None" = None
    certificates: str = ""
    """CA certificates to trust instead of the system's."""

    @property
    def address(self) -> str:
        """The host and port."""
        return f"{self.host}:{self.port}"

    async def resolve_addresses(self, policy: AddressPolicy) -> "list[Login]":
        """One login per allowed address, best first. Raises `Forbidden` if all are blocked.

        Certificates are still checked for the name of the host.
        """
        found = await policy.addresses_of(self.host, self.port)
        if list(found) == [self.host]:
            return [self]
        tls = self.tls and _tls_context(self.certificates, self.host)
        return [replace(self, host=address, tls=tls) for address in found]

    @property
    def label(self) -> str:
        """The connection's default name."""
        return f"{self.user}@{self.host}/{self.database}"


def login_fields(port: int, *, version: str) -> tuple[AuthField, ...]:
    """The fields of a database connection. `version` is the label of the server's version."""
    return (
        AuthField(
            key="screenName",
            label="Screen name",
            description="The name of this connection in Patchbay. If empty, user@host/database.",
        ),
        AuthField(key="host", label="Host", required=True, value="127.0.0.1"),
        AuthField(key="port", label="Port", required=True, value=str(port)),
        AuthField(
            key="enableSsl",
            label="Enable SSL",
            type="dropdown",
            required=True,
            value="false",
            options=(
                Option(label="Yes, verify the certificate", value="true"),
                Option(label="No", value="false"),
            ),
        ),
        AuthField(
            key="caCertificate",
            label="CA certificate",
            visible_if={"enableSsl": "true"},
            description="Only needed if a private certificate authority signed the server's certificate. "
            "Paste the CA certificate, from BEGIN CERTIFICATE to END CERTIFICATE.",
        ),
        AuthField(key="database", label="Database name", required=True, decides_destination=False),
        AuthField(key="user", label="Database username", required=True, decides_destination=False),
        AuthField(key="password", label="Password", required=True, secret=True),
        AuthField(
            key="version",
            label=version,
            decides_destination=False,
            description="Filled in from the server when you connect.",
        ),
    )


def parse_login(data: JsonObject) -> Login:
    """Parse a connection's data. Raises `ValidationFailed` for an invalid port or certificate."""
    encrypted = as_bool(data.get("enableSsl"))
    number = as_number(data.get("port"))
    if number is None or number != int(number) or not 0 < number < 65536:
        raise ValidationFailed({"port": ["Enter a number from 1 to 65535."]})

    return Login(
        host=text_of(data, "host").strip(),
        port=int(number),
        database=text_of(data, "database").strip(),
        user=text_of(data, "user").strip(),
        password=text_of(data, "password"),
        tls=_tls_context(text_of(data, "caCertificate")) if encrypted else None,
        certificates=text_of(data, "caCertificate"),
    )


@lru_cache(maxsize=8)
def _tls_context(certificates: str, server_name: str = "") -> "ssl.SSLContext":
    """An SSL context that trusts these certificates, or the system's. The host's name is always checked.

    `server_name`: the name to check when connecting to an IP address.
    """
    import ssl  # takes 10 ms to load; apps are loaded at every start

    try:
        trusted = normalize_pem(certificates) if certificates.strip() else None
        if server_name:
            return tls_context_for(server_name, trusted)
        return ssl.create_default_context(cadata=trusted)
    except (ssl.SSLError, ValueError):
        raise ValidationFailed(
            {"caCertificate": ["This isn't a certificate."]},
            todo="Paste all of it, including the lines BEGIN CERTIFICATE and END CERTIFICATE.",
        ) from None
