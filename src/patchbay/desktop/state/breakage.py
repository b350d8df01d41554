"""Which connections broke: were good when last seen, and need attention now."""

from collections.abc import Iterable
from dataclasses import dataclass

from patchbay.domain.base import ConnectionId
from patchbay.domain.connections import Connection, ConnectionHealth


@dataclass(frozen=True)
class Broken:
    """Connections that broke at the same time, as one message."""

    connections: tuple[Connection, ...]

    @property
    def title(self) -> str:
        if len(self.connections) == 1:
            return f"“{self.connections[0].screen_name}” needs attention"
        return f"{len(self.connections)} connections need attention"

    @property
    def text(self) -> str:
        if len(self.connections) == 1:
            return self.connections[0].reason or "It is not accepted any more."
        return ", ".join(item.screen_name for item in self.connections)


class Breakage:
    """Given what is read each time, tells what broke since; silent until a connection was good again."""

    def __init__(self) -> None:
        self._good: set[ConnectionId] = set()

    def newly(self, connections: Iterable[Connection]) -> Broken | None:
        """What broke since the last call; None when nothing did."""
        now = tuple(connections)
        broken = tuple(
            item for item in now if item.health is ConnectionHealth.NEEDS_ATTENTION and item.id in self._good
        )
        self._good = {
            item.id for item in now if item.health in (ConnectionHealth.VALID, ConnectionHealth.EXPIRES_SOON)
        }
        return Broken(broken) if broken else None
