"""A real workspace behind the real server, and callers whose answers must be as the description says."""

import pytest
from tests.support import patient
from tests.support.contract_workspaces import served
from tests.support.described import as_described
from tests.support.workspace import CATCH, PASS, open_runtime


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(tmp_path)
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
