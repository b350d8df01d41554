"""IDs of events that must not start a run again although they have no execution; see table `seen_event`."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select, text, union_all

from patchbay.domain.base import FlowId
from patchbay.storage.driver import StatementRunner
from patchbay.storage.tables import execution, seen_event

_IDS_PER_QUERY = 500
_IS_SEEN = "SELECT 1 FROM seen_event WHERE flow_id = ? AND internal_id = ?"
_PUT = "INSERT INTO seen_event (flow_id, internal_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
_PUT_NAMED = text(
    "INSERT INTO seen_event (flow_id, internal_id) VALUES (:flow_id, :internal_id) ON CONFLICT DO NOTHING"
)


def is_seen(cursor: StatementRunner, event: tuple[FlowId, str]) -> bool:
    """Whether an event, as (flow, internal ID), is recorded."""
    return cursor.execute(_IS_SEEN, event).fetchone() is not None


def record_seen(cursor: StatementRunner, events: Iterable[tuple[FlowId, str]]) -> None:
    """Record events, each as (flow, internal ID)."""
    cursor.executemany(_PUT, events)


def record_all_seen(tx: Connection, flow_id: FlowId, internal_ids: Iterable[str]) -> None:
    """Record events of one flow, in a transaction of SQLAlchemy."""
    rows = [{"flow_id": flow_id, "internal_id": internal_id} for internal_id in internal_ids]
    if rows:
        tx.execute(_PUT_NAMED, rows)


def known(tx: Connection, flow_id: FlowId, internal_ids: Sequence[str]) -> frozenset[str]:
    """Those of these IDs that a flow has handled, with or without an execution."""
    found: set[str] = set()
    for start in range(0, len(internal_ids), _IDS_PER_QUERY):
        batch = internal_ids[start : start + _IDS_PER_QUERY]
        both = union_all(
            *(
                select(table.c.internal_id).where(table.c.flow_id == flow_id, table.c.internal_id.in_(batch))
                for table in (execution, seen_event)
            )
        )
        found.update(tx.execute(both).scalars())
    return frozenset(found)
