"""Our own service, found wherever it answers, and asked once for what it is."""

from uuid import uuid4

import pytest
from tests.support.contract_workspaces import served
from tests.support.workspace import open_runtime

from patchbay.client.remote import RemoteBackend
from patchbay.client.service_adapter import Dialect, InMemoryDialectStore
from patchbay.domain.base import FlowId


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(tmp_path)
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("base_path", "typed", "base"),
    [("", "", ""), ("", "/v1/", ""), ("/api", "", "/api"), ("/api", "/api", ""), ("/api", "/api/v1", "")],
)
async def test_a_service_of_ours_is_found_below_a_base_path_too(runtime, base_path, typed, base):
    async with served(runtime, base_path=base_path) as service:
        memory = InMemoryDialectStore()
        backend = RemoteBackend(service.base_url + typed, service.key, dialect_store=memory)

        await backend.open()

        assert memory.dialect == Dialect(base=base, ours=True, people="/v1")
        assert backend.capabilities.unavailable == {}
        made = await backend.create_flow("Orders")
        assert await backend.get_flow(made.id) == made
        await backend.close()


async def test_the_activity_of_many_flows_is_requested_in_parts(runtime):
    async with served(runtime) as service:
        backend = RemoteBackend(service.base_url, service.key, dialect_store=InMemoryDialectStore())
        await backend.open()
        made = await backend.create_flow("Orders")

        found = await backend.flow_activity([FlowId(str(uuid4())) for _ in range(10_000)] + [made.id])

        assert len(found) == 10_001
        assert found[-1].flow_id == made.id
        await backend.close()
