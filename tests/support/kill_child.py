"""A service that is killed: `python -m tests.support.kill_child DB MARKS`.

For each line on standard input a fresh process serves the webhooks of the flows in DB, over a real socket,
and tells its process id and address on standard output; the one before it must be dead then. Its actions
append a line to MARKS at every call, so that repeats are seen from outside the database.
"""

import asyncio
import gc
import os
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from fastapi import FastAPI
from tests.support.toy_apps import EVENTS, flow, tree

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import AppKey
from patchbay.domain.engine import RateLimit
from patchbay.domain.errors import Unreachable
from patchbay.domain.flows import FlowVersion, StructuralType
from patchbay.engine.engine import Engine
from patchbay.integration.app_definition import Action, App, OnInterrupted, Trigger
from patchbay.integration.context import Context
from patchbay.server import webhooks
from patchbay.server.listener import HttpListener
from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore

ASKS, TRIES, WAITS, LOOPS, CALLS, CALLED = (f"00000000-0000-4000-8000-{number:012}" for number in range(1, 7))
HOOKS = ASKS, TRIES, WAITS, LOOPS, CALLS
"""The flows that are started by webhook."""
ASKED = 1.9
"""The place of the step in `ASKS` that is never called twice."""


class Marker:
    """An app whose actions leave a line in a file each time they are called; `well`: none of them fails."""

    def __init__(self, marks: Path, *, well: bool = False) -> None:
        self._well = well
        self._marks = os.open(marks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        repeat, ask = OnInterrupted.REPEAT, OnInterrupted.ASK
        self._app = App(
            name="Toy",
            key="toy",
            triggers=(Trigger(key="hook", name="Hook", kind=TriggerKind.WEBHOOK),),
            actions=(
                Action(key="mark", name="Mark", run=self._mark, on_interrupted=repeat),
                Action(key="ask", name="Ask", run=self._mark, on_interrupted=ask),
                Action(key="flaky", name="Flaky", run=self._flaky, on_interrupted=repeat),
                Action(key="delay", name="Delay", run=self._delay, on_interrupted=repeat),
            ),
        )

    def all(self) -> tuple[App, ...]:
        return self._app, EVENTS

    def rate_limits(self) -> dict[AppKey, RateLimit]:
        return {app.app_key: app.rate_limit for app in self.all() if app.rate_limit is not None}

    def get(self, key: AppKey) -> App:
        return next(app for app in self.all() if app.key == key)

    async def _mark(self, ctx: Context) -> None:
        os.write(self._marks, f"{ctx.parameters['event']} {ctx.parameters['place']}\n".encode())
        await asyncio.sleep(random.choice([0, 0, 0.002, 0.02]))
        ctx.set_action_item({"marked": True})

    async def _flaky(self, ctx: Context) -> None:
        if not self._well and random.random() < 0.15:
            raise Unreachable("Nobody answers.")
        await self._mark(ctx)

    async def _delay(self, ctx: Context) -> None:
        ctx.set_action_item({})
        ctx.park(ctx.now + 300)


class NoCredentials:
    """Nothing here needs a connection."""

    async def load(self, connection_id: str) -> dict[str, Any]:
        raise AssertionError(connection_id)

    save = mark_invalid = load


def value(flow_id: str, step: int, path: str) -> str:
    """The reference to a value of a step of this flow."""
    return "{{step." + f"{flow_id}-{step}.{path}" + "}}"


def mark(flow_id: str, place: str, event: str | None = None) -> tuple[str, dict[str, Any]]:
    return "mark", {"event": event or value(flow_id, 0, "body.n"), "place": place}


def flows() -> list[FlowVersion]:
    """One that asks, one that is tried again, one that waits, one with a loop, one that calls another."""
    asks = flow("hook", mark(ASKS, "1"), ("ask", mark(ASKS, str(ASKED))[1]), mark(ASKS, "3"), flow_id=ASKS)
    tries = flow(
        "hook",
        ("flaky", mark(TRIES, "1")[1]),
        mark(TRIES, "2"),
        flow_id=TRIES,
        policy={"attempts": 20, "first_pause_seconds": 1},
    )
    waits = flow("hook", mark(WAITS, "1"), "delay", mark(WAITS, "2"), flow_id=WAITS)
    number = "1." + value(LOOPS, 1, "number")
    loops = tree(
        flow("hook", "mark", mark(LOOPS, number), mark(LOOPS, "2"), flow_id=LOOPS),
        (1, StructuralType.EACH, None, {"parameters": {"list": value(LOOPS, 0, "body.list")}}),
        (2, StructuralType.SINGLE, 1, {}),
    )
    item = {"flow": CALLED, "item": {"n": value(CALLS, 0, "body.n")}}
    calls = flow("hook", mark(CALLS, "1"), ("callFlow", item), mark(CALLS, "3"), flow_id=CALLS)
    called = flow("called", mark(CALLED, "2", value(CALLED, 0, "n")), "answer", flow_id=CALLED)
    return [asks, tries, waits, loops, calls, called]


def engine_over(db: Database, marks: Path, *, well: bool = False) -> Engine:
    credentials = cast("Any", NoCredentials())
    return Engine(SqlEngineStore(db), Marker(marks, well=well), credentials, time_zone="UTC")


async def serve(database: Path, marks: Path) -> None:
    engine = engine_over(await Database.open(database), marks)
    await engine.start()
    app = FastAPI()
    app.router.routes.extend(webhooks.routes(engine))
    app.state.events = SimpleNamespace(close=lambda: None)
    address = await HttpListener(app, "127.0.0.1", 0).start()
    os.write(1, f"{os.getpid()} {address}\n".encode())
    await asyncio.Event().wait()


def main(database: Path, marks: Path) -> None:
    gc.freeze()
    child = 0
    while os.read(0, 1):
        if child:
            os.waitpid(child, 0)
        child = os.fork()
        if not child:
            random.seed()
            asyncio.run(serve(database, marks))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
