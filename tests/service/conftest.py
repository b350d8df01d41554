import pytest
from tests.support.desk import DeskService, faulty, nameless
from tests.support.workspace import open_runtime


@pytest.fixture
def desk_service():
    service = DeskService()
    yield service
    service.close()


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def desk_runtime(tmp_path, desk_service):
    opened = await open_runtime(tmp_path, desk_service, more_apps=[nameless, faulty])
    yield opened
    await opened.close()


@pytest.fixture
def backend(runtime):
    return runtime.backend
