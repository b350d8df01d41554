"""A simulated day of an engine: it sleeps and wakes, the network and the keyring are away for hours."""

import asyncio
import gc
import os
import threading
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.support.engine_runtime import EngineRuntime
from tests.support.forms import long_form
from tests.support.toy_apps import flow

from patchbay.domain.base import ConnectionId, FlowId, JsonObject
from patchbay.domain.errors import SecretsUnavailable, ThirdPartyError
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowSettings, MissedStartPolicy

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


@dataclass(frozen=True)
class Held:
    """What a process holds that could grow."""

    threads: int
    descriptors: int
    tasks: int

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
        await runtime.until(lambda: "" in runtime.toy.calls)  # the flow of every minute
        await runtime.until_true(self._is_done)

    async def _is_done(self) -> bool:
        return all(state.finished for state in await self.runtime.shelf.states())


@long_form
async def test_a_day_leaves_nothing_behind_and_every_start_happens_once(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = Day(runtime, monkeypatch)
    await day.publish()
    for minute in range(MEASURED_FROM):
        await day.live(minute)
    before = Held.now()
    with traced_memory():
        for minute in range(MEASURED_FROM, DAY):
            await day.live(minute)
            runtime.toy.made.clear()
        gc.collect()
        grown, _ = tracemalloc.get_traced_memory()
    after = Held.now()

    assert after.threads <= before.threads + SPARE
    assert after.descriptors <= before.descriptors + SPARE
    assert after.tasks <= before.tasks + SPARE
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
