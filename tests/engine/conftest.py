"""An engine house over a fresh database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.engine_house import House, Shelf


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A started engine without flows."""
    shelf = await Shelf.open(tmp_path / "house.db")
    made = House(shelf)
    await made.engine.start()
    yield made
    made.toy.gate.set()
    await made.engine.stop(grace=1)
    await shelf.db.close()
