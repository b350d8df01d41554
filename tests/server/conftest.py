"""A real workspace behind the real server, and callers whose answers must be as the description says."""

from typing import Any

import pytest
from tests.support import patient
from tests.support.contract_workspaces import served
from tests.support.described import as_described
from tests.support.postgres_databases import location_on
from tests.support.workspace import CATCH, PASS, open_runtime

WITHOUT_STORAGE = frozenset(
    {
        "test_available",
        "test_event_streams",
        "test_listener",
        "test_multipart",
        "test_overload",
        "test_parsers",
        "test_proxies",
        "test_throttle",
        "test_turns",
        "test_webhook_bombs",
        "test_webhook_front",
        "test_windows_ports",
    }
)
"""Modules about connections and parsers, to which the database makes no difference."""


def pytest_generate_tests(metafunc):
    """Run the tests that use `runtime` on PostgreSQL too."""
    if "location" not in metafunc.fixturenames:
        return
    module = metafunc.module.__name__
    databases: list[Any] = ["sqlite"]
    if ".attacks." not in module and module.rpartition(".")[2] not in WITHOUT_STORAGE:
        databases.append("postgresql")
    metafunc.parametrize("location", databases, indirect=True)


@pytest.fixture
def location(request):
    """Where the workspace of `runtime` is stored."""
    yield from location_on(request.param, request)


@pytest.fixture
async def runtime(tmp_path, location):
    opened = await open_runtime(tmp_path, database=location)
    await opened.engine.start()
    yield opened
    await opened.close()


@pytest.fixture
async def service(runtime):
    async with served(runtime) as running:
        yield running


@pytest.fixture
async def caller(service):
    headers, hooks = {"x-api-token": service.key}, {"response": [as_described]}
    async with patient.AsyncClient(base_url=service.base_url, headers=headers, event_hooks=hooks) as client:
        yield client


@pytest.fixture
async def stranger(service):
    """A client without an API key."""
    hooks = {"response": [as_described]}
    async with patient.AsyncClient(base_url=service.base_url, event_hooks=hooks) as client:
        yield client


@pytest.fixture
async def webhook_flow(runtime):
    """A published flow that a webhook starts."""
    flow = await runtime.skipped(await runtime.flow(CATCH, PASS))
    return await runtime.backend.publish_flow(flow.id)
