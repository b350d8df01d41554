"""Guessing API keys is slowed down without locking out other clients."""

import logging

import httpx
import pytest
from tests.support import patient

from patchbay.bootstrap.workspace_runtime import ApiKeysWithToken
from patchbay.domain.errors import RateLimited
from patchbay.server.app import create_app
from patchbay.server.authentication import (
    INITIAL_WAIT,
    MAX_ADDRESSES,
    MAX_WAIT,
    MAX_WRONG_KEYS,
    MAX_WRONG_KEYS_IN_TOTAL,
    WrongKeyThrottle,
)


class Seconds:
    """A clock that stands still until told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Seconds()


@pytest.fixture
def throttle(clock):
    return WrongKeyThrottle(clock)


def _guess(throttle: WrongKeyThrottle, address: str, times: int = MAX_WRONG_KEYS) -> None:
    for _ in range(times):
        throttle.record_wrong_key(address)


def _waits(throttle: WrongKeyThrottle, address: str) -> float | None:
    """How long the address has to wait with a wrong key; None when it need not."""
    try:
        throttle.record_wrong_key(address)
    except RateLimited as told:
        return told.retry_after
    return None


def test_after_ten_wrong_keys_the_address_waits(throttle):
    _guess(throttle, "10.0.0.1")

    assert _waits(throttle, "10.0.0.1") == INITIAL_WAIT
    assert _waits(throttle, "10.0.0.2") is None


def test_the_wait_doubles_up_to_an_hour_and_resets_after_a_quiet_hour(throttle, clock):
    waits = []
    for _ in range(9):
        _guess(throttle, "10.0.0.1")
        waits.append(_waits(throttle, "10.0.0.1"))
        clock.now += waits[-1]
    clock.now += MAX_WAIT + 1
    _guess(throttle, "10.0.0.1")

    assert waits == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert _waits(throttle, "10.0.0.1") == INITIAL_WAIT


def test_wrong_keys_now_and_then_are_nothing(throttle, clock):
    for _ in range(5 * MAX_WRONG_KEYS):
        throttle.record_wrong_key("10.0.0.1")
        clock.now += 10

    assert _waits(throttle, "10.0.0.1") is None


def test_going_on_while_waiting_makes_it_no_longer(throttle, clock):
    _guess(throttle, "10.0.0.1")
    for _ in range(3 * MAX_WRONG_KEYS):
        assert _waits(throttle, "10.0.0.1")
    clock.now += INITIAL_WAIT

    assert _waits(throttle, "10.0.0.1") is None


def test_when_many_addresses_guess_each_has_one_try(throttle):
    for number in range(MAX_WRONG_KEYS_IN_TOTAL // 2):
        _guess(throttle, f"10.0.1.{number}", times=2)
    throttle.record_wrong_key("10.0.2.1")

    assert _waits(throttle, "10.0.2.1") == INITIAL_WAIT


def test_neighbours_in_one_network_of_ipv6_count_as_one(throttle):
    for number in range(MAX_WRONG_KEYS):
        throttle.record_wrong_key(f"2001:db8:1:2::{number:x}")

    assert _waits(throttle, "2001:db8:1:2:ffff::1") == INITIAL_WAIT
    assert _waits(throttle, "2001:db8:1:3::1") == INITIAL_WAIT
    assert _waits(throttle, "2001:db8:2:2::1") is None


def test_all_6to4_networks_of_an_ipv4_address_count_as_that_address(throttle):
    for number in range(MAX_WRONG_KEYS):
        throttle.record_wrong_key(f"2002:a00:1:{number:x}::1")

    assert _waits(throttle, "10.0.0.1") == INITIAL_WAIT
    assert _waits(throttle, "2002:a00:2::1") is None


def test_an_address_written_as_ipv6_is_the_same(throttle):
    _guess(throttle, "::ffff:10.0.0.1")

    assert _waits(throttle, "10.0.0.1") == INITIAL_WAIT


def test_no_more_than_a_bounded_number_of_addresses_is_remembered(throttle):
    for number in range(MAX_ADDRESSES + 500):
        _waits(throttle, f"10.{number // 65536}.{number // 256 % 256}.{number % 256}")

    assert len(throttle._addresses) == MAX_ADDRESSES


async def test_a_client_that_guesses_keys_gets_retry_after(service, stranger, caller, caplog):
    caplog.set_level(logging.WARNING)
    await caller.get("/v1/flows")

    guesses = [
        await stranger.get("/v1/flows", headers={"x-api-token": "0" * 96}) for _ in range(MAX_WRONG_KEYS + 2)
    ]
    fresh = (await service.runtime.backend.create_api_key("New")).value
    new_there = await stranger.get("/v1/flows", headers={"x-api-token": fresh})
    used_before = await caller.get("/v1/flows")

    assert [answer.status_code for answer in guesses] == [401] * MAX_WRONG_KEYS + [429] * 2
    assert 0 < int(guesses[-1].headers["retry-after"]) <= INITIAL_WAIT
    assert "Too many invalid keys" in guesses[-1].json()["errors"]["general"][0]
    assert (new_there.status_code, used_before.status_code) == (200, 200)
    assert "invalid keys from 127.0.0.1" in caplog.text
    assert "0" * 96 not in caplog.text


async def test_the_local_token_works_while_others_guess_keys(runtime):
    keys = ApiKeysWithToken(runtime.backend.api_keys, runtime.clock)
    app = create_app(runtime.backend, runtime.engine, keys, version="1")
    async with patient.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        for _ in range(MAX_WRONG_KEYS):
            await client.get("/v1/flows", headers={"x-api-token": "wrong"})

        record_wrong_key = await client.get("/v1/flows", headers={"x-api-token": "wrong"})
        attached = await client.get("/v1/flows", headers={"x-api-token": keys.token})

    assert (record_wrong_key.status_code, attached.status_code) == (429, 200)


async def test_a_request_without_a_key_is_no_guess(stranger, service):
    for _ in range(MAX_WRONG_KEYS + 2):
        assert (await stranger.get("/v1/flows")).status_code == 401

    answer = await stranger.get("/v1/flows", headers={"x-api-token": service.key})

    assert isinstance(answer, httpx.Response)
    assert answer.status_code == 200
