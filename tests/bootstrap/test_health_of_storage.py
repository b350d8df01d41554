"""The health check fails when events could not be stored any more, and recovers."""

import shutil
from collections import namedtuple

import httpx
import pytest
from tests.bootstrap.test_front import ANY, house

from patchbay.storage import writable

__all__ = ["house"]

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def always_fresh(monkeypatch):
    monkeypatch.setattr(writable, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(writable, "_WAIT_SECONDS", 10.0)


@pytest.mark.usefixtures("always_fresh")
async def test_the_health_check_fails_while_the_disk_is_full(house, monkeypatch):
    front = await house.listen(ANY)
    async with httpx.AsyncClient(base_url=front.address) as client:
        before = await client.get("/healthcheck")
        with monkeypatch.context() as full:
            full.setattr(shutil, "disk_usage", lambda path: Usage(10**9, 10**9, 4096))
            meanwhile = await client.get("/healthcheck")
        after = await client.get("/healthcheck")

    assert [answer.status_code for answer in (before, meanwhile, after)] == [200, 503, 200]
    assert "The disk is full." in meanwhile.json()["errors"]["general"][0]
    assert int(meanwhile.headers["retry-after"]) > 0


@pytest.mark.usefixtures("always_fresh")
async def test_the_health_check_fails_while_the_database_cannot_be_written(house):
    front = await house.listen(ANY)
    async with httpx.AsyncClient(base_url=front.address) as client:
        await house.db.write_alone(lambda driver: driver.execute("PRAGMA query_only = ON"))
        meanwhile = await client.get("/healthcheck")
        await house.db.write_alone(lambda driver: driver.execute("PRAGMA query_only = OFF"))
        after = await client.get("/healthcheck")

    assert [meanwhile.status_code, after.status_code] == [503, 200]
    assert "cannot be written" in meanwhile.json()["errors"]["general"][0]
