"""Decides which addresses app code may connect to, checked after name resolution.

`OutgoingGuard` has the setting of the workspace, `AddressPolicy` the resulting rule for one call. Code that
connects gets the addresses from the policy and connects to exactly those, because resolving a name again may
return others.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from patchbay.domain.base import ConnectionId, FlowId
from patchbay.domain.errors import Forbidden
from patchbay.domain.outgoing import (
    METADATA_HOSTS,
    AllowList,
    IpAddress,
    OutgoingMode,
    block_reason,
    ip_address,
    is_loopback,
    parse_allow_list,
)

if TYPE_CHECKING:
    from patchbay.integration.offline import OfflineServices

STAGGER_SECONDS = 0.25
"""How long one address is tried before the next one is tried in parallel (RFC 8305)."""

HostResolver = Callable[[str, int], Awaitable[Sequence[str]]]
FullRightsCheck = Callable[[FlowId | None, ConnectionId | None, bool], Awaitable[bool]]
"""Whether an admin is responsible for a call of this flow or with this connection. The last argument: whether
the current actor is known to have full rights."""
ApprovalCheck = Callable[[ConnectionId], Awaitable[bool]]
"""Whether an admin entered the values of a stored connection."""
T = TypeVar("T")


def no_hosts() -> Collection[str]:
    """No host names: the default for `own_hosts`."""
    return ()


async def deny_full_rights(flow_id: FlowId | None, connection_id: ConnectionId | None, known: bool) -> bool:
    """No full rights: the safe default."""
    return False


async def deny_approval(connection_id: ConnectionId) -> bool:
    """No approval: the safe default."""
    return False


_DNS_EXECUTOR = ThreadPoolExecutor(16, "dns")
"""Threads for name lookups only: an unresponsive name server must not block other work."""


async def resolve_host(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, in the system's order. Raises `OSError`."""
    lookup = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    found = await asyncio.get_running_loop().run_in_executor(_DNS_EXECUTOR, lookup)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass
class OutgoingGuard:
    """A workspace's outgoing address settings. `own_hosts` are its own names; `resolve` is the DNS lookup.

    `open_to_others`: whether other computers can reach the server, for the automatic mode.
    """

    mode: OutgoingMode = OutgoingMode.OFF
    allowed: AllowList = field(default_factory=AllowList)
    open_to_others: bool = False
    own_hosts: Callable[[], Collection[str]] = no_hosts
    resolve: HostResolver = resolve_host
    has_full_rights: FullRightsCheck = deny_full_rights
    is_approved: ApprovalCheck = deny_approval
    version: int = 0
    """Counts changes, so that network connections opened under earlier rules aren't reused."""
    offline: "OfflineServices | None" = None
    """What replaces the network, in a workspace that is offline. All addresses are blocked then."""

    def configure(self, mode: OutgoingMode, entries: Collection[str]) -> None:
        """Apply new settings."""
        self.mode = mode
        self.allowed = parse_allow_list(entries)
        self.version = self.version + 1

    def set_open_to_others(self, open_to_others: bool) -> None:
        """Set whether the server is reachable by others, which decides the automatic mode."""
        self.open_to_others, self.version = open_to_others, self.version + 1

    @property
    def effective_mode(self) -> OutgoingMode:
        """The mode, with "automatic" resolved."""
        if self.mode is not OutgoingMode.AUTOMATIC:
            return self.mode
        # Behind a reverse proxy, it listens on loopback, but others can reach it at its public URL.
        is_reachable = self.open_to_others or not all(map(is_loopback, self.own_hosts()))
        return OutgoingMode.MEMBERS if is_reachable else OutgoingMode.OFF

    async def policy(
        self,
        *,
        flow_id: FlowId | None = None,
        connection_id: ConnectionId | None = None,
        full_rights: bool = False,
        entering: bool = False,
    ) -> "AddressPolicy":
        """The policy for a call of a draft, or with this connection, on behalf of the current actor.

        `full_rights`: the actor is known to have full rights. `entering`: the actor is entering the
        connection's values now, so it doesn't matter who entered the stored ones.
        """
        if self.effective_mode is not OutgoingMode.MEMBERS:
            return self.approved
        trusted = await self.has_full_rights(flow_id, connection_id, full_rights)
        if trusted and connection_id is not None and not entering:
            trusted = await self.is_approved(connection_id)
        return AddressPolicy(self, blocks=not trusted)

    async def approved_policy(self, connection_id: ConnectionId | None) -> "AddressPolicy":
        """The policy for a call of a version that an admin published, with this connection."""
        if connection_id is None or await self.is_approved(connection_id):
            return self.approved
        return self.strictest

    @property
    def approved(self) -> "AddressPolicy":
        """The policy for a call that an admin approved."""
        return AddressPolicy(self, blocks=self.effective_mode is OutgoingMode.EVERYBODY)

    @property
    def strictest(self) -> "AddressPolicy":
        """The policy for a call with an unknown actor."""
        return AddressPolicy(self, blocks=self.effective_mode is not OutgoingMode.OFF)


