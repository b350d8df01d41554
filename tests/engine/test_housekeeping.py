"""When old executions are removed, and what happens when that fails."""

import asyncio
import logging

import pytest
from tests.support.patience import PATIENCE

from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.engine import CleanupResult, Retention
from patchbay.domain.errors import StorageFault
from patchbay.engine.retention import HistoryCleanup

NOW = 1_790_000_000_000


class EngineRuntime:
    """Stands for the storage: answers with what it is given, and counts the rounds."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []
        self.told = []
        self.rounds = asyncio.Semaphore(0)

    async def apply_retention(self, retention, now):
        self.asked.append((retention, now))
        self.rounds.release()
        answer = self.answers.pop(0) if self.answers else CleanupResult(removed=0, freed_bytes=0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def after(self, rounds):
        async with asyncio.timeout(PATIENCE):
            for _ in range(rounds):
                await self.rounds.acquire()
        await asyncio.sleep(0)


@pytest.fixture
async def keep():
    made = []

    def build(runtime, **times):
        keeping = HistoryCleanup(runtime, Retention, lambda: NOW, runtime.told.append, **times)
        made.append(keeping)
        keeping.start()
        return keeping

    yield build
    for keeping in made:
        await keeping.stop()


async def test_it_begins_some_time_after_the_start_and_continues(keep):
    runtime = EngineRuntime(CleanupResult(removed=3, freed_bytes=4096))
    keep(runtime, first_delay=0.01, interval=0.01)

    await runtime.after(3)

    assert runtime.asked[0] == (Retention(), NOW)
    assert runtime.told == [Change(noun=ResourceType.EXECUTION, action="deleted")]


@pytest.mark.parametrize("fault", [StorageFault("The disk is full."), ZeroDivisionError()])
async def test_a_round_that_fails_is_logged_and_the_next_one_comes(keep, caplog, fault):
    runtime = EngineRuntime(fault)
    with caplog.at_level(logging.WARNING):
        keep(runtime, first_delay=0, interval=0.01)
        await runtime.after(2)

    assert "eleting old executions" in caplog.text or "delete old executions" in caplog.text


async def test_stopping_ends_it_in_the_middle_of_a_round(keep, monkeypatch):
    begun = asyncio.Event()

    async def remove(retention, now):
        begun.set()
        await asyncio.Event().wait()

    runtime = EngineRuntime()
    monkeypatch.setattr(runtime, "apply_retention", remove)
    keeping = keep(runtime, first_delay=0)
    await begun.wait()

    await keeping.stop()

    assert runtime.told == []
