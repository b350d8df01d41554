"""Vtiger: a session that has ended is replaced, once; dropdowns are bounded."""

import hashlib
from typing import Any

import httpx
import pytest
from tests.support.catalogue.facts import the_app
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.fields import Option
from patchbay.integration.builders import MAX_OPTIONS
from patchbay.integration.context import collect_items
from patchbay.integration.polling import MAX_POLL_BYTES

ENDED = {"success": False, "error": {"code": "INVALID_SESSIONID", "message": "Session identifier is invalid"}}
DATA = {
    "username": "ada@example.com",
    "accessKey": "secret-access-key",
    "instanceUrl": "https://service.example.com",
    "sessionToken": "secret-old-session",
}


def vtiger(*valid_sessions: str) -> SimulatedService:
    """A Vtiger that starts the session `secret-new-session`, and accepts these."""

    def respond(request: httpx.Request) -> httpx.Response | None:
        session = request.url.params.get("sessionName")
        if request.url.params.get("operation") == "query" and session not in valid_sessions:
            return httpx.Response(200, json=ENDED)
        if b"operation=login" in request.content:
            return httpx.Response(
                200, json={"success": True, "result": {"sessionName": "secret-new-session"}}
            )
        return None

    return SimulatedService("vtiger-crm", respond)


async def poll(service: SimulatedService, data: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    trigger = the_app("vtiger-crm").triggers[0]
    assert trigger.run is not None
    async with calling(service, {}, data=data) as ctx:
        return len(await collect_items(trigger.run, ctx)), ctx.auth.data


@pytest.mark.parametrize("session", ["secret-old-session", None])
async def test_a_session_that_has_ended_is_replaced(session):
    service = vtiger("secret-new-session")

    found, data = await poll(service, {**DATA, "sessionToken": session})

    login = next(sent for sent in service.requests if sent.method == "POST")
    proof = hashlib.md5(b"5906b16a8a2absecret-access-key", usedforsecurity=False).hexdigest()
    assert found == 2
    assert data["sessionToken"] == "secret-new-session"
    assert login.body == {"operation": "login", "username": "ada@example.com", "accessKey": proof}


async def test_a_session_that_ends_at_once_is_an_error_without_secrets():
    service = vtiger()

    with pytest.raises(ThirdPartyError) as caught:
        await poll(service, dict(DATA))

    assert caught.value.rejects_credentials
    assert "secret-" not in f"{caught.value.text()} {vars(caught.value)}"
    assert len([sent for sent in service.requests if sent.method == "POST"]) == 1


def server_with(result: Any) -> SimulatedService:
    """A Vtiger that returns this for each operation, whatever limits are requested."""
    return SimulatedService(
        "vtiger-crm", lambda request: httpx.Response(200, json={"success": True, "result": result})
    )


async def options(service: SimulatedService, key: str, **parameters: str) -> list[Option]:
    lists = {one.key: one for one in the_app("vtiger-crm").dynamic_data}
    async with calling(service, dict(parameters), data=dict(DATA)) as ctx:
        return list(await lists[key].load(ctx))


async def test_a_dropdown_has_no_more_options_than_can_be_used():
    many = range(MAX_OPTIONS + 1)
    choices = [{"label": f"Source {number}", "value": str(number)} for number in many]
    fields = [{"name": "leadsource", "type": {"picklistValues": choices}}]

    described = await options(server_with({"fields": fields}), "listLeadOptions", name="leadsource")
    records = await options(
        server_with([{"id": f"4x{number}", "assetname": ""} for number in many]), "listAssets"
    )

    assert (len(described), len(records)) == (MAX_OPTIONS, MAX_OPTIONS)


async def test_a_dropdown_of_large_records_ends_at_the_bytes_of_a_poll():
    page = [{"id": f"4x{number}", "assetname": "x" * 100_000} for number in range(100)]
    service = server_with(page)

    await options(service, "listAssets")

    assert len(service.requests) == MAX_POLL_BYTES // 10_000_000 + 1
