"""The flows of the workspace as apps and steps see them. Implements `domain.flow_calls.FlowDirectory`."""

from collections.abc import Callable

from sqlalchemy import Connection, literal, select

from patchbay.domain.base import FlowId, Json
from patchbay.domain.flow_calls import ANSWER, CALLED, FlowChoice, is_event
from patchbay.domain.flows import Step
from patchbay.storage.codec import from_text
from patchbay.storage.database import Database
from patchbay.storage.flow_versions import published
from patchbay.storage.repositories.versions import running_steps
from patchbay.storage.tables import execution_step, flow


class StoredFlows:
    """Reads them from the database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def flows(self) -> tuple[FlowChoice, ...]:
        return await self._db.read(all_flows)

    async def callable_flows(self) -> tuple[FlowChoice, ...]:
        return await self._db.read(callable_flows)

    async def last_call(self, flow_id: FlowId) -> Json:
        return await self._db.read(lambda tx: _newest(tx, flow_id, lambda step: is_event(step, CALLED)))

    async def last_answer(self, flow_id: FlowId) -> Json:
        return await self._db.read(lambda tx: _newest(tx, flow_id, lambda step: is_event(step, ANSWER)))


def all_flows(tx: Connection) -> tuple[FlowChoice, ...]:
    """Every flow that is not deleted, by name."""
    rows = tx.execute(select(flow.c.id, flow.c.name).where(flow.c.deleted_at.is_(None)))
    return _by_name([FlowChoice(id=row.id, name=row.name) for row in rows])


def callable_flows(tx: Connection) -> tuple[FlowChoice, ...]:
    """Published flows that start when another flow calls, by name."""
    live = select(flow.c.id, flow.c.name).where(flow.c.active, flow.c.deleted_at.is_(None))
    names = {row.id: row.name for row in tx.execute(live)}
    steps = running_steps(tx, list(names))
    called = [flow_id for flow_id, held in steps.items() if held and is_event(held[0], CALLED)]
    return _by_name([FlowChoice(id=flow_id, name=names[flow_id]) for flow_id in called])


def _by_name(choices: list[FlowChoice]) -> tuple[FlowChoice, ...]:
    return tuple(sorted(choices, key=lambda choice: (choice.name.casefold(), choice.id)))


def _newest(tx: Connection, flow_id: FlowId, wanted: Callable[[Step], bool]) -> Json:
    """The newest output of these steps of the published version."""
    version = published(tx, flow_id)
    found = [step.id for step in version.steps if wanted(step)] if version else []
    succeeded = execution_step.c.status == literal("success", literal_execute=True)
    query = select(execution_step.c.output).where(execution_step.c.step_id.in_(found), succeeded)
    return from_text(tx.execute(query.order_by(execution_step.c.finished_at.desc()).limit(1)).scalar())
