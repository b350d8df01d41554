"""Limits of one listener: connections, lengths, and timeouts."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ConnectionLimits:
    """Times are seconds; lengths are bytes."""

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
    def webhooks(self) -> int:
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

    Clients get three quarters of the unreserved ones; the rest is for the connections their requests open.
    """
    if descriptors is None:
        return DEFAULT_LIMITS
    bound = max(_MIN_CONNECTIONS, (descriptors - _RESERVED_DESCRIPTORS) * 3 // 4 // listeners)
    return replace(DEFAULT_LIMITS, connections=min(DEFAULT_LIMITS.connections, bound))
