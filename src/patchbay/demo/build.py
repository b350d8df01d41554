"""Builds the demo workspace in a fresh database."""

import asyncio
from collections.abc import Callable

from patchbay.demo.past import HistoryGenerator
from patchbay.demo.workspace import Seal, furnish
from patchbay.domain.base import EpochMs, UserId
from patchbay.storage.database import Database
from patchbay.storage.history import load_history

SEED = 2026

Progress = Callable[[int], None]


async def build_workspace(
    db: Database, now: EpochMs, seal: Seal, *, seed: int = SEED, progress: Progress | None = None
) -> UserId:
    """Everything: first what the lists show, then the history. Returns the owner.

    The same seed and moment give the same rows (but for the encryption of the credentials).
    """
    owner = await furnish(db, now, seal, seed)
    await store_history(db, now, seed=seed, progress=progress)
    return owner


async def store_history(
    db: Database, now: EpochMs, *, seed: int = SEED, progress: Progress | None = None
) -> int:
    """The history, newest first, so that the newest page is complete at once; how many executions.

    `progress` is told the number stored so far after each portion.
    """
    generator, stored = await asyncio.to_thread(HistoryGenerator, now, seed), 0
    batches = generator.batches()
    while rows := await asyncio.to_thread(next, batches, None):
        await load_history(db, *rows)
        stored += len(rows[0])
        if progress:
            progress(stored)
    return stored
