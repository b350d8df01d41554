"""Where a server stores its secrets, over HTTP."""

from patchbay.client.service_adapter import ServiceAdapter
from patchbay.domain.backend import Feature
from patchbay.domain.base import Model
from patchbay.domain.connections import SecretsState, SecretsStorage

_SECRETS = "/v1/secrets"


class _Count(Model):
    count: int


class SecretCalls:
    """Where secrets are stored; Patchbay servers only."""

    _adapter: ServiceAdapter

    async def secrets_state(self) -> SecretsState:
        service = await self._adapter.require(Feature.CONNECTIONS)
        return (await service.get(_SECRETS)).one(SecretsState)

    async def move_secrets(self, home: SecretsStorage) -> SecretsState:
        service = await self._adapter.require(Feature.CONNECTIONS)
        return (await service.send("POST", _SECRETS + "/move", {"to": home.value})).one(SecretsState)

    async def change_secrets_key(self) -> int:
        service = await self._adapter.require(Feature.CONNECTIONS)
        return (await service.send("POST", _SECRETS + "/change-key")).one(_Count).count

    async def discard_lost_secrets(self) -> int:
        service = await self._adapter.require(Feature.CONNECTIONS)
        return (await service.send("POST", _SECRETS + "/give-up-lost")).one(_Count).count
