"""Waiting for work that can't be stopped in the middle."""

import asyncio
from typing import Any


async def wait_despite_cancelling(work: asyncio.Future[Any]) -> bool:
    """Wait for work that can't be stopped, and return whether the waiting task was cancelled meanwhile.

    If so, the caller then ends what was done, and raises `asyncio.CancelledError`. Only the end of the event
    loop cuts it short, for tasks but not for futures: a loop that closes cancels all tasks.
    """
    was_cancelled = False
    while not work.done():
        try:
            await asyncio.wait((work,))
        except asyncio.CancelledError:
            was_cancelled = True
    return was_cancelled
