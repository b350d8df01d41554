"""Rows that storage tests start from."""

import itertools
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import insert, update

from patchbay.domain.base import AppKey, ExecutionId, FlowId, StepId, UserId
from patchbay.domain.engine_store import NewExecution, Permit, StepOutcome
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import Flow, FlowVersion, Step, StepStatus, StepType
from patchbay.storage.database import Database
from patchbay.storage.repositories import flow_versions, flows
from patchbay.storage.tables import flow, user

OWNER = UserId("00000000-0000-4000-8000-000000000001")
NOW = 1_760_000_000_000


@dataclass
class Workshop:
    """Makes flows and executions in a database, each with an id that tells what it is."""

    db: Database
    _numbers: itertools.count = field(default_factory=lambda: itertools.count(1))

    async def prepare(self) -> None:
        row = {
            "id": OWNER,
            "full_name": "Owner",
            "email": "owner@example.org",
            "created_at": NOW,
            "updated_at": NOW,
        }
        await self.db.write(lambda tx: tx.execute(insert(user).values(**row)))

    async def flow(
        self, name: str = "Orders", *, steps: int = 3, publish: bool = True, app: str = "http-request", **more
    ) -> Flow:
        """A flow of webhook and actions; published as version 1."""
        flow_id = FlowId(f"flow-{next(self._numbers)}")
        item = Flow(
            id=flow_id,
            name=name,
            user_id=OWNER,
            steps=_steps(flow_id, steps, app),
            created_at=NOW,
            updated_at=NOW,
            **more,
        )

        def store(tx):
            flows.add(tx, item)
            if publish:
                flow_versions.add(
                    tx, FlowVersion(flow_id=flow_id, number=1, name=name, steps=item.steps, created_at=NOW)
                )
                tx.execute(update(flow).where(flow.c.id == flow_id).values(active=True, published_version=1))

        await self.db.write(store)
        return item

    def event(self, item: Flow, *, internal_id: str | None = None, at: int = NOW, **more) -> NewExecution:
        """An accepted event of the flow's trigger."""
        number = next(self._numbers)
        trigger = StepOutcome(
            seq=0,
            step_id=item.steps[0].id,
            status=StepState.SUCCESS,
            data_out={"number": number},
            started_at=at,
            finished_at=at,
        )
        values: dict[str, Any] = {
            "flow_version": 1,
            "state": ExecutionState.QUEUED,
            "steps_total": len(item.steps),
        } | more
        version = FlowVersion(flow_id=item.id, number=values["flow_version"] or 0, name=item.name, steps=())
        return NewExecution(
            permit=Permit(version=version),
            id=ExecutionId(f"run-{number:06}"),
            flow_id=item.id,
            internal_id=internal_id,
            trigger=trigger,
            created_at=at,
            **values,
        )


def _steps(flow_id: str, number: int, app: str) -> tuple[Step, ...]:
    trigger = Step(
        id=StepId(f"{flow_id}-0"),
        type=StepType.TRIGGER,
        app_key=AppKey("webhook"),
        key="catchRawWebhook",
        status=StepStatus.COMPLETED,
    )
    actions = (
        Step(
            id=StepId(f"{flow_id}-{i}"),
            type=StepType.ACTION,
            app_key=AppKey(app),
            key="customRequest",
            status=StepStatus.COMPLETED,
            position=i + 1,
        )
        for i in range(1, number)
    )
    return (trigger, *actions)


def done(item: Flow, seq: int, *, attempt: int = 1, at: int = NOW, **more) -> StepOutcome:
    """A finished attempt of the step at `seq`."""
    values = {
        "status": StepState.SUCCESS,
        "data_in": {"text": "in"},
        "data_out": {"text": f"out {seq}"},
    } | more
    return StepOutcome(
        seq=seq, attempt=attempt, step_id=item.steps[seq].id, started_at=at, finished_at=at + 5, **values
    )
