"""How the workspace is reached from outside."""

from uuid import uuid4

from tests.support.operation_recorder import OperationRecorder
from tests.support.ports import free_port
from tests.support.stories import story
from tests.support.stories.connections import values
from tests.support.workspace import CATCH

from patchbay.domain.base import ConnectionId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.hosting import ServiceSettings

ADDRESS = "https://flows.example.org"
NO_ADDRESSES = (
    "flows.example.org",
    "ftp://example.org",
    "https://ada:pw@example.org",
    "https://a.org/?x=1",
    "https://a.org/#x",
    "https://a.org:99999",
    "https://a.org/../b",
    "http://0.0.0.0",
    "https://",
)


@story("service_settings", "change_service_settings", "create_flow", "update_step", "get_flow")
async def the_public_address_takes_effect_at_once(call: OperationRecorder) -> None:
    flow = await call("create_flow", "Called from outside")
    await call("update_step", flow.steps[0].id, CATCH)
    assert await call("service_settings") == ServiceSettings()

    wanted = ServiceSettings(public_address=f"{ADDRESS.upper()}:443/")
    assert (await call("change_service_settings", wanted)).public_address == ADDRESS

    assert (await call("get_flow", flow.id)).steps[0].webhook_url == f"{ADDRESS}/webhooks/flows/{flow.id}"
    assert await call("service_settings") == ServiceSettings(public_address=ADDRESS)
    assert await call("change_service_settings", ServiceSettings()) == ServiceSettings()
    assert not (await call("get_flow", flow.id)).steps[0].webhook_url.startswith(ADDRESS)


@story("service_settings", "change_service_settings", "add_connection")
async def settings_that_cannot_be_are_refused(call: OperationRecorder) -> None:
    desk = await call("add_connection", "desk", values(call))
    for address in NO_ADDRESSES:
        refused = await call.refused("change_service_settings", ServiceSettings(public_address=address))
        assert isinstance(refused, ValidationFailed)
    for connection in (ConnectionId(str(uuid4())), desk.id):
        refused = await call.refused(
            "change_service_settings", ServiceSettings(mail_connection_id=connection)
        )
        assert isinstance(refused, ValidationFailed)
    assert await call("service_settings") == ServiceSettings()


@story("test_public_address")
async def an_address_without_a_server_is_reported(call: OperationRecorder) -> None:
    address = f"http://127.0.0.1:{free_port()}"

    found = await call("test_public_address", address)

    assert (found.address, found.ok, [check.ok for check in found.checks]) == (address, False, [False, False])
    assert all("127.0.0.1" in check.words for check in found.checks)
    assert isinstance(await call.refused("test_public_address", "nowhere"), ValidationFailed)
