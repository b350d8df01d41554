"""How much one listener takes on, and how long it waits for callers."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Limits:
    """Times are seconds; lengths are bytes."""

    connections: int = 400
    """Connections held open at once. A newcomer beyond that takes the place of the one idle longest,
    or of one whose request has not come to its end."""
    head_seconds: float = 30.0
    """For the request line and the headers, however slowly the bytes come."""
    keep_alive_seconds: float = 60.0
    """How long a connection stays open between two requests."""
    send_seconds: float = 30.0
    """How long a caller may take none of an answer that waits for it."""
    handshake_seconds: float = 10.0
    head_length: int = 32 * 1024
    """The request line and all headers together."""


USUAL_LIMITS = Limits()
_FEWEST_CONNECTIONS = 50


def fitting(descriptors: int | None) -> Limits:
    """The usual limits for a process that may hold so many files open: callers get at most half of them."""
    if descriptors is None:
        return USUAL_LIMITS
    bound = max(_FEWEST_CONNECTIONS, descriptors // 2)
    return replace(USUAL_LIMITS, connections=min(USUAL_LIMITS.connections, bound))
