"""Accepts and runs events until it is killed: `python -m tests.support.kill_child DB MARKS FIRST`.

It tells on standard output which events were acknowledged. Its action appends a line to MARKS at every call,
so that repeats are seen from outside the database.
"""

import asyncio
import os
import sys
from pathlib import Path

from tests.support.toy_apps import flow

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import AppKey
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import WebhookRequest
from patchbay.engine.engine import Engine
from patchbay.integration.context import Context
from patchbay.integration.contract import Action, App, OnInterrupted, Trigger
from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore

CALLERS = 8
STEPS = 3


class Marker:
    """An app whose action leaves a line in a file each time it is called."""

    def __init__(self, marks: Path) -> None:
        self._marks = os.open(marks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._app = App(
            name="Toy",
            key="toy",
            triggers=(Trigger(key="hook", name="Hook", kind=TriggerKind.WEBHOOK),),
            actions=(Action(key="mark", name="Mark", run=self._mark, on_interrupted=OnInterrupted.REPEAT),),
        )

    def all(self) -> tuple[App, ...]:
        return (self._app,)

    def get(self, key: AppKey) -> App:
        return self._app

    async def _mark(self, ctx: Context) -> None:
        os.write(self._marks, f"{ctx.parameters['event']} {ctx.parameters['step']}\n".encode())
        await asyncio.sleep(0)
        ctx.set_action_item({"marked": True})


class NoCredentials:
    """Nothing here needs a connection."""

    async def load(self, connection_id: str) -> dict[str, object]:
        raise AssertionError(connection_id)

    save = mark_invalid = load


def marking_flow() -> FlowVersion:
    steps = (("mark", {"event": "{{step.f1-0.body.n}}", "step": str(step)}) for step in range(1, STEPS + 1))
    return flow("hook", *steps)


def engine_over(db: Database, marks: Path) -> Engine:
    return Engine(SqlEngineStore(db), Marker(marks), NoCredentials(), time_zone="UTC")  # type: ignore[arg-type]


async def call(engine: Engine, number: int) -> None:
    request = WebhookRequest(method="POST", headers={}, query={}, body={"n": str(number)})
    await engine.deliver("f1", request, synchronous=False)
    os.write(1, f"{number}\n".encode())


async def main(database: Path, marks: Path, first: int) -> None:
    engine = engine_over(await Database.open(database), marks)
    await engine.start()

    async def caller(offset: int) -> None:
        number = first + offset
        while True:
            await call(engine, number)
            number += CALLERS

    await asyncio.gather(*map(caller, range(CALLERS)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
