"""How much one listener takes on, and how long it waits for callers."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ConnectionLimits:
    """Times are seconds; lengths are bytes."""

    connections: int = 640
    """Connections held open at once. A newcomer beyond that takes the place of the one idle longest,
    or of one whose request has not come to its end."""
    head_seconds: float = 30.0
    """For the request line and the headers, however slowly the bytes come."""
    keep_alive_seconds: float = 60.0
    """How long a connection stays open between two requests."""
    send_seconds: float = 30.0
    """How long a caller may take none of an answer that waits for it."""
    stalled_seconds: float = 2.0
    """How long a caller may read nothing of a response before another caller may take its place."""
    unread_seconds: float = 5.0
    """For the rest of a request body after the response was sent."""
    handshake_seconds: float = 10.0
    head_length: int = 32 * 1024
    """The request line and all headers together."""

    @property
    def webhooks(self) -> int:
        """Calls of webhooks that are handled at once, and again as many that wait for their flow's answer.

        The rest of the connections is left to the interface, so that calls that are held don't starve it.
        """
        return max(2, self.connections * 5 // 16)


DEFAULT_LIMITS = ConnectionLimits()
_RESERVED_DESCRIPTORS = 48
"""Descriptors for the database, files, the log, child processes and what apps call."""
_MIN_CONNECTIONS = 8


def limits_for(descriptors: int | None, listeners: int = 1) -> ConnectionLimits:
    """The limits of each listener of a process that may hold so many files open.

    Callers get three quarters of what isn't reserved; the rest is for the connections their requests cause.
    """
    if descriptors is None:
        return DEFAULT_LIMITS
    bound = max(_MIN_CONNECTIONS, (descriptors - _RESERVED_DESCRIPTORS) * 3 // 4 // listeners)
    return replace(DEFAULT_LIMITS, connections=min(DEFAULT_LIMITS.connections, bound))
