"""How a workspace is reached from outside."""

from typing import Protocol

from patchbay.domain.base import ConnectionId, Model
from patchbay.domain.outgoing import OutgoingMode


class ServiceSettings(Model):
    """What a person decides about the service of a workspace."""

    public_address: str | None = None
    """Under which base address others reach it ("https://flows.example.org"), for webhooks and sign-ins;
    None: the address it listens on."""
    mail_connection_id: ConnectionId | None = None
    """The mail connection invitations are sent with; None: their link is only shown."""
    outgoing_addresses: OutgoingMode = OutgoingMode.AUTOMATIC
    """For whom flows and connections are kept from addresses inside the network."""
    allowed_addresses: tuple[str, ...] = ()
    """What is never blocked: host names, `*.` with a domain, networks, each with a port or without."""


class AddressCheck(Model):
    """One address asked from here, and what came back, in words."""

    name: str
    url: str
    ok: bool
    words: str


class AddressTest(Model):
    """Whether calls to the public address arrive at this workspace: its webhooks and its redirect address."""

    address: str
    checks: tuple[AddressCheck, ...] = ()

    @property
    def ok(self) -> bool:
        return bool(self.checks) and all(check.ok for check in self.checks)


SELF_TEST_PATH = "/webhooks/self-test"
SELF_TEST_QUERY = "self-test"
"""Calls of the service to its own public address: below this path, and to the redirect address with this
in the query. Either carries a nonce that only this process knows."""


class SelfTest(Protocol):
    """Where the server hands in calls by which a workspace tests its public address."""

    def proof(self, nonce: str) -> str | None:
        """What shows that this process was reached; None for calls it did not make."""
        ...
