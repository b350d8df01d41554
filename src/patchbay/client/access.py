"""API keys of a service and its audit log, over HTTP."""

from patchbay.client.peer import Peer
from patchbay.client.service import at
from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.audit import AuditEntry, AuditFilter
from patchbay.domain.backend import Feature
from patchbay.domain.base import UserId
from patchbay.domain.changes import Change, Noun
from patchbay.domain.paging import Page, PageRequest

_KEYS = "/v1/api-keys"


class AccessCalls:
    """Who may come in, and who did what."""

    _peer: Peer

    async def list_api_keys(self) -> tuple[ApiKey, ...]:
        service = await self._peer.require(Feature.ACCESS)
        return (await service.get(_KEYS)).many(ApiKey)

    async def create_api_key(
        self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None
    ) -> NewApiKey:
        service = await self._peer.require(Feature.ACCESS)
        answer = await service.send("POST", _KEYS, {"name": name, "scope": scope, "userId": user_id})
        return service.read(NewApiKey, {"key": answer.data, "value": answer.meta.get("value")})

    async def revoke_api_key(self, key_id: str) -> Change:
        service = await self._peer.require(Feature.ACCESS)
        await service.send("DELETE", at(_KEYS + "/{id}", id=key_id))
        return Change(noun=Noun.API_KEY, ids=(key_id,), action="deleted")

    async def audit_log(self, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        await self._peer.require(Feature.ACCESS)
        return await self._peer.page(AuditEntry, "/v1/audit", where.wire(), page)
