"""Triggers that listen: a sign of the service is followed by a poll at once; failing leaves polling alone."""

import pytest
from tests.support.engine_house import House
from tests.support.toy_apps import flow, late, too_many, wrong_key

from patchbay.domain.errors import NotSupported
from patchbay.engine.starts import watches

QUARTER = 15 * 60_000
ECHO = ("echo", {"say": "{{step.f1-0.text}}"})


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watches, "FIRST_DELAY_SECONDS", 0.01)
    monkeypatch.setattr(watches, "MAX_DELAY_SECONDS", 0.02)


def polls(house: House) -> int:
    return house.toy.calls.count("poll")


async def listening(house: House) -> None:
    """Publish a watched flow and wait until it listens and has looked once."""
    await house.publish(flow("watched", ECHO))
    await house.until(lambda: house.toy.listening == 1 and polls(house) == 2)
    await house.settle()


async def test_what_arrived_before_the_watch_listened_is_found_by_a_poll_when_it_does(house: House):
    state = await house.engine.baseline(flow("watched", ECHO))
    house.toy.items = [("1", "one")]

    await house.shelf.publish(flow("watched", ECHO), 15, state)
    house.engine.triggers_changed()

    assert (await house.one()).step(0).data_out == {"text": "one"}


async def test_a_sign_starts_a_poll_at_once_and_the_new_item_runs(house: House):
    await listening(house)
    house.toy.items = [("1", "one")]

    house.toy.signs.put_nowait(None)

    assert (await house.one()).step(0).data_out == {"text": "one"}


async def test_signs_during_a_poll_lead_to_one_more_poll(house: House):
    await listening(house)

    for _ in range(5):
        house.toy.signs.put_nowait(None)

    await house.until(lambda: house.toy.signs.empty())
    await house.settle()
    assert 3 <= polls(house) <= 4


async def test_the_interval_goes_on_beside_the_watch(house: House):
    await listening(house)
    house.toy.items = [("1", "one")]

    await house.pass_time(QUARTER)

    assert (await house.one()).step(0).data_out == {"text": "one"}


async def test_a_watch_that_breaks_off_listens_again_and_makes_no_execution(house: House):
    await listening(house)

    house.toy.signs.put_nowait(late())

    await house.until(lambda: house.toy.calls.count("watch") == 2 and house.toy.listening == 1)
    assert await house.all() == []


async def test_a_service_that_cannot_tell_is_polled_only(house: House):
    await listening(house)

    house.toy.signs.put_nowait(NotSupported("It cannot.", feature="watch"))

    await house.until(lambda: house.toy.listening == 0)
    await house.settle()
    assert house.toy.calls.count("watch") == 1
    house.toy.items = [("1", "one")]
    await house.pass_time(QUARTER)
    assert (await house.one()).step(0).data_out == {"text": "one"}


async def test_a_refused_sign_in_is_not_tried_again_before_a_poll_worked(house: House):
    await house.publish(flow("watched", ECHO))
    await house.until(lambda: house.toy.listening == 1 and polls(house) == 2)

    house.toy.signs.put_nowait(wrong_key())
    await house.until(lambda: house.toy.listening == 0)
    await house.settle()
    refused = house.toy.calls.count("watch")
    await house.pass_time(QUARTER)

    assert refused == 1
    await house.until(lambda: house.toy.listening == 1)


async def test_a_service_that_asked_to_wait_is_left_alone_in_spite_of_signs(house: House):
    await listening(house)
    house.toy.refusal = too_many(600)
    house.toy.signs.put_nowait(None)
    await house.until(lambda: polls(house) == 3)
    await house.settle()

    house.toy.signs.put_nowait(None)

    await house.until(lambda: house.toy.signs.empty())
    await house.settle()
    assert polls(house) == 3


async def test_unpublishing_ends_the_watch(house: House):
    await listening(house)

    await house.shelf.unpublish("f1")
    house.engine.triggers_changed()

    await house.until(lambda: house.toy.listening == 0)


async def test_stopping_ends_the_watch_before_it_returns(house: House):
    await listening(house)

    await house.engine.stop()

    assert house.toy.listening == 0


async def test_another_reading_of_the_triggers_leaves_the_watch_alone(house: House):
    await listening(house)

    house.engine.triggers_changed()
    await house.settle()

    assert (house.toy.calls.count("watch"), house.toy.listening) == (1, 1)


async def test_no_more_than_the_limit_listen_and_the_others_are_polled(house: House, monkeypatch):
    monkeypatch.setattr(watches, "MAX_WATCHES", 2)
    for number in range(3):
        await house.publish(flow("watched", flow_id=f"f{number}"))

    await house.until(lambda: house.toy.listening == 2)
    await house.settle()

    assert house.toy.calls.count("watch") == 2
