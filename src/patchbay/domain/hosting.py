"""How a workspace is reached from outside: its public address, and tests of it."""

from typing import Protocol

from patchbay.domain.base import ConnectionId, Model
from patchbay.domain.outgoing import OutgoingMode


class ServiceSettings(Model):
    """Settings of the server of a workspace."""

    public_address: str | None = None
    """Base URL for webhooks and sign-ins ("https://flows.example.org"); None means the address it listens on.
    """
    mail_connection_id: ConnectionId | None = None
    """The connection that sends invitations; None means their links are only shown."""
    outgoing_addresses: OutgoingMode = OutgoingMode.AUTOMATIC
    """Whose flows and connections can't call private addresses."""
    allowed_addresses: tuple[str, ...] = ()
    """Addresses that are never blocked: host names, `*.` with a domain, or networks, optionally with a port.
    """


class AddressCheck(Model):
    """The result of a request to one address, as a sentence in `words`."""

    name: str
    url: str
    ok: bool
    words: str


class AddressTest(Model):
    """Whether requests to the public address reach this workspace: to its webhooks and its redirect URL."""

    address: str
    checks: tuple[AddressCheck, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there were checks, and all passed."""
        return bool(self.checks) and all(check.ok for check in self.checks)


SELF_TEST_PATH = "/webhooks/self-test"
SELF_TEST_QUERY = "self-test"
"""The self-test sends requests below `SELF_TEST_PATH`, and to the redirect URL with `SELF_TEST_QUERY` in the
query.

Each contains a nonce that only this process knows.
"""


class SelfTest(Protocol):
    """Recognises requests by which a workspace tests its own public address."""

    def proof(self, nonce: str) -> str | None:
        """The proof that the request reached this process; None for a nonce that it didn't create."""
        ...
