"""Evaluates conditions without blocking the event loop: large values in a thread, patterns in a worker."""

import asyncio
from collections.abc import Awaitable, Callable

from patchbay.domain.base import EpochMs
from patchbay.domain.conditions import Groups, evaluate_groups, has_patterns
from patchbay.domain.json_limits import THREAD_THRESHOLD, size_of

Results = list[list[bool]]
Compute = Callable[[Callable[[Groups, EpochMs, str], Results], Groups, EpochMs, str], Awaitable[Results]]
"""Runs a function in a worker process, with limits, such as `Context.compute`."""


async def evaluate(groups: Groups, now: EpochMs, time_zone: str, compute: Compute) -> Results:
    """Whether each condition of each group matches.

    Raises `ValidationFailed` for a pattern that isn't valid or takes too long. All operators must exist.
    """
    if has_patterns(groups):
        return await compute(evaluate_groups, groups, now, time_zone)
    if size_of([[*group] for group in groups], THREAD_THRESHOLD) > THREAD_THRESHOLD:
        return await asyncio.to_thread(evaluate_groups, groups, now, time_zone)
    return evaluate_groups(groups, now, time_zone)
