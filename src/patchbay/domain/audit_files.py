"""The audit log as lines of a file, a table or a document a line."""

import csv
import io
import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

from patchbay.domain.audit import AuditEntry, AuditFilter
from patchbay.domain.backend_admin import AdminBackend
from patchbay.domain.paging import MAX_PAGE_SIZE, Page, PageRequest

COLUMNS = (
    "id", "at", "actor", "actorKind", "actorId", "userId", "address", "deed", "noun", "subject", "subjectId",
)  # fmt: skip


async def audit_pages(backend: AdminBackend, where: AuditFilter) -> AsyncIterator[Page[AuditEntry]]:
    """Every entry of the filter, newest first, as large pages; at least one, which may be empty."""
    done, number, cursor = 0, 1, None
    while True:
        page = await backend.audit_log(where, PageRequest(page=number, limit=MAX_PAGE_SIZE, cursor=cursor))
        yield page
        done += len(page.items)
        cursor, number = page.next_cursor, number + 1
        if not page.items or (cursor is None and done >= page.total):
            return


def csv_lines(items: Sequence[AuditEntry], head: bool) -> str:
    """Rows of a table, each with its end; `head` asks for the names of the columns before them."""
    text = io.StringIO()
    writer = csv.writer(text)
    if head:
        writer.writerow(COLUMNS)
    writer.writerows(_cells(item) for item in items)
    return text.getvalue()


def jsonl_lines(items: Sequence[AuditEntry], head: bool) -> str:
    """One document a line, as the HTTP interface writes it."""
    return "".join(json.dumps(item.wire(), ensure_ascii=False) + "\n" for item in items)


def _cells(item: AuditEntry) -> tuple[object, ...]:
    actor = item.actor
    moment = datetime.fromtimestamp(item.at / 1000, UTC).isoformat(timespec="milliseconds")
    return (
        item.id, moment, actor.name, actor.kind.value, actor.id or "", actor.user_id or "",
        actor.address or "", item.deed.value, item.noun.value, item.subject, item.subject_id or "",
    )  # fmt: skip
