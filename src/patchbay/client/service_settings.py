"""The settings of a server, over HTTP."""

from patchbay.client.service_adapter import ServiceAdapter
from patchbay.domain.backend import Feature
from patchbay.domain.hosting import AddressTest, ServiceSettings

_SERVICE = "/v1/service"


class ServiceSettingsCalls:
    """The public address and its test, and the mail connection for invitations."""

    _adapter: ServiceAdapter

    async def service_settings(self) -> ServiceSettings:
        service = await self._adapter.require(Feature.ADDRESS)
        return (await service.get(_SERVICE)).one(ServiceSettings)

    async def change_service_settings(self, settings: ServiceSettings) -> ServiceSettings:
        service = await self._adapter.require(Feature.ADDRESS)
        return (await service.send("PATCH", _SERVICE, settings.wire())).one(ServiceSettings)

    async def test_public_address(self, address: str | None = None) -> AddressTest:
        """Patient: the service calls the address itself."""
        service = await self._adapter.require(Feature.ADDRESS)
        body = {"address": address}
        return (await service.send("POST", f"{_SERVICE}/test-address", body, long_timeout=True)).one(
            AddressTest
        )
