"""Processes that let a key pass: `python -m tests.support.only_once_child WORK DB …`.

`ask DB NAME` asks for one key of one flow, once a line arrives, and prints what the store answers.
`decide DB` runs the flow in DB and is killed as soon as its step “Continue only once” has decided.
`finish DB` runs what is left, sends the event a second time, and prints how all runs ended.
DB is a file, or the address of a PostgreSQL database, whose password is in PGPASSWORD.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from tests.support.engine_runtime import FLOW_1, MemoryCredentials, Shelf
from tests.support.patience import PATIENCE

from patchbay.domain.base import AppKey, EpochMs, FlowId, JsonObject, StepId
from patchbay.domain.engine_store import KeyPass
from patchbay.domain.flows import FlowVersion, Step, StepType
from patchbay.domain.ports import WebhookRequest
from patchbay.engine.engine import Engine
from patchbay.integration.registry import load_apps
from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore
from patchbay.storage.postgresql.address import PostgresAddress, parse_address

NOW: EpochMs = 1_790_000_000_000
KEY = "order-7"
REQUEST = WebhookRequest(method="POST", headers={}, query={}, body={"key": KEY})


def orders() -> FlowVersion:
    """Webhook, only once, and a step after it."""
    steps: tuple[tuple[str, str, JsonObject], ...] = (
        ("webhook", "catchRawWebhook", {}),
        ("filter", "continueOnlyOnce", {"key": "{{step.s0.body.key}}", "periodUnit": "forever"}),
        ("datastore", "setValue", {"key": "last", "value": "{{step.s0.body.key}}"}),
    )
    made = tuple(
        Step(
            id=StepId(f"s{number}"),
            type=StepType.ACTION if number else StepType.TRIGGER,
            app_key=AppKey(app),
            key=key,
            position=number + 1,
            parameters=dict(parameters),
        )
        for number, (app, key, parameters) in enumerate(steps)
    )
    return FlowVersion(flow_id=FLOW_1, number=1, name="Orders", steps=made, approved=True)


async def ask(database: Path | PostgresAddress, name: str) -> None:
    store = SqlEngineStore(await Database.open(database))
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    asking = [KeyPass(key=f"{KEY}-{n}", passed_by=name, at=NOW, period_ms=None) for n in range(20)]
    print(json.dumps([await store.pass_key(FLOW_1, one) for one in asking]), flush=True)


class DiesOnceDecided(SqlEngineStore):
    """A store whose process is killed between the decision and the outcome of the step."""

    async def pass_key(self, flow_id: FlowId, key: KeyPass) -> EpochMs | None:
        await super().pass_key(flow_id, key)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("killed")


async def decide(database: Path | PostgresAddress) -> None:
    shelf = await Shelf.open(database)
    await shelf.publish(orders(), 15, None)
    engine = Engine(DiesOnceDecided(shelf.db), load_apps(), MemoryCredentials(), time_zone="UTC")
    await engine.start()
    await engine.deliver(FLOW_1, REQUEST, synchronous=False)
    await asyncio.Event().wait()


async def finish(database: Path | PostgresAddress) -> None:
    shelf = await Shelf.open(database)
    engine = Engine(shelf.store, load_apps(), MemoryCredentials(), time_zone="UTC")
    await engine.start()
    await engine.deliver(FLOW_1, REQUEST, synchronous=False)
    async with asyncio.timeout(PATIENCE):
        while not all(one.state.finished for one in await shelf.all()):  # noqa: ASYNC110  only the store knows
            await asyncio.sleep(0.01)
    ended: list[Any] = [[one.state, len(one.steps)] for one in await shelf.all()]
    await engine.stop()
    await shelf.db.close()
    print(json.dumps(ended), flush=True)


WORK: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {"ask": ask, "decide": decide, "finish": finish}

if __name__ == "__main__":
    work, place, *more = sys.argv[1:]
    location = parse_address(place) if place.startswith("postgresql://") else Path(place)
    asyncio.run(WORK[work](location, *more))
