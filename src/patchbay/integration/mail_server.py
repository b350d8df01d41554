"""Mail server connections: form fields, parsed settings, and TLS."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import TimedOut
from patchbay.domain.fields import AuthField, Option
from patchbay.integration.fields import screen_name_field
from patchbay.integration.outgoing_addresses import tls_context_for
from patchbay.integration.values import as_number, parameter_error, text_of

if TYPE_CHECKING:
    import ssl

_HOST = re.compile(r"[^\s/:@\[\]<>\x00-\x1f]+|\[?[0-9a-fA-F:.]+\]?")
_MAX_PORT = 65535


class Security(StrEnum):
    """When the connection is encrypted."""

    NONE = "none"
    STARTTLS = "starttls"
    TLS = "tls"


Ports = dict[Security, int]


@dataclass(frozen=True)
class MailServer:
    """The parsed settings of a mail connection."""

    host: str
    port: int
    security: Security
    username: str = ""
    password: str = field(default="", repr=False)

    @property
    def host_and_port(self) -> str:
        """Host and port, for display."""
        return f"{self.host}:{self.port}"


def mail_fields(ports: Ports, preset: Security, *, sign_in: bool, example: str) -> tuple[AuthField, ...]:
    """The auth fields of a mail connection. `sign_in`: the user name and password are required."""
    usual = ", ".join(f"{_SECURITY_NAMES[security]}: {port}" for security, port in ports.items())
    return (
        screen_name_field(),
        AuthField(key="host", label="Host", required=True, placeholder=example,
                  description="The mail server's host name, without https:// or a port."),
        AuthField(key="username", label="Email/Username", required=sign_in, decides_destination=False,
                  description="Your user name on the mail server, often the full email address."),
        AuthField(key="password", label="Password", required=sign_in,
                  description="With two-step sign-in, enter an app password. It's stored encrypted."),
        AuthField(key="useTls", label="Encryption", value=_VALUES[preset],
                  options=tuple(Option(label=_LABELS[mode], value=_VALUES[mode]) for mode in ports),
                  description="Without encryption, anyone on the network can read the password."),
        AuthField(key="port", label="Port", placeholder=str(ports[preset]),
                  description=f"Leave empty to use the default ({usual})."),
    )  # fmt: skip


def mail_server_from(data: JsonObject, ports: Ports, preset: Security) -> MailServer:
    """Parse a connection's settings. Raises `ValidationFailed` for an invalid host, port, or encryption."""
    host = text_of(data, "host").strip()
    if not _HOST.fullmatch(host):
        raise parameter_error(
            "host", f"“{host[:80]}” isn't a valid host name.", "Enter a name such as mail.example.com."
        )
    security = _security(data.get("useTls"), preset)
    username, password = text_of(data, "username").strip(), text_of(data, "password")
    if username and not password:
        raise parameter_error("password", "Enter the password for this user name.")
    entered = text_of(data, "port").strip()
    port = as_number(entered) if entered else ports[security]
    if port is None or port != int(port) or not 0 < port <= _MAX_PORT:
        raise parameter_error(
            "port",
            f"“{entered[:20]}” isn't a valid port.",
            f"Enter a number. The default is {ports[security]}.",
        )
    return MailServer(host.strip("[]"), int(port), security, username, password)


def account_id(data: JsonObject) -> str | None:
    """Identify the account, to detect reconnecting with another one; None without a user name."""
    user, host = text_of(data, "username").strip(), text_of(data, "host").strip()
    return f"{user} at {host}".casefold() if user else None


def tls_context(server: MailServer) -> "ssl.SSLContext":
    """An SSL context that checks certificates for the server's name, even when connecting to an IP address.

    Slow: don't call it on an event loop.
    """
    return tls_context_for(server.host)


def no_greeting_error(server: MailServer, seconds: float) -> TimedOut:
    """The error for a server that accepts the connection but sends no greeting."""
    return TimedOut(
        f"{server.host_and_port} didn't send a greeting within {seconds:g} seconds.",
        meaning="The server is busy, or this port uses a different encryption.",
        todo="Check the port and encryption setting, then try again.",
    )


def _security(value: Json, preset: Security) -> Security:
    """The chosen mode, as a value of the enum or, from a terminal, as text."""
    if value is None or value == "":
        return preset
    text = str(value).strip().lower()
    found = _SECURITY_BY_TEXT.get(text)
    if found is None:
        raise parameter_error(
            "useTls", f"“{text[:40]}” isn't a valid encryption setting.", "Use true, starttls, or false."
        )
    return found


_SECURITY_NAMES = {
    Security.NONE: "no encryption",
    Security.STARTTLS: "STARTTLS",
    Security.TLS: "TLS",
}
_LABELS = {
    Security.NONE: "No encryption",
    Security.STARTTLS: "STARTTLS (upgrade after connecting)",
    Security.TLS: "TLS (encrypted from the start)",
}
_VALUES: dict[Security, Json] = {Security.NONE: False, Security.STARTTLS: "starttls", Security.TLS: True}
_SECURITY_BY_TEXT = {
    "true": Security.TLS,
    "tls": Security.TLS,
    "ssl": Security.TLS,
    "starttls": Security.STARTTLS,
    "false": Security.NONE,
    "none": Security.NONE,
}
