"""Managing the keys of a service on this computer, while it runs."""

from patchbay.client.service import Service, at
from patchbay.domain.access import ApiKey

_KEYS = "/v1/api-keys"


class RemoteApiKeys:
    """`ApiKeys` over HTTP, with the token by which this computer's programs attach."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def create(self, name: str) -> tuple[ApiKey, str]:
        answer = await self._service.send("POST", _KEYS, {"name": name})
        return answer.one(ApiKey), str(answer.meta.get("value", ""))

    async def list(self) -> tuple[ApiKey, ...]:
        return (await self._service.get(_KEYS)).many(ApiKey)

    async def revoke(self, key_id: str) -> None:
        await self._service.send("DELETE", at(_KEYS + "/{id}", id=key_id))

    async def close(self) -> None:
        await self._service.close()
