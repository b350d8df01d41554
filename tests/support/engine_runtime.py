"""An engine over a real database, with a clock the test moves."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update
from tests.support.patience import PATIENCE
from tests.support.toy_apps import Toy

from patchbay.domain.base import ConnectionId, EpochMs, ExecutionId, FlowId, Json, JsonObject, UserId
from patchbay.domain.changes import Change
from patchbay.domain.engine_store import EngineStore, TriggerState
from patchbay.domain.errors import NotFound, StorageFault
from patchbay.domain.executions import Execution, ExecutionState, StepState
from patchbay.domain.flows import Flow, FlowSettings, FlowVersion
from patchbay.domain.ports import WebhookRequest
from patchbay.domain.trigger_sources import FIRST_SOURCE
from patchbay.engine.engine import Engine
from patchbay.storage import executions
from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore
from patchbay.storage.repositories import flow_versions, flows
from patchbay.storage.tables import execution
from patchbay.storage.tables import flow as flow_table
from patchbay.storage.tables import user as user_table

if TYPE_CHECKING:
    from patchbay.storage.postgresql.address import PostgresAddress

NOON = 1_790_000_000_000
OWNER = UserId("00000000-0000-4000-8000-000000000001")
FLOW_1 = FlowId("f1")
FLOW_2 = FlowId("f2")


@dataclass
class Clock:
    """A clock that only moves when a test moves it."""

    now: EpochMs = NOON

    def __call__(self) -> EpochMs:
        return self.now


@dataclass
class SeenStep:
    """A stored attempt of a step."""

    seq: int
    attempt: int
    status: StepState
    data_in: Any
    data_out: Any
    error: Any
    warnings: tuple[str, ...] = ()
    path: str | None = None
    step_id: str = ""


@dataclass
class Seen:
    """A stored execution with its steps."""

    id: ExecutionId
    state: ExecutionState
    note: str | None
    wake_at: EpochMs | None
    test_run: bool
    steps: list[SeenStep]

    def step(self, seq: int) -> SeenStep:
        return [step for step in self.steps if step.seq == seq][-1]


class Shelf:
    """A workspace database, and changes that tests make to it without the engine."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.store: EngineStore = SqlEngineStore(db)

    @classmethod
    async def open(cls, location: "Path | PostgresAddress") -> "Shelf":
        shelf = cls(await Database.open(location))
        owner = {
            "id": OWNER,
            "full_name": "Owner",
            "email": "o@example.org",
            "created_at": 1,
            "updated_at": 1,
        }
        query = select(user_table.c.id)
        if not await shelf.db.read(lambda tx: tx.execute(query).first()):
            await shelf.db.write(lambda tx: tx.execute(insert(user_table).values(**owner)))
        return shelf

    async def publish(
        self, version: FlowVersion, interval: int, state: TriggerState | None, source: int | None = None
    ) -> None:
        await self._put(version)
        columns = {"active": True, "published_version": version.number, "execution_interval": interval}

        def go_live(tx: Any) -> None:
            flow_versions.add(tx, version)
            tx.execute(update(flow_table).where(flow_table.c.id == version.flow_id).values(**columns))
            if state is not None:
                flow_versions.reset_trigger_state(tx, state, source)

        await self.db.write(go_live)

    async def settle_flow(self, flow_id: FlowId, settings: FlowSettings) -> None:
        """Change the settings of a flow."""
        values = {"settings": settings.model_dump_json()}
        query = update(flow_table).where(flow_table.c.id == flow_id).values(**values)
        await self.db.write(lambda tx: tx.execute(query))

    async def pause_flow(self, flow_id: FlowId, now: EpochMs) -> None:
        await self.store.pause_flow(flow_id, "A person paused it.", now)

    async def resume_flow(self, flow_id: FlowId) -> None:
        values = {"paused_at": None, "paused_reason": None, "streak_from": None}
        query = update(flow_table).where(flow_table.c.id == flow_id).values(**values)
        await self.db.write(lambda tx: tx.execute(query))

    async def unpublish(self, flow_id: FlowId) -> None:
        query = update(flow_table).where(flow_table.c.id == flow_id).values(active=False)
        await self.db.write(lambda tx: tx.execute(query))

    async def draft(self, version: FlowVersion) -> None:
        await self._put(version)

    async def trigger(self, flow_id: FlowId) -> TriggerState:
        active = await self.store.active_triggers()
        return next(one.state for one in active if one.version.flow_id == flow_id)

    async def states(self) -> list[ExecutionState]:
        """The state of each execution."""
        query = select(execution.c.status)
        return await self.db.read(lambda tx: [ExecutionState(state) for state in tx.execute(query).scalars()])

    async def all(self) -> list[Seen]:
        def read(tx: Any) -> list[Seen]:
            ids = tx.execute(
                select(execution.c.id).order_by(execution.c.created_at, execution.c.id)
            ).scalars()
            return [self._seen(tx, key) for key in ids]

        return await self.db.read(read)

    def _seen(self, tx: Any, key: ExecutionId) -> Seen:
        one = executions.get_execution(tx, key)
        steps = [
            SeenStep(
                step.seq,
                step.attempt,
                step.status,
                step.data_in,
                step.data_out,
                step.error_details,
                step.warnings,
                step.path,
                step.step.id,
            )
            for step in executions.execution_steps(tx, key)
        ]
        steps.sort(key=lambda step: (step.seq, step.attempt))
        return Seen(key, one.state, one.note, one.wake_at, one.test_run, steps)

    async def _put(self, version: FlowVersion) -> None:
        query = select(flow_table.c.id).where(flow_table.c.id == version.flow_id)
        if await self.db.read(lambda tx: tx.execute(query).first()):
            return
        item = Flow(
            id=version.flow_id,
            name=version.name,
            user_id=OWNER,
            steps=version.steps,
            created_at=1,
            updated_at=1,
        )
        await self.db.write(lambda tx: flows.add(tx, item))


