"""A real workspace behind the real server, and callers whose answers must be as the description says."""

import pytest
from tests.support import patient
from tests.support.described import as_described
from tests.support.homes import served
from tests.support.workspace import CATCH, PASS, open_house


@pytest.fixture
async def house(tmp_path):
    opened = await open_house(tmp_path)
    await opened.engine.start()
    yield opened
    await opened.close()


@pytest.fixture
async def service(house):
    async with served(house) as running:
        yield running


@pytest.fixture
async def caller(service):
    headers, hooks = {"x-api-token": service.key}, {"response": [as_described]}
    async with patient.AsyncClient(base_url=service.base_url, headers=headers, event_hooks=hooks) as client:
        yield client


@pytest.fixture
async def stranger(service):
    """Somebody without a key."""
    hooks = {"response": [as_described]}
    async with patient.AsyncClient(base_url=service.base_url, event_hooks=hooks) as client:
        yield client


@pytest.fixture
async def webhook_flow(house):
    """A published flow that a webhook starts."""
    flow = await house.skipped(await house.flow(CATCH, PASS))
    return await house.backend.publish_flow(flow.id)