@dataclass(frozen=True)
class AddressPolicy:
    """The addresses that one call may connect to. If `blocks` is False, all of them."""

    guard: OutgoingGuard = field(default_factory=OutgoingGuard)
    blocks: bool = False

    async def addresses_of(self, host: str, port: int) -> Sequence[str]:
        """The allowed addresses of a host, best first; the host itself if nothing is blocked.

        Raises `Forbidden` if every address is blocked, `OSError` for an unknown name, and the error of the
        offline services in a workspace that is offline.
        """
        if self.guard.offline is not None:
            raise self.guard.offline.offline_error(host)
        name = host.strip("[]").rstrip(".").lower()
        if not self.blocks or self.guard.allowed.has_host(name, port):
            return [host]
        if host.startswith(("/", "@", "\0")):
            raise blocked_address_error(host, "It is a socket on this computer")
        if name in METADATA_HOSTS:
            raise blocked_address_error(host, "It is a cloud metadata address")
        if name in {own.rstrip(".").lower() for own in self.guard.own_hosts()}:
            raise blocked_address_error(host, "It is this Patchbay server")
        found = await self.guard.resolve(host.strip("[]"), port)
        allowed_addresses = [address for address in found if self._block_reason(address, port) is None]
        if not allowed_addresses:
            reasons = [(address, self._block_reason(address, port)) for address in found]
            raise blocked_address_error(
                host, f"It resolves to {reasons[0][0]}, {reasons[0][1]}" if reasons else ""
            )
        return allowed_addresses

    async def require_allowed(self, host: str, port: int) -> None:
        """Raise `Forbidden` for a blocked address, for code that doesn't open the connection itself."""
        await self.addresses_of(host, port)

    def _block_reason(self, text: str, port: int) -> str | None:
        address = ip_address(text)
        if address is None:
            return "which isn't an IP address"
        if self.guard.allowed.has_address(address, port):
            return None
        return block_reason(address) or ("an address of this computer" if is_own_address(address) else None)


UNRESTRICTED = AddressPolicy()
"""For Patchbay's own requests, for example to its public address."""


def blocked_address_error(host: str, reason: str) -> Forbidden:
    """The error for a blocked address."""
    return Forbidden(
        f"Requests to {host[:100]} are blocked: it's an internal address.",
        meaning=f"{reason}." if reason else "It has no address.",
        todo="Ask an admin to allow it: Settings → Server → Outgoing addresses, or "
        f"patchbay serve --allow-address {host[:100]}",
    )


def is_own_address(address: IpAddress) -> bool:
    """Whether the address belongs to this computer: only those can be bound."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


def address_attempts(addresses: Sequence[str]) -> Iterator[tuple[str, AbstractContextManager[object]]]:
    """Yield each address with a context manager that ignores an `OSError` except for the last address.

    For protocols that try one address after another; return from the block once connected.
    """
    if not addresses:
        raise OSError("the name doesn't resolve to an address")
    for address in addresses[:-1]:
        yield address, suppress(OSError)
    yield addresses[-1], nullcontext()


async def connect_to_first(
    addresses: Sequence[str],
    connect: Callable[[str], Awaitable[T]],
    close: Callable[[T], Awaitable[object]],
) -> T:
    """Connect to the first address that responds. Tries the next one if one fails or is slow.

    Closes other connections that succeeded at the same time. Raises the last error if all fail.
    """
    started: list[asyncio.Future[T]] = []
    try:
        connected = await _first_success(addresses, connect, started)
        result = connected.result()
    except BaseException:
        await _discard(started, close)
        raise
    try:
        await _discard([attempt for attempt in started if attempt is not connected], close)
    except asyncio.CancelledError:
        await close(result)
        raise
    return result


async def _first_success(
    addresses: Sequence[str], connect: Callable[[str], Awaitable[T]], started: list[asyncio.Future[T]]
) -> asyncio.Future[T]:
    """The first attempt that succeeds; every attempt is added to `started`."""
    remaining, failure = list(addresses), None
    pending: set[asyncio.Future[T]] = set()
    while remaining or pending:
        if remaining:
            started.append(asyncio.ensure_future(connect(remaining.pop(0))))
            pending.add(started[-1])
        done, pending = await asyncio.wait(
            pending, timeout=STAGGER_SECONDS if remaining else None, return_when=asyncio.FIRST_COMPLETED
        )
        for attempt in done:
            if (failure := attempt.exception()) is None:
                return attempt
    raise failure or OSError("the name doesn't resolve to an address")


async def _discard(attempts: Sequence[asyncio.Future[T]], close: Callable[[T], Awaitable[object]]) -> None:
    """Cancel these attempts, wait for their end, and close connections they still made."""
    for attempt in attempts:
        attempt.cancel()
    for result in await asyncio.gather(*attempts, return_exceptions=True):
        if not isinstance(result, BaseException):
            with suppress(OSError):
                await close(result)


class ServerNameContext(ssl.SSLContext):
    """An SSL context that verifies `server_name` even if the connection was made to an IP address."""

    server_name: str

    def wrap_bio(self, *args: Any, **named: Any) -> ssl.SSLObject:
        return super().wrap_bio(*args[:3], **{**named, "server_hostname": self.server_name})

    def wrap_socket(self, *args: Any, **named: Any) -> ssl.SSLSocket:
        return super().wrap_socket(*args, **{**named, "server_hostname": self.server_name})


def tls_context_for(server_name: str, trusted: str | None = None) -> ssl.SSLContext:
    """Like `ssl.create_default_context(cadata=trusted)`, for connecting to a host by its IP address."""
    context = ServerNameContext(ssl.PROTOCOL_TLS_CLIENT)
    context.server_name = server_name
    if trusted is None:
        context.load_default_certs()
    else:
        context.load_verify_locations(cadata=trusted)
    return context
