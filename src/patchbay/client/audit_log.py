"""The audit log of a server, over HTTP."""

from patchbay.client.service_adapter import ServiceAdapter
from patchbay.domain.audit_log import AuditEntry, AuditFilter
from patchbay.domain.backend import Feature
from patchbay.domain.paging import Page, PageRequest


class AuditLogCalls:
    """Who changed what, and when."""

    _adapter: ServiceAdapter

    async def audit_log(self, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        await self._adapter.require(Feature.ACCESS)
        return await self._adapter.page(AuditEntry, "/v1/audit", where.wire(), page)
