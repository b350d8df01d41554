"""Which workspace this is, and under which addresses it is reached."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

CALLBACK_PATH = "/oauth/callback"


def no_address() -> str | None:
    """The address of a workspace on which nothing listens."""
    return None


@dataclass
class Workspace:
    """Which workspace this is. `address` gives the base address of its interface, None while nothing listens.

    `webhooks` gives the base address at which webhooks and browsers are answered; without it, `address` does.
    `public_address` is the base address others are told in its place.
    """

    kind: Literal["demo", "local"]
    name: str
    address: Callable[[], str | None] = no_address
    notice: Callable[[], str | None] = no_address
    """What people should know about that address, such as a port that is not the usual one."""
    webhooks: Callable[[], str | None] | None = None
    invitations: Callable[[], str | None] = no_address
    """Base address of the page of invitations, when that is not answered where webhooks are."""
    public_address: str | None = None
    tested_hosts: list[str] = field(default_factory=list)
    """Host names of addresses that are being tested, by which it is reached meanwhile."""

    def external_address(self) -> str | None:
        """Base address of webhooks and of the redirect address, as others are told it."""
        own_address = self.address() if self.webhooks is None else self.webhooks()
        return None if own_address is None else (self.public_address or own_address).rstrip("/")

    def invitation_address(self) -> str | None:
        """Base address of the links of invitations: never an origin that only webhooks have."""
        return self.invitations() or self.external_address() or self.public_address

    def redirect_url(self) -> str | None:
        """Where a sign-in in the browser comes back to."""
        external_address = self.external_address()
        if external_address is None:
            return None
        return (
            external_address.replace("://0.0.0.0:", "://127.0.0.1:").replace("://[::]:", "://[::1]:")
            + CALLBACK_PATH
        )
