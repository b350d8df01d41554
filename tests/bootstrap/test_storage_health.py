"""The health check fails while events can't be saved, and recovers."""

import asyncio
import shutil
import threading
from collections import namedtuple

import pytest
from tests.bootstrap.test_http_listeners import ANY, runtime
from tests.support import patient

from patchbay.storage import storage_probe

__all__ = ["runtime"]

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def always_fresh(monkeypatch):
    monkeypatch.setattr(storage_probe, "MAX_AGE_SECONDS", 0.0)
    monkeypatch.setattr(storage_probe, "_WAIT_SECONDS", 10.0)


@pytest.mark.usefixtures("always_fresh")
async def test_the_health_check_fails_while_the_disk_is_full(runtime, monkeypatch):
    http_listeners = await runtime.listen(ANY)
    async with patient.AsyncClient(base_url=http_listeners.address) as client:
        before = await client.get("/healthcheck")
        with monkeypatch.context() as full:
            full.setattr(shutil, "disk_usage", lambda path: Usage(10**9, 10**9, 4096))
            meanwhile = await client.get("/healthcheck")
        after = await client.get("/healthcheck")

    assert [answer.status_code for answer in (before, meanwhile, after)] == [200, 503, 200]
    assert "The disk is almost full" in meanwhile.json()["errors"]["general"][0]
    assert int(meanwhile.headers["retry-after"]) > 0


@pytest.mark.usefixtures("always_fresh")
async def test_the_health_check_fails_while_the_database_cannot_be_written(runtime):
    http_listeners = await runtime.listen(ANY)
    async with patient.AsyncClient(base_url=http_listeners.address) as client:
        await runtime.db.write_outside_transaction(lambda driver: driver.execute("PRAGMA query_only = ON"))
        meanwhile = await client.get("/healthcheck")
        await runtime.db.write_outside_transaction(lambda driver: driver.execute("PRAGMA query_only = OFF"))
        after = await client.get("/healthcheck")

    assert [meanwhile.status_code, after.status_code] == [503, 200]
    assert "can't be written" in meanwhile.json()["errors"]["general"][0]


@pytest.mark.parametrize("hangs", ["disk_usage", "write"])
async def test_the_health_check_fails_while_the_disk_does_not_respond(runtime, monkeypatch, hangs):
    monkeypatch.setattr(storage_probe, "MAX_AGE_SECONDS", 0.0)
    monkeypatch.setattr(storage_probe, "HUNG_SECONDS", 0.5)
    responds = threading.Event()
    http_listeners = await runtime.listen(ANY)
    async with patient.AsyncClient(base_url=http_listeners.address) as client:
        if hangs == "write":
            write = asyncio.create_task(
                runtime.db.write_outside_transaction(lambda driver: responds.wait(60))
            )
        else:
            usage = shutil.disk_usage
            monkeypatch.setattr(shutil, "disk_usage", lambda path: responds.wait(60) and usage(path))
        try:
            async with asyncio.timeout(30):
                while (meanwhile := await client.get("/healthcheck")).status_code == 200:
                    pass
        finally:
            responds.set()
        if hangs == "write":
            await write
        async with asyncio.timeout(30):
            while (await client.get("/healthcheck")).status_code != 200:
                pass

    assert meanwhile.status_code == 503
    assert "The disk doesn't respond." in meanwhile.json()["errors"]["general"][0]
