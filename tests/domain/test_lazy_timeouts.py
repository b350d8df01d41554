"""`LazyTimeout` times out like `asyncio.timeout_at`."""

import asyncio

import pytest

from patchbay.domain.lazy_timeouts import LazyTimeout


def now():
    return asyncio.get_running_loop().time()


async def test_a_block_that_waits_beyond_the_deadline_times_out():
    with pytest.raises(TimeoutError):
        async with LazyTimeout(now() + 0.001):
            await asyncio.Event().wait()


async def test_a_block_that_ends_in_time_leaves_no_timer_behind():
    async with LazyTimeout(now() - 1.0) as scope:
        pass
    await asyncio.sleep(0)

    assert scope.when() is None
    assert not scope.expired()


async def test_an_earlier_deadline_that_was_set_meanwhile_counts():
    async def wait():
        async with LazyTimeout(now() + 3600) as scope:
            asyncio.get_running_loop().call_soon(scope.reschedule, now())
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await wait()


async def test_an_earlier_deadline_that_was_set_before_the_block_waits_counts():
    async def wait():
        async with LazyTimeout(now() + 3600) as scope:
            scope.reschedule(now())
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await wait()


async def test_errors_of_the_block_are_raised():
    with pytest.raises(ZeroDivisionError):
        async with LazyTimeout(now() + 3600):
            _ = 1 / 0
