"""Triggers that listen: a sign of the service is followed by a poll at once; failing leaves polling alone."""

import pytest
from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.toy_apps import flow, late, too_many, wrong_key

from patchbay.domain.errors import NotSupported
from patchbay.engine.triggers import polling as watches

QUARTER = 15 * 60_000
ECHO = ("echo", {"say": "{{step.f1-0.text}}"})


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watches, "FIRST_DELAY_SECONDS", 0.01)
    monkeypatch.setattr(watches, "MAX_DELAY_SECONDS", 0.02)


def polls(runtime: EngineRuntime) -> int:
    return runtime.toy.calls.count("poll")


async def listening(runtime: EngineRuntime) -> None:
    """Publish a watched flow and wait until it listens and has looked once."""
    await runtime.publish(flow("watched", ECHO))
    await runtime.until(lambda: runtime.toy.listening == 1 and polls(runtime) == 2)
    await runtime.settle()


async def test_what_arrived_before_the_watch_listened_is_found_by_a_poll_when_it_does(runtime: EngineRuntime):
    state = await runtime.engine.initial_trigger_state(flow("watched", ECHO))
    runtime.toy.items = [("1", "one")]

    await runtime.shelf.publish(flow("watched", ECHO), 15, state)
    runtime.engine.triggers_changed()

    assert (await runtime.one()).step(0).data_out == {"text": "one"}


async def test_a_sign_starts_a_poll_at_once_and_the_new_item_runs(runtime: EngineRuntime):
    await listening(runtime)
    runtime.toy.items = [("1", "one")]

    runtime.toy.signs.put_nowait(None)

    assert (await runtime.one()).step(0).data_out == {"text": "one"}


async def test_signs_during_a_poll_lead_to_one_more_poll(runtime: EngineRuntime):
    await listening(runtime)

    for _ in range(5):
        runtime.toy.signs.put_nowait(None)

    await runtime.until(lambda: runtime.toy.signs.empty())
    await runtime.settle()
    assert 3 <= polls(runtime) <= 4


async def test_the_interval_continues_beside_the_watch(runtime: EngineRuntime):
    await listening(runtime)
    runtime.toy.items = [("1", "one")]

    await runtime.pass_time(QUARTER)

    assert (await runtime.one()).step(0).data_out == {"text": "one"}


async def test_a_watch_that_breaks_off_listens_again_and_makes_no_execution(runtime: EngineRuntime):
    await listening(runtime)

    runtime.toy.signs.put_nowait(late())

    await runtime.until(lambda: runtime.toy.calls.count("watch") == 2 and runtime.toy.listening == 1)
    assert await runtime.all() == []


async def test_a_service_that_cannot_tell_is_polled_only(runtime: EngineRuntime):
    await listening(runtime)

    runtime.toy.signs.put_nowait(NotSupported("It cannot.", feature="watch"))

    await runtime.until(lambda: runtime.toy.listening == 0)
    await runtime.settle()
    assert runtime.toy.calls.count("watch") == 1
    runtime.toy.items = [("1", "one")]
    await runtime.pass_time(QUARTER)
    assert (await runtime.one()).step(0).data_out == {"text": "one"}


async def test_a_refused_sign_in_is_not_tried_again_before_a_poll_worked(runtime: EngineRuntime):
    await runtime.publish(flow("watched", ECHO))
    await runtime.until(lambda: runtime.toy.listening == 1 and polls(runtime) == 2)

    runtime.toy.signs.put_nowait(wrong_key())
    await runtime.until(lambda: runtime.toy.listening == 0)
    await runtime.settle()
    refused = runtime.toy.calls.count("watch")
    await runtime.pass_time(QUARTER)

    assert refused == 1
    await runtime.until(lambda: runtime.toy.listening == 1)


async def test_a_service_that_asked_to_wait_is_left_alone_in_spite_of_signs(runtime: EngineRuntime):
    await listening(runtime)
    runtime.toy.refusal = too_many(600)
    runtime.toy.signs.put_nowait(None)
    await runtime.until(lambda: polls(runtime) == 3)
    await runtime.settle()

    runtime.toy.signs.put_nowait(None)

    await runtime.until(lambda: runtime.toy.signs.empty())
    await runtime.settle()
    assert polls(runtime) == 3


async def test_unpublishing_ends_the_watch(runtime: EngineRuntime):
    await listening(runtime)

    await runtime.shelf.unpublish(FLOW_1)
    runtime.engine.triggers_changed()

    await runtime.until(lambda: runtime.toy.listening == 0)
    await runtime.settle()
    assert (runtime.toy.listening, runtime.toy.calls.count("watch")) == (0, 1)


async def test_stopping_ends_the_watch_before_it_returns(runtime: EngineRuntime):
    await listening(runtime)

    await runtime.engine.stop()

    assert runtime.toy.listening == 0


async def test_another_reading_of_the_triggers_leaves_the_watch_alone(runtime: EngineRuntime):
    await listening(runtime)

    runtime.engine.triggers_changed()
    await runtime.settle()

    assert (runtime.toy.calls.count("watch"), runtime.toy.listening) == (1, 1)


async def test_no_more_than_the_limit_listen_and_the_others_are_polled(runtime: EngineRuntime, monkeypatch):
    monkeypatch.setattr(watches, "MAX_WATCHES", 2)
    for number in range(3):
        await runtime.publish(flow("watched", flow_id=f"f{number}"))

    await runtime.until(lambda: runtime.toy.listening == 2)
    await runtime.settle()

    assert runtime.toy.calls.count("watch") == 2
