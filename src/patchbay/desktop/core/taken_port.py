"""The port of webhooks, if another program uses it, so that the window listens on another one."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class TakenPort:
    """The usual `port` of webhooks, and the base address at which the window accepts them instead."""

    port: int
    address: str


class ListenAccess(Protocol):
    """Where the window listens for HTTP. Raises only `AppError` kinds."""

    async def taken_port(self) -> TakenPort | None:
        """Return the port of webhooks if it was in use; None if all is as usual."""
        ...
