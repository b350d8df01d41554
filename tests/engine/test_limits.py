"""Rate limits: how many may start, in which order, and what a hold does."""

from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from patchbay.domain.base import AppKey
from patchbay.domain.engine import RateLimit
from patchbay.engine.runs.rate_limits import RateLimiter, app_hold_key, host_hold_key

APP = AppKey("app")


@dataclass
class Now:
    """A clock that is moved."""

    seconds: float = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def limits(*, connections=None, apps=None):
    now = Now()
    made = RateLimiter(now)
    made.configure(connections or {}, apps or {})
    return made, now


def test_without_a_limit_all_runs_start_at_once():
    made, _ = limits()

    assert [made.acquire("c", "app", str(number)) for number in range(1000)] == [0.0] * 1000


def test_as_many_go_at_once_as_the_limit_has_calls_and_the_next_when_the_first_is_over():
    made, now = limits(connections={"c": RateLimit(calls=3, seconds=10)})

    assert [made.acquire("c", None, ticket) for ticket in "abcd"] == [0, 0, 0, 10]

    now.seconds += 10
    assert made.acquire("c", None, "d") == 0


def test_runs_start_in_the_order_of_their_requests():
    made, now = limits(connections={"c": RateLimit(calls=1, seconds=1)})
    made.acquire("c", None, "first")
    pauses = {ticket: made.acquire("c", None, ticket) for ticket in ("second", "third", "fourth")}
    now.seconds += 1

    late = made.acquire("c", None, "a newcomer")

    assert pauses == {"second": 1, "third": 2, "fourth": 3}
    assert late > 1
    assert made.acquire("c", None, "third") > 0
    assert made.acquire("c", None, "second") == 0


def test_a_place_that_is_not_taken_up_in_time_goes_to_the_next_one():
    made, now = limits(connections={"c": RateLimit(calls=1, seconds=1)})
    made.acquire("c", None, "first")
    made.acquire("c", None, "gone")
    made.acquire("c", None, "third")
    now.seconds += 5

    assert made.acquire("c", None, "third") == 0


def test_a_dropped_reservation_delays_no_run():
    made, now = limits(connections={"c": RateLimit(calls=1, seconds=1)})
    made.acquire("c", None, "first")
    made.acquire("c", None, "cancelled")
    made.acquire("c", None, "third")
    made.discard("cancelled")
    now.seconds += 1

    assert made.acquire("c", None, "third") == 0


def test_the_limits_of_connection_and_app_both_hold():
    made, now = limits(
        connections={"c": RateLimit(calls=2, seconds=1)}, apps={"app": RateLimit(calls=3, seconds=10)}
    )

    assert [made.acquire("c", "app") for _ in range(3)] == [0, 0, 1]
    assert made.acquire("d", "app") == 0
    assert made.acquire("d", "app") == 10

    now.seconds += 1
    assert made.acquire("c", "app") == 9


def test_who_waits_for_a_slow_connection_does_not_stand_in_the_way_of_others_at_the_app():
    made, _ = limits(
        connections={"slow": RateLimit(calls=1, seconds=3600)}, apps={"app": RateLimit(calls=5, seconds=1)}
    )
    made.acquire("slow", "app", "first")
    for number in range(50):
        made.acquire("slow", "app", f"waits {number}")

    assert [made.acquire("other", "app", str(number)) for number in range(4)] == [0, 0, 0, 0]


def test_a_hold_stops_the_whole_connection_and_lets_it_go_one_after_the_other():
    made, now = limits()
    made.hold("c", 30, "Service")

    assert made.acquire("c", "app", "a") == 30
    assert made.acquire("c", "app", "b") > 30
    assert made.acquire("other", "app", "c") == 0

    now.seconds += 30
    assert made.acquire("c", "app", "a") == 0


def test_a_shorter_hold_does_not_end_a_longer_one():
    made, _ = limits()
    made.hold("c", 30, "Service")
    made.hold("c", 1, "Service")

    assert made.acquire("c", None) == 30


def test_a_hold_of_an_app_stops_steps_without_a_connection():
    made, _ = limits()
    made.hold(app_hold_key(APP, "ada"), 5, "App")

    assert made.acquire(None, "app", hold_key=app_hold_key(APP, "ada")) == 5
    assert made.acquire(None, "app", hold_key=app_hold_key(APP, "bob")) == 0


def test_a_hold_on_a_host_stops_only_calls_to_that_host():
    made, _ = limits()
    made.hold(host_hold_key("api.example.com", "ada"), 5, "api.example.com")

    assert made.acquire(None, "http-request", "a", host_hold_key("API.example.com", "ada")) == 5
    assert made.held_by(host_hold_key("api.example.com", "ada")) == "api.example.com"
    assert made.acquire(None, "http-request", "b", host_hold_key("other.example.com", "ada")) == 0
    assert made.acquire(None, "http-request", "b", host_hold_key("api.example.com", "bob")) == 0
    assert made.acquire("c", "http-request", "b") == 0


def test_releasing_a_run_releases_all_runs_with_the_same_hold():
    made, _ = limits()
    made.hold("c", 30, "Service", "refused")
    made.acquire("c", "app", "parked")

    assert made.release("a stranger") == ()
    assert made.release("parked") == ("refused", "parked")
    assert made.acquire("c", "app", "parked") == 0


def test_what_started_counts_under_a_new_limit_too():
    made, _ = limits(connections={"c": RateLimit(calls=5, seconds=10)})
    for _ in range(5):
        made.acquire("c", None)

    made.configure({"c": RateLimit(calls=6, seconds=10)}, {})

    assert [made.acquire("c", None), made.acquire("c", None)] == [0, 10]


def test_a_large_limit_takes_little_memory():
    made, now = limits(connections={"c": RateLimit(calls=100_000, seconds=3600)})
    for _ in range(100_000):
        now.seconds += 0.03
        assert made.acquire("c", None) == 0
    assert made.acquire("c", None) > 0

    assert len(made._connections["c"]._call_groups) <= 1_001


ARRIVALS = st.lists(st.floats(0, 5, allow_nan=False), min_size=1, max_size=60)


@settings(max_examples=200, deadline=None)
@given(gaps=ARRIVALS, calls=st.integers(1, 6), seconds=st.integers(1, 5), app_calls=st.integers(1, 6))
def test_no_window_has_more_starts_than_allowed_and_every_run_starts(gaps, calls, seconds, app_calls):
    limit, app_limit = RateLimit(calls=calls, seconds=seconds), RateLimit(calls=app_calls, seconds=2)
    made, now = limits(connections={"c": limit}, apps={"app": app_limit})
    arrivals, at = {}, now.seconds
    for number, gap in enumerate(gaps):
        at += gap
        arrivals[f"run {number}"] = at

    starts = _play(made, now, arrivals)

    times = [time for _, time in starts]
    assert [name for name, _ in starts] == sorted(arrivals, key=lambda name: int(name.split()[1]))
    for most, span in ((calls, seconds), (app_calls, 2)):
        assert all(later - first >= span - 1e-6 for first, later in zip(times, times[most:], strict=False))


def _play(made, now, arrivals):
    """Request a start for each run at its arrival and when it should retry; return who started when."""
    asks = dict(arrivals)
    starts: list[Any] = []
    for _ in range(100_000):
        if not asks:
            return starts
        name = min(asks, key=lambda each: (asks[each], int(each.split()[1])))
        now.seconds = asks[name]
        if pause := made.acquire("c", "app", name):
            asks[name] = now.seconds + pause
        else:
            starts.append((name, now.seconds))
            del asks[name]
    raise AssertionError("somebody waits for ever")
