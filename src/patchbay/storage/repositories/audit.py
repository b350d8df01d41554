"""The audit log: one row per change, written in the same commit as the change."""

import re
from typing import Any

from sqlalchemy import ColumnElement, Table, bindparam, delete, func, insert, or_, select

from patchbay.domain.audit_log import Actor, AuditAction, AuditEntry, AuditFilter
from patchbay.domain.base import EpochMs
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.paging import Page, PageRequest
from patchbay.storage.driver import contains_in_any_case, driver_of
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.tables import api_key, audit, connection, execution, flow, folder, template, user

_NAME_COLUMNS: dict[ResourceType, tuple[Table, str]] = {
    ResourceType.API_KEY: (api_key, "name"),
    ResourceType.CONNECTION: (connection, "screen_name"),
    ResourceType.FLOW: (flow, "name"),
    ResourceType.FOLDER: (folder, "name"),
    ResourceType.TEMPLATE: (template, "name"),
    ResourceType.USER: (user, "full_name"),
}

_FLOW_NAME = (
    select(flow.c.name)
    .join(execution, execution.c.flow_id == flow.c.id)
    .where(execution.c.id == bindparam("id"))
)


def find_subject_name(tx: Tx, noun: ResourceType, subject_id: str | None) -> str:
    """The current name of a resource, or of an execution's flow; empty if it has none or is missing."""
    if subject_id is None:
        return ""
    if noun is ResourceType.EXECUTION:
        return str(tx.execute(_FLOW_NAME, {"id": subject_id}).scalar() or "")
    if noun not in _NAME_COLUMNS:
        return ""
    table, column = _NAME_COLUMNS[noun]
    name = tx.execute(select(table.c[column]).where(table.c.id == subject_id)).scalar()
    return str(name or "")


def changes(tx: Tx) -> int:
    """Number of rows this database connection has changed so far."""
    return driver_of(tx).total_changes


def add(
    tx: Tx,
    actor: Actor,
    deed: AuditAction,
    noun: ResourceType,
    subject_id: str | None,
    subject: str,
    now: EpochMs,
) -> None:
    """Insert an entry into the audit log."""
    tx.execute(
        insert(audit).values(
            at=now,
            actor_kind=actor.kind,
            actor_id=actor.id,
            actor_name=actor.name[:255],
            actor_user_id=actor.user_id,
            address=actor.address,
            deed=deed,
            noun=noun,
            subject_id=subject_id,
            subject=subject[:255],
        )
    )


def delete_oldest(tx: Tx, max_entries: int) -> None:
    """Delete all but the newest `max_entries` entries."""
    newest = select(func.max(audit.c.id)).scalar_subquery()
    tx.execute(delete(audit).where(audit.c.id <= newest - max_entries))


def find(tx: Tx, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
    """Find a page of entries, newest first. The cursor is the ID of the last entry of the page before.

    Raises `ValidationFailed` for an invalid cursor.
    """
    matching = list(_conditions(where))
    total = tx.execute(select(func.count()).select_from(audit).where(*matching)).scalar_one()
    query = select(audit).where(*matching).order_by(audit.c.id.desc()).limit(page.limit + 1)
    if page.cursor:
        if not re.fullmatch("[0-9]{1,18}", page.cursor):
            raise ValidationFailed({"cursor": ["This cursor isn't valid for the audit log."]})
        query = query.where(audit.c.id < int(page.cursor))
    else:
        query = query.offset((page.page - 1) * page.limit)
    rows = tx.execute(query).mappings().all()
    shown = tuple(_entry(dict(row)) for row in rows[: page.limit])
    following = str(shown[-1].id) if len(rows) > page.limit else None
    return Page(items=shown, total=total, page=page.page, limit=page.limit, next_cursor=following)


def _conditions(where: AuditFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if where.text:
        named = (contains_in_any_case(column, where.text) for column in (audit.c.subject, audit.c.actor_name))
        found.append(or_(*named))
    if where.noun:
        found.append(audit.c.noun == where.noun)
    if where.subject_id:
        found.append(audit.c.subject_id == where.subject_id)
    if where.actor_id:
        found.append(audit.c.actor_id == where.actor_id)
    if where.after is not None:
        found.append(audit.c.at >= where.after)
    if where.before is not None:
        found.append(audit.c.at <= where.before)
    return found


def _entry(row: dict[str, Any]) -> AuditEntry:
    actor = Actor(
        kind=row["actor_kind"],
        name=row["actor_name"],
        id=row["actor_id"],
        user_id=row["actor_user_id"],
        address=row["address"],
    )
    return AuditEntry(
        actor=actor, **{key: row[key] for key in ("id", "at", "deed", "noun", "subject_id", "subject")}
    )
