"""Triggers that listen: the service tells them at once, and a poll follows without waiting for its time."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from patchbay.domain.base import FlowId
from patchbay.domain.errors import AppError, NotSupported
from patchbay.engine.calling.failures import rejects_credentials
from patchbay.engine.plan import Plan

_log = logging.getLogger(__name__)

MAX_WATCHES = 50
"""Triggers that may listen together, each with a connection of its own; the others are polled only."""
FIRST_DELAY_SECONDS = 5.0
"""Seconds until a watch that broke off is started again; the pause doubles with each failure."""
MAX_DELAY_SECONDS = 900.0
STABLE_AFTER_SECONDS = 60.0
"""Seconds after which a watch counts as working, so that the next failure starts with a short pause."""

Listen = Callable[[Plan, Callable[[], None]], Awaitable[None]]


@dataclass(slots=True)
class _Watch:
    plan: Plan
    task: asyncio.Task[None] | None = None
    poll_succeeded: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a poll worked: the connection is good (again)."""


class TriggerWatches:
    """One task for each published trigger that can listen. A watch that fails leaves the polls as they are.

    `listen(plan, ring)` runs the trigger's `watch` and calls `on_signal` each time; `ring(flow_id)` asks for a
    poll.
    """

    def __init__(self, listen: Listen, on_signal: Callable[[FlowId], None]) -> None:
        self._listen = listen
        self._on_signal = on_signal
        self._watches: dict[FlowId, _Watch] = {}

    def watch_only(self, plans: Iterable[Plan]) -> None:
        """Watch these and no others; a watch of the same version goes on undisturbed."""
        wanted = {plan.flow_id: plan for plan in plans if plan.start.trigger and plan.start.trigger.watch}
        for flow_id, watch in list(self._watches.items()):
            plan = wanted.get(flow_id)
            if plan is None or plan.version.number != watch.plan.version.number:
                self._end(flow_id)
        for flow_id, plan in wanted.items():
            if flow_id in self._watches:
                continue
            if len(self._watches) >= MAX_WATCHES:
                _log.warning("%d triggers listen already; the others are polled only.", MAX_WATCHES)
                break
            watch = self._watches[flow_id] = _Watch(plan)
            watch.task = asyncio.create_task(self._run(watch), name=f"watch of {flow_id}")

    def poll_succeeded(self, flow_id: FlowId) -> None:
        """A poll of this flow worked: a watch that was refused may try again."""
        if watch := self._watches.get(flow_id):
            watch.poll_succeeded.set()

    async def stop(self) -> None:
        """End all watches and wait until their connections are closed."""
        tasks = [watch.task for watch in self._watches.values() if watch.task]
        for flow_id in list(self._watches):
            self._end(flow_id)
        await asyncio.gather(*tasks, return_exceptions=True)

    def _end(self, flow_id: FlowId) -> None:
        task = self._watches.pop(flow_id).task
        if task is not None:
            task.cancel()

    async def _run(self, watch: _Watch) -> None:
        """Listen again and again; the pause between two tries grows until one holds."""
        loop, pause = asyncio.get_running_loop(), FIRST_DELAY_SECONDS
        while True:
            began, error = loop.time(), await self._listen_once(watch)
            if isinstance(error, NotSupported):
                return
            if loop.time() - began >= STABLE_AFTER_SECONDS:
                pause = FIRST_DELAY_SECONDS
                if error is None:
                    continue
            if error is not None and rejects_credentials(error):
                await self._wait_for_successful_poll(watch)
            else:
                await asyncio.sleep(pause * random.uniform(0.8, 1.2))  # nosec B311  # spreads retries
                pause = min(pause * 2, MAX_DELAY_SECONDS)

    async def _listen_once(self, watch: _Watch) -> Exception | None:
        """Listen until it ends; what ended it, None when the trigger did so itself."""
        label = watch.plan.start.label
        try:
            await self._listen(watch.plan, lambda: self._on_signal(watch.plan.flow_id))
        except NotSupported as error:
            _log.info("%s is polled only: %s", label, error.text())
            return error
        except AppError as error:
            _log.info("%s does not listen at the moment: %s", label, error.text())
            return error
        except Exception as error:  # noqa: BLE001  app code may raise anything, and polling goes on
            _log.error("%s stopped listening with %s", label, type(error).__name__)
            return error
        return None

    async def _wait_for_successful_poll(self, watch: _Watch) -> None:
        """A refused sign-in is not tried again on its own: accounts get locked by that."""
        watch.poll_succeeded.clear()
        await watch.poll_succeeded.wait()
