"""The engine keeps its settings and the pause of all runs when a workspace is opened again."""

from contextlib import asynccontextmanager

import pytest

from patchbay.bootstrap.workspace_runtime import open_runtime
from patchbay.domain.clock import now_ms
from patchbay.domain.engine import EngineSettings, EngineState
from patchbay.integration.registry import AppRegistry
from patchbay.service.key_stores import MemoryKeyStore


@pytest.fixture
def life(tmp_path):
    """One life of the workspace of this folder."""

    @asynccontextmanager
    async def lived():
        runtime = await open_runtime(tmp_path / "patchbay.db", AppRegistry(), MemoryKeyStore(), now_ms)
        await runtime.start()
        try:
            yield runtime.backend
        finally:
            await runtime.close(grace=0)

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
