"""A simulated day of an engine: it sleeps and wakes, the network and the keyring are away for hours."""

import asyncio
import gc
import os
import threading
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.support.engine_runtime import EngineRuntime
from tests.support.forms import long_form
from tests.support.patience import PATIENCE
from tests.support.toy_apps import flow

from patchbay.domain.base import ConnectionId, FlowId, JsonObject
from patchbay.domain.errors import SecretsUnavailable, ThirdPartyError
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowSettings, MissedStartPolicy
from patchbay.storage.database import _READER_THREADS as READER_THREADS

BERLIN = ZoneInfo("Europe/Berlin")
MINUTE, HOUR = 60_000, 3_600_000
MIDNIGHT = int(datetime(2026, 9, 23, tzinfo=BERLIN).timestamp() * 1000)
DAY = 24 * 60
ASLEEP = range(3 * 60 + 7, 5 * 60 + 22)
"""The minutes of the day in which the computer sleeps: nothing happens, and no clock is read."""
OFFLINE = range(8 * 60 + 2, 10 * 60 + 2)
LOCKED = range(13 * 60 + 5, 14 * 60 + 5)
MEASURED_FROM = 7 * 60
MAX_GROWTH_BYTES = 300_000
"""For caches. A leak of 1 KB per execution would be over a megabyte."""
SPARE = 3
"""Pools start their threads, and open their connections, when they are needed. A leak would be hundreds."""
CONNECTION = ConnectionId("c1")
FLOWS = 4


@dataclass(frozen=True)
class Held:
    """What a process holds that could grow."""

    threads: int
    descriptors: int
    tasks: int

    def is_within(self, bounds: "Held") -> bool:
        """Whether it is no more than that."""
        return (
            self.threads <= bounds.threads
            and self.descriptors <= bounds.descriptors
            and self.tasks <= bounds.tasks
        )

    def and_spare(self) -> "Held":
        """What may be held later."""
        return Held(self.threads + SPARE, self.descriptors + SPARE, self.tasks + SPARE)

    @classmethod
    def now(cls) -> "Held":
        descriptors = len(list(Path("/proc/self/fd").iterdir())) if os.path.isdir("/proc/self/fd") else 0
        return cls(threading.active_count(), descriptors, len(asyncio.all_tasks()))


@contextmanager
def traced_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def away() -> ThirdPartyError:
    return ThirdPartyError(app="Toy", said="no route to host", status=503)


def locked() -> SecretsUnavailable:
    return SecretsUnavailable("The keyring is locked.", reason="locked", todo="Unlock it.")


class Day:
    """The day of one engine, a minute at a time."""

    def __init__(self, runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
        self.runtime = runtime
        self.found = 0
        self._asleep = 0
        self._load = runtime.vault.load
        self._is_locked = False
        runtime.clock.now = MIDNIGHT - MINUTE
        runtime.vault.data[CONNECTION] = {"apiKey": "k"}
        monkeypatch.setattr(runtime.vault, "load", self._load_unless_locked)

    async def _load_unless_locked(self, connection_id: ConnectionId) -> JsonObject:
        if self._is_locked:
            raise locked()
        return await self._load(connection_id)

    async def publish(self) -> None:
        """Flows of each kind: by the minute, by the hour, with a connection, and for what is found."""
        every_minute = flow("clock", "echo", flow_id="minutes", parameters={"cron": "* * * * *"})
        with_connection = flow(
            "clock",
            "echo",
            flow_id="connected",
            parameters={"cron": "*/15 * * * *"},
            connection_id=CONNECTION,
        )
        await self.runtime.publish(every_minute)
        await self.runtime.publish(flow("clock", "echo", flow_id="hours"))
        await self.runtime.publish(with_connection)
        await self.runtime.publish(flow("poll", "echo", flow_id="found"), interval=5)
        each = FlowSettings(missed=MissedStartPolicy.ALL)
        await self.runtime.shelf.settle_flow(FlowId("hours"), each)
        self.runtime.engine.triggers_changed()
        await self.runtime.settle()

    async def live(self, minute: int) -> None:
        """Let a minute pass, and wait until all is done that it starts."""
        runtime = self.runtime
        runtime.toy.refusal = away() if minute in OFFLINE else None
        self._is_locked = minute in LOCKED
        if minute % 10 == 0:
            self.found += 1
            runtime.toy.items.insert(0, (f"item-{self.found}", "new"))
            del runtime.toy.items[50:]
        if minute in ASLEEP:
            self._asleep += MINUTE
            return
        if self._asleep:
            runtime.set_clock(self._asleep)  # as Linux sees it: the monotonic clock has stood still
            self._asleep = 0
        runtime.toy.calls.clear()
        runtime.toy.keys.clear()
        runtime.changes.clear()
        await runtime.pass_time(MINUTE)
        # All triggers first: else a run of one flow could end the minute before that of another has begun.
        await runtime.until(self._has_fired)
        await runtime.until_true(self._is_done)

    def _has_fired(self) -> bool:
        """Whether the engine knows all triggers, and each one that was due has stored what it found."""
        entries = self.runtime.engine._components.triggers._entries.values()
        now = self.runtime.clock.now
        fired = [one.task is None and one.next_at is not None and one.next_at > now for one in entries]
        return len(fired) == FLOWS and all(fired)

    async def _is_done(self) -> bool:
        return all(state.finished for state in await self.runtime.shelf.states())

    async def start_readers(self) -> None:
        """Let all threads that read the database start, with their connections.

        They start when they are needed at the same time, which is only on a busy computer.
        """
        together = threading.Barrier(READER_THREADS)
        reads = [self.runtime.shelf.db.read(lambda _: together.wait(PATIENCE)) for _ in range(READER_THREADS)]
        await asyncio.gather(*reads)

    async def held_at_rest(self, bounds: Held) -> Held:
        """What is held once it is within the bounds, or else after a while: the last runs still end."""
        with suppress(TimeoutError):
            await self.runtime.until(lambda: Held.now().is_within(bounds))
        return Held.now()


@long_form
async def test_a_day_leaves_nothing_behind_and_every_start_happens_once(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = Day(runtime, monkeypatch)
    await day.publish()
    for minute in range(MEASURED_FROM):
        await day.live(minute)
    await day.start_readers()
    before = Held.now()
    with traced_memory():
        for minute in range(MEASURED_FROM, DAY):
            await day.live(minute)
            runtime.toy.made.clear()
        after = await day.held_at_rest(before.and_spare())
        gc.collect()
        grown, _ = tracemalloc.get_traced_memory()

    assert after.is_within(before.and_spare()), f"{after}, after {before}"
    assert grown < MAX_GROWTH_BYTES
    succeeded, failed, caught_up = Counter[str](), Counter[str](), Counter[str]()
    for one in await runtime.all():
        flow_id = one.step(0).step_id.removesuffix("-0")
        (succeeded if one.state is ExecutionState.SUCCESS else failed)[flow_id] += 1
        caught_up[flow_id] += "Caught up once" in (one.note or "")
    in_lock = len([minute for minute in LOCKED if minute % 15 == 0])
    missed = len([minute for minute in ASLEEP if minute % 15 == 0])
    assert succeeded == {
        "minutes": DAY - len(ASLEEP),  # the start of the minute in which it wakes makes up for the others
        "hours": 24,  # those of the night follow in the morning
        "connected": DAY // 15 - missed - in_lock + 1,
        "found": day.found,
    }
    assert caught_up == {"minutes": 1, "hours": 0, "connected": 1, "found": 0}
    assert failed == {"connected": in_lock, "found": 1}  # two hours without a network are one failed poll
