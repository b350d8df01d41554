import pytest
from tests.support.desk import DeskService, faulty, nameless
from tests.support.workspace import open_house


@pytest.fixture
def desk_service():
    service = DeskService()
    yield service
    service.close()


@pytest.fixture
async def house(tmp_path):
    opened = await open_house(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def desk_house(tmp_path, desk_service):
    opened = await open_house(tmp_path, desk_service, more_apps=[nameless, faulty])
    yield opened
    await opened.close()


@pytest.fixture
def backend(house):
    return house.backend
