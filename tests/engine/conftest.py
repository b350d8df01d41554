"""An engine over a fresh database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.engine_runtime import EngineRuntime, Shelf


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[EngineRuntime]:
    """A started engine without flows."""
    shelf = await Shelf.open(tmp_path / "engine.db")
    made = EngineRuntime(shelf)
    await made.engine.start()
    yield made
    made.toy.gate.set()
    await made.engine.stop(grace=1)
    await shelf.db.close()
