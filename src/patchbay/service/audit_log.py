"""Reading the audit log, and limiting its length."""

from patchbay.domain.audit_log import AuditEntry, AuditFilter
from patchbay.domain.paging import Page, PageRequest
from patchbay.service.service_context import ServiceContext
from patchbay.storage.repositories import audit

MAX_AUDIT_ENTRIES = 100_000
"""Maximum length of the audit log; the oldest entries are deleted first."""


class AuditLog:
    """Entries about who changed what."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    async def audit_log(self, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Return a page of entries, newest first."""
        return await self._context.db.read(lambda tx: audit.find(tx, where, page))

    async def trim_audit_log(self, max_entries: int = MAX_AUDIT_ENTRIES) -> None:
        """Delete all but the newest entries. Called every hour."""
        await self._context.db.write(lambda tx: audit.delete_oldest(tx, max_entries))
