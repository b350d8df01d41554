"""Our client at a recorded service, both until the end of a test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.support.recorded_service import KEY, Habits, RecordedService

from patchbay.client.remote import RemoteBackend


@dataclass
class Pair:
    """A service and who talks to it."""

    service: RecordedService
    backend: RemoteBackend

    @property
    def asked(self) -> list[str]:
        """What was asked since the connection was opened, without the base of the service."""
        return [line.replace(self.service.habits.base, "", 1) for line in self.service.asked]


@asynccontextmanager
async def recorded(habits: Habits | None = None) -> AsyncIterator[Pair]:
    """Opened, with nothing counted yet of what is asked."""
    service = RecordedService(habits)
    await service.start()
    backend = RemoteBackend(service.base_url, KEY)
    try:
        await backend.open()
        service.asked.clear()
        service.bodies.clear()
        yield Pair(service, backend)
    finally:
        await backend.close()
        await service.stop()
