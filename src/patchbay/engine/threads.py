"""Work on large data, which runs in a thread."""

import asyncio
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

from patchbay.domain.json_limits import THREAD_THRESHOLD

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


async def run_in_thread_if_large(size: int, work: Callable[[*Ts], T], *given: *Ts) -> T:
    """Return `work(*given)`, computed in a thread if it processes data of a large `size`."""
    if size <= THREAD_THRESHOLD:
        return work(*given)
    return await asyncio.to_thread(work, *given)
