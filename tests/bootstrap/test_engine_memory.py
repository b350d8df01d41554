"""What the engine is told when a workspace is opened again."""

from contextlib import asynccontextmanager

import pytest
from sqlalchemy import insert

from patchbay.bootstrap import house as houses
from patchbay.bootstrap.house import open_house
from patchbay.domain.changes import Noun
from patchbay.domain.engine import EngineSettings, EngineState
from patchbay.integration.registry import AppRegistry
from patchbay.platform.clock import now_ms
from patchbay.service.key_homes import MemoryKeyHome
from patchbay.storage.database import Database
from patchbay.storage.tables import execution

TWO_YEARS_MS = 2 * 365 * 86_400_000


@pytest.fixture
def life(tmp_path):
    """One life of the workspace of this folder."""

    @asynccontextmanager
    async def lived():
        house = await open_house(tmp_path / "patchbay.db", AppRegistry(), MemoryKeyHome(), now_ms)
        await house.start()
        try:
            yield house.backend
        finally:
            await house.close(grace=0)

    return lived


async def test_paused_runs_stay_paused_and_settings_stay_until_they_are_changed(life):
    async with life() as backend:
        assert (await backend.health()).state is EngineState.RUNNING
        await backend.pause_runs()
        await backend.change_engine_settings(EngineSettings(max_concurrent=3))

    async with life() as backend:
        assert (await backend.health()).state is EngineState.PAUSED
        assert await backend.engine_settings() == EngineSettings(max_concurrent=3)
        assert (await backend.resume_runs()).state is EngineState.RUNNING

    async with life() as backend:
        assert (await backend.health()).state is EngineState.RUNNING


async def test_the_history_is_tidied_by_itself(life, tmp_path, monkeypatch):
    monkeypatch.setattr(houses, "FIRST_TIDY_SECONDS", 0)
    db = await Database.open(tmp_path / "patchbay.db")
    then = now_ms() - TWO_YEARS_MS
    old = {
        "flow_id": "gone",
        "status": "failure",
        "created_at": then,
        "updated_at": then,
        "finished_at": then,
    }
    await db.write(lambda tx: tx.execute(insert(execution).values(id="old", **old)))
    await db.close()

    async with life() as backend:
        changes = backend.changes()
        while (await anext(changes)).noun is not Noun.EXECUTION:
            pass

        assert (await backend.storage_use()).executions == 0
