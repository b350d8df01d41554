"""Limits of one listener: connections, lengths, and timeouts; and the networks that share the connections."""

import ipaddress
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ConnectionLimits:
    """What clients of one listener may use: connections, seconds, and bytes of a request's head."""

    connections: int = 640
    """Open connections. Beyond that, a new connection replaces the one that has been idle longest, or one
    whose request is still incomplete."""
    head_seconds: float = 30.0
    """For the request line and the headers, however slowly the bytes come."""
    keep_alive_seconds: float = 60.0
    """How long a connection stays open between two requests."""
    send_seconds: float = 30.0
    """How long a client may read nothing of a response before the connection is closed."""
    stalled_seconds: float = 2.0
    """How long a client may read nothing of a response before a new connection may replace it."""
    unread_seconds: float = 5.0
    """For the rest of a request body after the response was sent."""
    handshake_seconds: float = 10.0
    head_length: int = 32 * 1024
    """The request line and all headers together."""

    @property
    def max_webhooks(self) -> int:
        """Max. webhook requests handled at a time, and as many again that wait for their flow's response.

        The remaining connections are reserved for the API, so that waiting webhooks can't starve it.
        """
        return max(2, self.connections * 5 // 16)


DEFAULT_LIMITS = ConnectionLimits()
_RESERVED_DESCRIPTORS = 48
"""Descriptors for the database, files, the log, child processes and what apps call."""
_MIN_CONNECTIONS = 8


def limits_for(descriptors: int | None, listeners: int = 1) -> ConnectionLimits:
    """The limits of each listener in a process with this many file descriptors.

    Clients get three quarters of those that aren't reserved; the rest is for connections that their requests
    open.
    """
    if descriptors is None:
        return DEFAULT_LIMITS
    bound = max(_MIN_CONNECTIONS, (descriptors - _RESERVED_DESCRIPTORS) * 3 // 4 // listeners)
    return replace(DEFAULT_LIMITS, connections=min(DEFAULT_LIMITS.connections, bound))


def network_of(address: str) -> str:
    """The IPv4 address, also where IPv6 carries it (mapped, 6to4); else the /48 network of the IPv6 address.

    A site gets up to a /48, so a smaller network would give one client 65,536 shares of a limit. Neighbours
    share one. For attempts with invalid keys, that is harmless, since a valid key always works. For
    connections and health checks, neighbours can crowd out each other, but not clients of other networks.
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    carried = ip.ipv4_mapped or ip.sixtofour
    if carried is not None:
        return str(carried)
    return str(ipaddress.IPv6Network((ip, 48), strict=False))


def majority_network(networks: Iterable[str]) -> str | None:
    """The network that more than half of these connections come from; None if there is none."""
    counts = Counter(networks)
    [(network, count)] = counts.most_common(1) or [("", 0)]
    return network if 2 * count > counts.total() else None
