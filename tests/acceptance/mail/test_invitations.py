"""Invitations by mail: through a real Postfix into a mailbox, and from there into the workspace."""

import asyncio
import re
from typing import Any

from tests.support import patient
from tests.support.contract_workspaces import served
from tests.support.forms import long_form
from tests.support.mail_flows import connect
from tests.support.mail_service import ADA, GRACE, PASSWORD, needs_mail_service

from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.hosting import ServiceSettings
from patchbay.domain.people import EDITOR
from patchbay.service import mail

pytestmark = needs_mail_service


async def mailed_with(runtime, server, **account: Any):
    """The connection with which invitations are mailed from now on."""
    connection = await connect(runtime, server, "smtp", **account)
    await runtime.backend.change_service_settings(ServiceSettings(mail_connection_id=connection.id))
    return connection


@long_form
async def test_an_invitation_arrives_with_a_link_that_lets_one_in(runtime, server):
    await mailed_with(runtime, server)
    async with served(runtime) as service:
        runtime.address[0] = service.base_url

        invited = await runtime.backend.invite("Grace Höpper", GRACE, EDITOR.id)

        arrived = await asyncio.to_thread(server.arrived, "Your invitation to Patchbay", GRACE)
        text = arrived.get_body(("plain",)).get_content()
        [link] = re.findall(r"https?://\S+", text)
        async with patient.AsyncClient() as browser:
            page = await browser.get(link)
            joined = await browser.post(link.partition("?")[0], data={"token": link.partition("token=")[2]})
            [key] = re.findall(r'id="key">([0-9a-f]{96})<', joined.text)
            flows = await browser.get(f"{service.base_url}/v1/flows", headers={"x-api-token": key})
    assert (invited.mailed, invited.accept_invitation_url) == (True, link)
    assert str(arrived["From"]) == f"Patchbay <{ADA}>"
    assert "Hello Grace Höpper" in text
    assert f'href="{link}"' in arrived.get_body(("html",)).get_content()
    assert "Welcome, Grace Höpper" in page.text
    assert flows.status_code == 200


@long_form
async def test_in_the_list_stands_whether_an_invitation_was_mailed(runtime, server):
    await runtime.backend.invite("Ada", ADA, EDITOR.id)
    await mailed_with(runtime, server)
    await runtime.backend.invite("Grace", GRACE, EDITOR.id)

    assert [item.mailed for item in await runtime.backend.list_invitations()] == [False, True]


@long_form
async def test_when_mail_fails_the_invitation_holds_and_says_why(runtime, server, monkeypatch):
    connection = await mailed_with(runtime, server)
    server.stop_postfix()
    try:
        down = await runtime.backend.invite("Grace", GRACE, EDITOR.id)
    finally:
        server.start_postfix()
    with monkeypatch.context() as hurried:
        hurried.setattr(mail, "SEND_TIMEOUT_SECONDS", 0.0)
        slow = await runtime.backend.invite("Grace", GRACE, EDITOR.id)
    await runtime.backend.delete_connection(connection.id)
    gone = await runtime.backend.invite("Grace", GRACE, EDITOR.id)

    assert (down.mailed, slow.mailed, gone.mailed) == (False, False, False)
    assert "didn't accept the email" in slow.notice
    assert f"{server.place('smtp')} refused the connection" in down.notice
    assert "exist any more" in gone.notice
    assert len(await runtime.backend.list_invitations()) == 1


@long_form
async def test_a_refused_sign_in_shows_on_the_connection(runtime, server):
    connection = await mailed_with(runtime, server)
    server.set_password("another one")
    try:
        invited = await runtime.backend.invite("Grace", GRACE, EDITOR.id)
    finally:
        server.set_password(PASSWORD)

    assert not invited.mailed
    assert (await runtime.backend.get_connection(connection.id)).health is ConnectionHealth.NEEDS_ATTENTION
