"""One service for all the attacks of a file: it has to stand them one after the other."""

from collections.abc import AsyncIterator

import pytest_asyncio
from tests.support.contract_workspaces import Served, served
from tests.support.workspace import CATCH, PASS, WorkspaceRuntime, open_runtime

from patchbay.domain.flows import Flow


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def runtime(tmp_path_factory) -> AsyncIterator[WorkspaceRuntime]:
    opened = await open_runtime(tmp_path_factory.mktemp("attacked"))
    await opened.engine.start()
    yield opened
    await opened.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(runtime) -> AsyncIterator[Served]:
    async with served(runtime) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def webhook_flow(runtime) -> Flow:
    flow = await runtime.skipped(await runtime.flow(CATCH, PASS))
    return await runtime.backend.publish_flow(flow.id)
