"""What systemd is told: ready, alive, stopping."""

import asyncio
import os
import socket

import pytest
from tests.support.patience import PATIENCE

from patchbay.platform.service_manager import ServiceManager


@pytest.fixture
def manager(tmp_path):
    """The socket of a service manager, without blocking."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.setblocking(False)
        yield listening


async def received(manager):
    async with asyncio.timeout(PATIENCE):
        return (await asyncio.get_running_loop().sock_recv(manager, 100)).decode()


async def test_it_is_told_that_the_program_is_ready_alive_and_stopping(manager):
    environment = {
        "NOTIFY_SOCKET": manager.getsockname(),
        "WATCHDOG_USEC": "3000",
        "WATCHDOG_PID": str(os.getpid()),
        "HOME": "/",
    }

    service = ServiceManager(environment)
    service.ready()

    assert environment == {"HOME": "/"}
    assert await received(manager) == "READY=1"
    assert [await received(manager), await received(manager)] == ["WATCHDOG=1"] * 2
    service.stopping()
    while (message := await received(manager)) != "STOPPING=1":
        assert message == "WATCHDOG=1"


async def test_another_process_is_watched(manager):
    variables = {"WATCHDOG_USEC": "3000", "WATCHDOG_PID": "1"}
    service = ServiceManager({"NOTIFY_SOCKET": manager.getsockname(), **variables})

    service.ready()
    service.stopping()

    assert [await received(manager), await received(manager)] == ["READY=1", "STOPPING=1"]


async def test_without_a_service_manager_nothing_is_sent():
    service = ServiceManager({})

    service.ready()
    service.stopping()

    assert service._keeping_alive is None
