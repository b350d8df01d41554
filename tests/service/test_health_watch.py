"""Connections are tested by themselves, and only what the third party says changes their health."""

import pytest

from patchbay.domain.clock import HOUR_MS
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import Unreachable
from patchbay.service.connections import (
    CHECK_INTERVAL_SECONDS,
    FIRST_TEST_DELAY_SECONDS,
    PAUSE_BETWEEN_TESTS_SECONDS,
    ConnectionHealthMonitor,
)


class Ended(Exception):
    """Ends a watch that would go on for ever."""


class Naps:
    """Stands for sleeping: remembers how long, and ends the watch after a number of looks."""

    def __init__(self, looks: int = 1) -> None:
        self.taken: list[float] = []
        self._looks = looks

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)
        if self.taken.count(CHECK_INTERVAL_SECONDS) == self._looks:
            raise Ended


def every_six():
    return 6.0


@pytest.fixture
def backend(desk_runtime):
    return desk_runtime.backend


@pytest.fixture
async def connection(desk_runtime, desk_service):
    return await desk_runtime.connect(desk_service.good_key)


async def test_the_first_look_waits_a_minute_and_tests_are_spread(desk_runtime, backend, connection):
    desk_runtime.clock.now += 7 * HOUR_MS
    naps = Naps()

    with pytest.raises(Ended):
        await ConnectionHealthMonitor(backend, desk_runtime.clock, every_six, naps).run()

    assert naps.taken == [FIRST_TEST_DELAY_SECONDS, PAUSE_BETWEEN_TESTS_SECONDS, CHECK_INTERVAL_SECONDS]
    assert (await backend.get_connection(connection.id)).tested_at > connection.tested_at


async def test_what_was_tested_lately_is_left_alone(desk_runtime, backend, connection, desk_service):
    before = len(desk_service.calls)

    await ConnectionHealthMonitor(backend, desk_runtime.clock, every_six, Naps()).test_due_connections()

    assert len(desk_service.calls) == before


async def test_a_connection_that_broke_needs_attention_in_the_words_of_the_service(
    desk_runtime, backend, connection, desk_service
):
    desk_runtime.clock.now += 7 * HOUR_MS
    desk_service.good_key = "another"

    await ConnectionHealthMonitor(backend, desk_runtime.clock, every_six, Naps()).test_due_connections()

    found = await backend.get_connection(connection.id)
    assert found.health is ConnectionHealth.NEEDS_ATTENTION
    assert "Invalid API key" in found.reason


async def test_without_a_network_nothing_is_said_about_the_account(
    desk_runtime, backend, connection, desk_service
):
    desk_runtime.clock.now += 7 * HOUR_MS
    desk_service.close()

    await ConnectionHealthMonitor(backend, desk_runtime.clock, every_six, Naps()).test_due_connections()

    assert await backend.get_connection(connection.id) == connection
    with pytest.raises(Unreachable):
        await backend.test_connection_in_background(connection.id)


async def test_a_service_that_a_test_did_not_reach_is_asked_again_at_the_next_look(
    desk_runtime, backend, connection, desk_service
):
    desk_service.failing = 503
    await backend.test_connection(connection.id)
    desk_service.failing = None

    await ConnectionHealthMonitor(backend, desk_runtime.clock, every_six, Naps()).test_due_connections()

    found = await backend.get_connection(connection.id)
    assert (found.health, found.unreachable) == (ConnectionHealth.VALID, None)


async def test_never_is_never(desk_runtime, backend, connection, desk_service):
    desk_runtime.clock.now += 700 * HOUR_MS
    before = len(desk_service.calls)

    await ConnectionHealthMonitor(backend, desk_runtime.clock, lambda: 0, Naps()).test_due_connections()

    assert len(desk_service.calls) == before