@dataclass
class MemoryCredentials:
    """Credentials in memory; records which were rejected."""

    data: dict[ConnectionId, JsonObject] = field(default_factory=dict)
    invalid: dict[ConnectionId, str] = field(default_factory=dict)
    secrets_of_webhooks: dict[FlowId, tuple[str, ...]] = field(default_factory=dict)

    async def load(self, connection_id: ConnectionId) -> dict[str, Any]:
        if connection_id not in self.data:
            raise NotFound("This connection doesn't exist any more.", todo="Choose another connection.")
        return dict(self.data[connection_id])

    async def save(self, connection_id: ConnectionId, data: dict[str, Any]) -> None:
        self.data[connection_id] = data

    async def replace(
        self, connection_id: ConnectionId, before: dict[str, Any], after: dict[str, Any]
    ) -> bool:
        if self.data.get(connection_id) != before:
            return False
        self.data[connection_id] = after
        return True

    async def webhook_secrets(self, flow_id: FlowId) -> tuple[str, ...]:
        return self.secrets_of_webhooks.get(flow_id, ())

    async def mark_invalid(self, connection_id: ConnectionId, reason: str) -> None:
        self.invalid[connection_id] = reason


class EngineRuntime:
    """An engine with a database, toy apps, and a clock that tests control."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.toy = Toy()
        self.clock = Clock()
        self.vault = MemoryCredentials()
        self.changes: list[Change] = []
        self._set_by = 0
        self.engine = self.new_engine()

    def monotonic(self) -> float:
        return (self.clock.now - self._set_by) / 1000

    def new_engine(self, **options: Any) -> Engine:
        """Create another engine on the same store, as after a restart."""
        defaults: dict[str, Any] = {
            "time_zone": "Europe/Berlin",
            "max_wait_seconds": 5.0,
            "monotonic": self.monotonic,
        }
        self.engine = Engine(
            self.shelf.store, self.toy, self.vault, self.clock, self.changes.append, **(defaults | options)
        )
        return self.engine

    async def publish(
        self, version: FlowVersion, interval: int = 15, *, baseline: bool = True, source: int = FIRST_SOURCE
    ) -> None:
        """Publish a version as the service does: baseline, publish, then notify the engine."""
        state = await self.engine.initial_trigger_state(version, source=source) if baseline else None
        await self.shelf.publish(version, interval, state, source)
        self.engine.triggers_changed()
        if version.steps[0].key == "flowFailed":
            await self.settle()  # what fails before the engine knows the flow doesn't start it

    async def set(self, flow_id: FlowId = FLOW_1, **settings: Any) -> None:
        """Change the settings of a flow, as the service does."""
        await self.shelf.settle_flow(flow_id, FlowSettings(**settings))
        self.engine.triggers_changed()
        await self.settle()

    async def execution(self, execution_id: ExecutionId) -> Execution:
        return await self.shelf.db.read(lambda tx: executions.get_execution(tx, execution_id))

    async def post(self, flow_id: FlowId = FLOW_1, body: Json = None, *, synchronous: bool = False) -> Any:
        request = WebhookRequest(method="POST", headers={"a": "b"}, query={}, body=body)
        return await self.engine.deliver(flow_id, request, synchronous=synchronous)

    async def pass_time(self, ms: int) -> None:
        """Move the clock and wake the engine."""
        self.clock.now += ms
        self.engine.triggers_changed()

    def set_clock(self, by: int) -> None:
        """Set the wall clock by so many milliseconds; the monotonic clock isn't affected."""
        self.clock.now += by
        self._set_by += by
        self.engine.triggers_changed()

    async def all(self) -> list[Seen]:
        return await self.shelf.all()

    async def one(self, *states: ExecutionState) -> Seen:
        """The only execution, once it is in one of the states (default: finished)."""
        await self.until_all(1, *states)
        return (await self.all())[0]

    async def until_all(self, count: int, *states: ExecutionState) -> list[Seen]:
        """All executions, once there are `count` and all are in one of the states (default: finished)."""

        async def reached() -> bool:
            found = await self.shelf.states()
            return len(found) == count and all(
                state in states if states else state.finished for state in found
            )

        await self.until_true(reached)
        return await self.all()

    async def until(self, condition: Callable[[], bool]) -> None:
        async def check() -> bool:
            return condition()

        await self.until_true(check)

    async def until_true(self, condition: Callable[[], Any], seconds: float = PATIENCE) -> None:
        async with asyncio.timeout(seconds):
            while not await condition():  # noqa: ASYNC110  only the store knows
                await asyncio.sleep(0.003)

    async def until_due(self, flow_id: FlowId, due: EpochMs) -> None:
        """Wait until this is stored as the next start of the flow's trigger."""

        async def reached() -> bool:
            return (await self.shelf.trigger(flow_id)).next_due_at == due

        await self.until_true(reached)

    async def settle(self) -> None:
        """Let pending tasks go on for a while, to check that nothing happens.

        They wait for the database again and again, and so does this: on a busy computer, both take longer.
        """
        for _ in range(8):
            with suppress(StorageFault):
                await self.shelf.db.read(lambda _: None)
                await self.shelf.db.write_outside_transaction(lambda _: None)
            await asyncio.sleep(0.005)
