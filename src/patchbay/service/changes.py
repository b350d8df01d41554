"""Change notifications of a workspace for all listeners in this process."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from typing import Literal
from weakref import WeakSet

from patchbay.domain.changes import Change, ResourceType

MAX_QUEUED_CHANGES = 256

initiator: ContextVar[str | None] = ContextVar("initiator", default=None)
"""The initiator of changes in the current task; set by callers that want to recognise their own changes."""


class ChangeListener(AsyncIterator[Change]):
    """Iterates over changes. A listener that falls behind gets one workspace change for all it missed."""

    def __init__(self) -> None:
        self._waiting: deque[Change] = deque()
        self._arrived = asyncio.Event()
        self._ended = False

    def enqueue(self, change: Change) -> None:
        """Add a change. If too many are waiting, one for the whole workspace replaces them."""
        if len(self._waiting) >= MAX_QUEUED_CHANGES:
            self._waiting.clear()
            change = Change(noun=ResourceType.WORKSPACE)
        self._waiting.append(change)
        self._arrived.set()

    def end(self) -> None:
        """End the iteration after the changes that are waiting."""
        self._ended = True
        self._arrived.set()

    async def __anext__(self) -> Change:
        while not self._waiting:
            if self._ended:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        return self._waiting.popleft()


class ChangeBroadcaster:
    """Sends changes to all listeners.

    Only used on the event loop's thread; listeners are weakly referenced.
    """

    def __init__(self) -> None:
        self._listeners: WeakSet[ChangeListener] = WeakSet()
        self._closed = False
        self.on_publish: Callable[[Change], None] = lambda change: None
        """Called with each change of this program, for other programs that share the database."""

    def listen(self) -> ChangeListener:
        """Return a listener that receives all changes from now on."""
        listener = ChangeListener()
        if self._closed:
            listener.end()
        self._listeners.add(listener)
        return listener

    def publish(self, change: Change) -> None:
        """Send a change of this program to all listeners, and to other programs."""
        self.deliver(change)
        self.on_publish(change)

    def deliver(self, change: Change) -> None:
        """Send a change to all listeners of this program."""
        for listener in list(self._listeners):
            listener.enqueue(change)

    def notify(
        self,
        resource_type: ResourceType,
        *ids: str,
        action: Literal["created", "updated", "deleted"] = "updated",
    ) -> Change:
        """Publish a change and return it."""
        change = Change(noun=resource_type, ids=ids, action=action, initiator=initiator.get())
        self.publish(change)
        return change

    def close(self) -> None:
        """End all listeners after the changes they haven't read yet."""
        self._closed = True
        for listener in list(self._listeners):
            listener.end()
