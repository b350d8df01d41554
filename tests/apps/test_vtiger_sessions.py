"""Sessions of the Vtiger app: one that has ended is replaced, once."""

import hashlib
from typing import Any

import httpx
import pytest
from tests.support.catalogue.facts import the_app
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration.context import collect_items

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
