"""The changes of a server's workspace: server-sent events with reconnecting, or polling."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable

from patchbay.client.service_adapter import ServiceAdapter
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError, Unreachable

IDLE_TIMEOUT_SECONDS = 45.0
"""After three missed keep-alives, the connection is considered dead."""
INITIAL_WAIT_SECONDS = 0.5
MAX_WAIT_SECONDS = 30.0
POLL_INTERVAL_SECONDS = 5.0
_POLLED_LISTS = ((ResourceType.EXECUTION, "/v1/executions"), (ResourceType.FLOW, "/v1/flows"))


class ChangeFeed:
    """Distributes the changes of a server to any number of subscribers, until closed."""

    def __init__(
        self,
        adapter: ServiceAdapter,
        *,
        first_wait: float = INITIAL_WAIT_SECONDS,
        poll: float = POLL_INTERVAL_SECONDS,
        on_list_changed: Callable[[], None] | None = None,
    ) -> None:
        self._adapter = adapter
        self._on_list_changed = on_list_changed
        """Called before the change is published, when polling finds a list changed."""
        self._first_wait, self._poll = first_wait, poll
        self._subscriptions: dict[asyncio.Queue[Change | None], asyncio.Task[None]] = {}
        self._closed = False

    async def subscribe(self) -> AsyncIterator[Change]:
        """Changes from now on; ends with `close`.

        After a disconnect, one change of the whole workspace replaces those missed.
        """
        if self._closed:
            return
        queue: asyncio.Queue[Change | None] = asyncio.Queue()
        self._subscriptions[queue] = asyncio.create_task(
            self._forward_changes(queue), name="patchbay-changes"
        )
        try:
            while (change := await queue.get()) is not None:
                yield change
        finally:
            await _cancel_and_wait(self._subscriptions.pop(queue))

    def publish(self, change: Change) -> None:
        """Distribute a change that didn't come from the server."""
        for queue in self._subscriptions:
            queue.put_nowait(change)

    async def close(self) -> None:
        """End all subscriptions."""
        self._closed = True
        await _cancel_and_wait(*self._subscriptions.values())

    async def _forward_changes(self, queue: asyncio.Queue[Change | None]) -> None:
        connections = 0
        wait = self._first_wait
        try:
            while True:
                before = connections
                with contextlib.suppress(AppError):  # other calls report it; here it means: retry later
                    is_patchbay = await self._adapter.is_patchbay()
                    async for change in self._events() if is_patchbay else self._poll_lists():
                        connections += change is None
                        if change is not None or connections > 1:
                            queue.put_nowait(change or Change(noun=ResourceType.WORKSPACE))
                wait = self._first_wait if connections > before else min(wait * 2, MAX_WAIT_SECONDS)
                spread = random.uniform(0.8, 1.2)  # noqa: S311  # spreads retries
                await self._adapter.service.connectivity.sleep_until_online(wait * spread)
        finally:
            queue.put_nowait(None)

    async def _events(self) -> AsyncIterator[Change | None]:
        """The event stream: None once connected, then changes."""
        async with self._adapter.service.stream("/v1/events", IDLE_TIMEOUT_SECONDS) as lines:
            async for line in lines:
                if line == ": connected":
                    yield None
                elif line.startswith("data:"):
                    yield self._adapter.service.read_json(Change, line.removeprefix("data:"))
        raise Unreachable("The server closed the event stream.")

    async def _poll_lists(self) -> AsyncIterator[Change | None]:
        """Poll the first page of lists that change on their own, and compare it with the previous one."""
        seen: dict[ResourceType, object] = {}
        while True:
            for resource, path in _POLLED_LISTS:
                now = (await self._adapter.get(path)).data
                if resource in seen and seen[resource] != now:
                    if self._on_list_changed is not None:
                        self._on_list_changed()
                    yield Change(noun=resource)
                seen[resource] = now
            await asyncio.sleep(self._poll)


async def _cancel_and_wait(*tasks: "asyncio.Task[None]") -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
