"""The audit log as lines of a file, a table or a document a line."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from functools import partial

from patchbay.domain.audit import AuditEntry, AuditFilter
from patchbay.domain.backend_admin import AdminBackend
from patchbay.domain.paging import Page
from patchbay.domain.row_files import read_all_pages, to_csv, to_jsonl

AUDIT_COLUMNS = (
    "id", "at", "actor", "actorKind", "actorId", "userId", "address", "deed", "noun", "subject", "subjectId",
)  # fmt: skip


def read_audit_pages(backend: AdminBackend, where: AuditFilter) -> AsyncIterator[Page[AuditEntry]]:
    """Every entry of the filter, newest first, as large pages."""
    return read_all_pages(partial(backend.audit_log, where))


def audit_csv(items: Sequence[AuditEntry], head: bool, *, raw: bool = False) -> str:
    """`raw` leaves texts as they are, even those a spreadsheet would run as a formula."""
    return to_csv(AUDIT_COLUMNS, map(_audit_cells, items), head, raw=raw)


def audit_jsonl(items: Sequence[AuditEntry], head: bool) -> str:
    return to_jsonl(items)


def _audit_cells(item: AuditEntry) -> tuple[object, ...]:
    actor = item.actor
    moment = datetime.fromtimestamp(item.at / 1000, UTC).isoformat(timespec="milliseconds")
    return (
        item.id, moment, actor.name, actor.kind.value, actor.id or "", actor.user_id or "",
        actor.address or "", item.deed.value, item.noun.value, item.subject, item.subject_id or "",
    )  # fmt: skip
