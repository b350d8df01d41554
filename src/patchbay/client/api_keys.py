"""API keys of a server, over HTTP."""

from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.backend import Feature
from patchbay.domain.base import UserId
from patchbay.domain.changes import Change, ResourceType

_API_KEYS = "/v1/api-keys"


class ApiKeyCalls:
    """Listing, creating, and revoking API keys."""

    _adapter: ServiceAdapter

    async def list_api_keys(self) -> tuple[ApiKey, ...]:
        service = await self._adapter.require(Feature.ACCESS)
        return (await service.get(_API_KEYS)).many(ApiKey)

    async def create_api_key(
        self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None
    ) -> NewApiKey:
        service = await self._adapter.require(Feature.ACCESS)
        response = await service.send("POST", _API_KEYS, {"name": name, "scope": scope, "userId": user_id})
        return service.read(NewApiKey, {"key": response.data, "value": response.meta.get("value")})

    async def revoke_api_key(self, key_id: str) -> Change:
        service = await self._adapter.require(Feature.ACCESS)
        await service.send("DELETE", build_path(_API_KEYS + "/{id}", id=key_id))
        return Change(noun=ResourceType.API_KEY, ids=(key_id,), action="deleted")
