"""How the workspace is reached from outside."""

from uuid import uuid4

from tests.support.ports import free_port
from tests.support.stories import story
from tests.support.stories.connections import values
from tests.support.teller import Teller
from tests.support.workspace import CATCH

from patchbay.domain.errors import ValidationFailed
from patchbay.domain.hosting import ServiceSettings

ADDRESS = "https://flows.example.org"
NO_ADDRESSES = (
    "flows.example.org", "ftp://example.org", "https://ada:pw@example.org", "https://a.org/?x=1",
    "https://a.org/#x", "https://a.org:99999", "https://a.org/../b", "http://0.0.0.0", "https://",
)  # fmt: skip


@story("service_settings", "change_service_settings", "create_flow", "update_step", "get_flow")
async def the_public_address_takes_effect_at_once(tell: Teller) -> None:
    flow = await tell("create_flow", "Called from outside")
    await tell("update_step", flow.steps[0].id, CATCH)
    assert await tell("service_settings") == ServiceSettings()

    wanted = ServiceSettings(public_address=f"{ADDRESS.upper()}:443/")
    assert (await tell("change_service_settings", wanted)).public_address == ADDRESS

    assert (await tell("get_flow", flow.id)).steps[0].webhook_url == f"{ADDRESS}/webhooks/flows/{flow.id}"
    assert await tell("service_settings") == ServiceSettings(public_address=ADDRESS)
    assert await tell("change_service_settings", ServiceSettings()) == ServiceSettings()
    assert not (await tell("get_flow", flow.id)).steps[0].webhook_url.startswith(ADDRESS)


@story("service_settings", "change_service_settings", "add_connection")
async def settings_that_cannot_be_are_refused(tell: Teller) -> None:
    desk = await tell("add_connection", "desk", values(tell))
    for address in NO_ADDRESSES:
        refused = await tell.refused("change_service_settings", ServiceSettings(public_address=address))
        assert isinstance(refused, ValidationFailed)
    for connection in (str(uuid4()), desk.id):
        refused = await tell.refused(
            "change_service_settings", ServiceSettings(mail_connection_id=connection)
        )
        assert isinstance(refused, ValidationFailed)
    assert await tell("service_settings") == ServiceSettings()


@story("test_public_address")
async def an_address_at_which_nobody_answers_is_told_so(tell: Teller) -> None:
    address = f"http://127.0.0.1:{free_port()}"

    found = await tell("test_public_address", address)

    assert (found.address, found.ok, [check.ok for check in found.checks]) == (address, False, [False, False])
    assert all("127.0.0.1" in check.words for check in found.checks)
    assert isinstance(await tell.refused("test_public_address", "nowhere"), ValidationFailed)
