"""An engine over a fresh database."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.engine_runtime import EngineRuntime, Shelf

if TYPE_CHECKING:
    from patchbay.storage.postgresql.address import PostgresAddress

ONLY_ON_SQLITE = frozenset({"test_clock_set", "test_wake_ups"})
"""Modules about the engine's own timer, which count the turns of the event loop."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the databases of the tests that use `location`."""
    if "location" not in metafunc.fixturenames:
        return
    module = metafunc.module.__name__.rpartition(".")[2]
    databases: list[Any] = ["sqlite"]
    if module not in ONLY_ON_SQLITE:
        databases.append("postgresql")
    metafunc.parametrize("location", databases, indirect=True)


@pytest.fixture
def location(request: pytest.FixtureRequest) -> "Iterator[Path | PostgresAddress]":
    """An empty workspace, on a database that `pytest_generate_tests` chose."""
    from tests.support.postgres_databases import location_on

    yield from location_on(request.param, request)


@pytest.fixture
async def runtime(location: "Path | PostgresAddress") -> AsyncIterator[EngineRuntime]:
    """A started engine without flows."""
    shelf = await Shelf.open(location)
    made = EngineRuntime(shelf)
    await made.engine.start()
    yield made
    made.toy.gate.set()
    await made.engine.stop(grace=1)
    await shelf.db.close()
