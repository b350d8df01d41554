"""“Continue only once” of the app Filter, without an engine."""

from typing import Any

import pytest
from tests.support.app_calls import NOON, act, built_in_action, context

from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import is_visible
from patchbay.integration.context import ExitRun, InMemoryDatastore

HOUR = 3_600_000
HOURLY = {"key": "order-7", "periodUnit": "hours", "periodValue": "1"}
FOREVER = {"key": "order-7", "periodUnit": "forever"}


async def once(store, parameters, run="run-1", at=NOON, **more):
    given = {"datastore": store, "idempotency_key": run, "now": at, "time_zone": "Europe/Berlin"}
    return await act("filter", "continueOnlyOnce", parameters, **given | more)


async def test_the_first_run_continues_and_the_next_one_says_why_it_does_not():
    store = InMemoryDatastore()

    output = await once(store, HOURLY)
    with pytest.raises(ExitRun) as caught:
        await once(store, HOURLY, run="run-2", at=NOON + 1)

    assert output == {"key": "order-7", "passedAt": "2026-03-02T13:00:00+01:00"}
    assert caught.value.reason == (
        "Stopped because the key “order-7” passed on 2026-03-02 at 13:00:00"
        " and can pass again on 2026-03-02 at 14:00:00."
    )


async def test_a_key_that_passes_only_once_never_passes_again():
    store = InMemoryDatastore()
    await once(store, FOREVER)

    with pytest.raises(ExitRun, match=r"“order-7” passed on 2026-03-02 at 13:00:00 and passes only once\.$"):
        await once(store, FOREVER, run="run-2", at=NOON + 10**12)


@pytest.mark.parametrize(
    ("unit", "length"),
    [("minutes", HOUR // 60), ("hours", HOUR), ("days", 24 * HOUR), ("weeks", 7 * 24 * HOUR)],
)
async def test_a_key_passes_again_once_its_period_is_over(unit, length):
    store, twice = InMemoryDatastore(), {"key": "a", "periodUnit": unit, "periodValue": "2"}
    await once(store, twice)

    with pytest.raises(ExitRun):
        await once(store, twice, run="run-2", at=NOON + 2 * length - 1)
    assert (await once(store, twice, run="run-3", at=NOON + 2 * length))["key"] == "a"


async def test_the_same_step_of_the_same_run_passes_again():
    store = InMemoryDatastore()
    await once(store, HOURLY)

    assert (await once(store, HOURLY, at=NOON + 5))["key"] == "order-7"


async def test_other_keys_pass():
    store = InMemoryDatastore()

    for key in ("a", "A", "a b", {"id": 1}, 5, "5.0"):
        assert await once(store, {**FOREVER, "key": key}, run=f"run of {key}")
    with pytest.raises(ExitRun):
        await once(store, {**FOREVER, "key": " a "}, run="another")


async def test_long_keys_are_told_apart_and_shortened_in_the_reason():
    store, long_key = InMemoryDatastore(), "https://example.com/" + "x" * 400
    await once(store, {**FOREVER, "key": long_key})
    await once(store, {**FOREVER, "key": f"{long_key}y"}, run="run-2")

    with pytest.raises(ExitRun, match="x…” passed on") as caught:
        await once(store, {**FOREVER, "key": long_key}, run="run-3")

    assert len(caught.value.reason) < 200
    assert max(map(len, store.passed)) < 255


async def test_a_test_always_continues_uses_up_nothing_and_says_what_a_run_would_do():
    store = InMemoryDatastore()
    fresh = context("filter", HOURLY, datastore=store, test=True)
    await built_in_action("filter", "continueOnlyOnce").run(fresh)
    assert store.passed == {}

    await once(store, HOURLY)
    known: Any = context("filter", HOURLY, datastore=store, test=True, idempotency_key="test")
    await built_in_action("filter", "continueOnlyOnce").run(known)

    assert (fresh.warnings, len(known.warnings)) == ([], 1)
    assert known.warnings[0].startswith("A run would stop here: the key “order-7” passed on")
    assert known.action_output["key"] == "order-7"


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"key": "", "periodUnit": "forever"}, "key"),
        ({"key": "  ", "periodUnit": "forever"}, "key"),
        ({"key": None, "periodUnit": "forever"}, "key"),
        ({"key": "a", "periodUnit": "years", "periodValue": "1"}, "periodUnit"),
        ({"key": "a", "periodUnit": "days", "periodValue": "soon"}, "periodValue"),
        ({"key": "a", "periodUnit": "days"}, "periodValue"),
        ({"key": "a", "periodUnit": "days", "periodValue": "0"}, "periodValue"),
        ({"key": "a", "periodUnit": "days", "periodValue": "-1"}, "periodValue"),
        ({"key": "a", "periodUnit": "weeks", "periodValue": "1e99"}, "periodValue"),
    ],
)
async def test_what_can_not_be_used_is_named(parameters, field):
    with pytest.raises(ValidationFailed) as caught:
        await once(InMemoryDatastore(), parameters)

    assert list(caught.value.by_field) == [field]


def test_the_number_is_asked_for_only_with_a_unit():
    number = next(
        item for item in built_in_action("filter", "continueOnlyOnce").arguments if item.key == "periodValue"
    )

    assert is_visible(number, {"periodUnit": "hours"})
    assert not is_visible(number, {"periodUnit": "forever"})


async def test_a_key_with_half_a_surrogate_pair_can_be_stored():
    store = InMemoryDatastore()

    await once(store, {"key": "a\ud83d", "periodUnit": "forever"})

    assert list(store.passed) == ["a\\ud83d"]
