"""Notifies systemd that the program is ready, alive, or stopping (the protocol of `sd_notify`)."""

import asyncio
import contextlib
import os
import socket
from collections.abc import MutableMapping

READY, STOPPING = "READY=1", "STOPPING=1"
_ALIVE = "WATCHDOG=1"
_MICROSECONDS = 1_000_000


class ServiceManager:
    """The service manager that started this process, if it waits for notifications (`Type=notify`).

    Removes the variables by which it is found, so that programs of flows don't inherit them.
    """

    def __init__(self, environment: MutableMapping[str, str] = os.environ) -> None:
        self._address = environment.pop("NOTIFY_SOCKET", "")
        interval = environment.pop("WATCHDOG_USEC", "")
        watched = environment.pop("WATCHDOG_PID", "")
        is_watched = interval.isdecimal() and watched in ("", str(os.getpid()))
        self._watchdog_seconds = int(interval) / _MICROSECONDS if is_watched else 0.0
        self._keeping_alive: asyncio.Task[None] | None = None

    def ready(self) -> None:
        """Report that the program accepts work, and from now on that its event loop isn't blocked."""
        self._notify(READY)
        if self._address and self._watchdog_seconds:
            self._keeping_alive = asyncio.create_task(self._keep_alive(), name="service-watchdog")

    def stopping(self) -> None:
        """Report that the program stops."""
        self._notify(STOPPING)

    async def _keep_alive(self) -> None:
        while True:
            self._notify(_ALIVE)
            await asyncio.sleep(self._watchdog_seconds / 3)

    def _notify(self, state: str) -> None:
        if not self._address:
            return
        # An address that begins with @ is in the abstract namespace of Linux.
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            sock.sendto(state.encode(), address)
