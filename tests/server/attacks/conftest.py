"""One service for all the attacks of a file: it has to stand them one after the other."""

from collections.abc import AsyncIterator

import pytest_asyncio
from tests.support.homes import Served, served
from tests.support.workspace import CATCH, PASS, House, open_house

from patchbay.domain.flows import Flow


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory) -> AsyncIterator[House]:
    opened = await open_house(tmp_path_factory.mktemp("attacked"))
    await opened.engine.start()
    yield opened
    await opened.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(house) -> AsyncIterator[Served]:
    async with served(house) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def webhook_flow(house) -> Flow:
    flow = await house.skipped(await house.flow(CATCH, PASS))
    return await house.backend.publish_flow(flow.id)
