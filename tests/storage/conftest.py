import pytest
from tests.support.storage_rows import NOW, Workshop

from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore


@pytest.fixture
async def db(location):
    database = await Database.open(location)
    yield database
    await database.close()


@pytest.fixture
async def workshop(db):
    made = Workshop(db)
    await made.prepare()
    return made


@pytest.fixture
def store(db):
    return SqlEngineStore(db, now=lambda: NOW)
