"""The flows of the workspace as apps and steps see them. Implements `domain.flow_calls.FlowDirectory`."""

from collections.abc import Callable, Iterator

from sqlalchemy import ColumnElement, Connection, literal, select

from patchbay.domain.base import FlowId, Json
from patchbay.domain.flow_calls import ANSWER, CALLED, FlowChoice, is_event
from patchbay.domain.flows import Step
from patchbay.storage.codec import from_text
from patchbay.storage.database import Database
from patchbay.storage.flow_versions import published
from patchbay.storage.reach import reach, reaches
from patchbay.storage.repositories.versions import running_steps
from patchbay.storage.tables import execution_step, flow


class StoredFlows:
    """Reads them from the database; as the given flow sees them, or all."""

    def __init__(self, db: Database, seen_by: FlowId | None = None) -> None:
        self._db, self._seen_by = db, seen_by

    def as_seen_by(self, flow_id: FlowId) -> "StoredFlows":
        return StoredFlows(self._db, flow_id)

    async def flows(self) -> tuple[FlowChoice, ...]:
        return await self._db.read(lambda tx: all_flows(tx, self._seen_by))

    async def callable_flows(self) -> tuple[FlowChoice, ...]:
        return await self._db.read(lambda tx: callable_flows(tx, self._seen_by))

    async def last_call(self, flow_id: FlowId) -> Json:
        return await self._newest(flow_id, CALLED)

    async def last_answer(self, flow_id: FlowId) -> Json:
        return await self._newest(flow_id, ANSWER)

    async def _newest(self, flow_id: FlowId, event: str) -> Json:
        def work(tx: Connection) -> Json:
            if self._seen_by is not None and not reaches(tx, self._seen_by, flow_id):
                return None
            return _newest(tx, flow_id, lambda step: is_event(step, event))

        return await self._db.read(work)


def all_flows(tx: Connection, seen_by: FlowId | None = None) -> tuple[FlowChoice, ...]:
    """Every flow that is not deleted, by name; of these, those that a flow may know of."""
    rows = tx.execute(
        select(flow.c.id, flow.c.name).where(flow.c.deleted_at.is_(None), *_within(tx, seen_by))
    )
    return _by_name([FlowChoice(id=row.id, name=row.name) for row in rows])


def callable_flows(tx: Connection, seen_by: FlowId | None = None) -> tuple[FlowChoice, ...]:
    """Published flows that start when another flow calls, by name; of these, those that a flow may call."""
    live = select(flow.c.id, flow.c.name).where(flow.c.active, flow.c.deleted_at.is_(None))
    names = {row.id: row.name for row in tx.execute(live.where(*_within(tx, seen_by)))}
    steps = running_steps(tx, list(names))
    called = [flow_id for flow_id, held in steps.items() if held and is_event(held[0], CALLED)]
    return _by_name([FlowChoice(id=flow_id, name=names[flow_id]) for flow_id in called])


def _within(tx: Connection, seen_by: FlowId | None) -> Iterator[ColumnElement[bool]]:
    person = reach(tx, seen_by) if seen_by is not None else None
    if person is not None:
        yield flow.c.user_id == person


def _by_name(choices: list[FlowChoice]) -> tuple[FlowChoice, ...]:
    return tuple(sorted(choices, key=lambda choice: (choice.name.casefold(), choice.id)))


def _newest(tx: Connection, flow_id: FlowId, wanted: Callable[[Step], bool]) -> Json:
    """The newest output of these steps of the published version."""
    version = published(tx, flow_id)
    found = [step.id for step in version.steps if wanted(step)] if version else []
    succeeded = execution_step.c.status == literal("success", literal_execute=True)
    query = select(execution_step.c.output).where(execution_step.c.step_id.in_(found), succeeded)
    return from_text(tx.execute(query.order_by(execution_step.c.finished_at.desc()).limit(1)).scalar())
