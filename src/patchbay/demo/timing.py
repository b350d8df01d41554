"""Times in the demo: of new items at polled services, and of past runs (rhythms, schedules, outages)."""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate

from patchbay.demo.blueprint import Blueprint, FlowPlan, Outage, Schedule
from patchbay.domain.base import EpochMs
from patchbay.domain.clock import DAY_MS, HOUR_MS

SLOT_MS = 25 * 60_000
"""Each polled service has one new item in this time."""
_SLOTS_SHOWN = 3
_THURSDAY = 3
"""The weekday of 1970-01-01, counted from Monday as 0."""

_OFFICE = (1, 1, 1, 1, 1, 2, 6, 20, 55, 80, 90, 85, 60, 70, 90, 85, 75, 55, 28, 14, 8, 5, 3, 2)
_EVENING = (6, 3, 2, 1, 1, 2, 5, 12, 20, 24, 26, 28, 34, 30, 28, 30, 36, 48, 66, 84, 90, 70, 40, 16)
_ALWAYS = (30, 26, 24, 24, 26, 30, 38, 48, 58, 64, 66, 68, 66, 66, 68, 66, 64, 60, 56, 54, 52, 48, 42, 36)
_HOURS = {"office": _OFFICE, "evening": _EVENING, "always": _ALWAYS}
_WEEKEND = {"office": 0.12, "evening": 1.25, "always": 0.8}
_BURST = 9.0
_GROWTH = 0.7
"""How much busier the last day is than the first."""


def slots(now: EpochMs) -> list[int]:
    """The numbers of the newest items of every polled service, newest first."""
    return [now // SLOT_MS - age for age in range(_SLOTS_SHOWN)]


def format_iso(at: EpochMs) -> str:
    """Format a time as services do."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def weekday(at: EpochMs) -> int:
    """The day of the week in UTC: 0 is Monday."""
    return (at // DAY_MS + _THURSDAY) % 7


def schedule_times(schedule: Schedule, start: EpochMs, end: EpochMs) -> Iterator[EpochMs]:
    """Every start of a schedule in [start, end)."""
    step = schedule.minutes * 60_000 if schedule.minutes else DAY_MS
    offset = 0 if schedule.minutes else (schedule.hour or 0) * HOUR_MS
    first = -(-(start - offset) // step) * step + offset
    for at in range(first, end, step):
        if schedule.weekday is None or weekday(at) == schedule.weekday:
            yield at


def pick_run_times(
    rng: random.Random, plan: FlowPlan, workspace_plan: Blueprint, end: EpochMs, count: int
) -> list[EpochMs]:
    """Pick `count` random run times of a flow in the days before `end`, weighted by its rhythm."""
    start = end - workspace_plan.days * DAY_MS
    hours = range(start, end - HOUR_MS + 1, HOUR_MS)
    weights = [_hour_weight(at, start, end, plan, workspace_plan.outages) for at in hours]
    chosen = rng.choices(hours, cum_weights=list(accumulate(weights)), k=count)
    return [at + int(rng.random() * HOUR_MS) for at in chosen]


def _hour_weight(
    at: EpochMs, start: EpochMs, end: EpochMs, plan: FlowPlan, outages: Sequence[Outage]
) -> float:
    weight = _HOURS[plan.rhythm][at // HOUR_MS % 24] * (1 + _GROWTH * (at - start) / (end - start))
    if weekday(at) > 4:
        weight *= _WEEKEND[plan.rhythm]
    if plan.burst and any(
        outage_start(item, end) - HOUR_MS < at < outage_start(item, end) + item.hours * HOUR_MS
        for item in outages
    ):
        weight *= _BURST
    return weight


def outage_start(outage: Outage, now: EpochMs) -> EpochMs:
    """When an outage began, in milliseconds."""
    return now - int(outage.days_ago * DAY_MS)


def outage_at(outages: Sequence[Outage], plan: FlowPlan, at: EpochMs, now: EpochMs) -> tuple[int, str] | None:
    """The position of the step that fails because of an outage at that time, and the failure."""
    for outage in outages:
        start = outage_start(outage, now)
        if start <= at < start + outage.hours * HOUR_MS:
            position = plan.outage_step(outage.app)
            if position is not None:
                return position, outage.failure
    return None
