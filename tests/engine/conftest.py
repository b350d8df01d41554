"""An engine house over each store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.engine_house import House, MemoryShelf, SqlShelf


@pytest.fixture(params=["memory", "sqlite"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    """A started engine without flows."""
    shelf = MemoryShelf() if request.param == "memory" else await SqlShelf.open(tmp_path / "house.db")
    made = House(shelf)
    await made.engine.start()
    yield made
    made.toy.gate.set()
    await made.engine.stop(grace=1)
    if isinstance(shelf, SqlShelf):
        await shelf.db.close()
