"""With whose connection invitations are mailed."""

from uuid import uuid4

import pytest
from tests.support.desk import DESK

from patchbay.domain.access import Scope
from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.base import ConnectionId
from patchbay.domain.connections import Connection
from patchbay.domain.errors import Forbidden, ValidationFailed
from patchbay.domain.hosting import ServiceSettings
from patchbay.domain.people import ADMIN, EDITOR
from patchbay.service import mail
from patchbay.storage.repositories import connections


@pytest.fixture
async def eve(runtime):
    return await runtime.backend.create_user("Eve", "eve@example.org", EDITOR.id)


@pytest.fixture
async def hers(runtime, eve, monkeypatch):
    """A connection of Eve that can send mail."""
    monkeypatch.setattr(mail, "can_send_mail", lambda apps, key: True)
    monkeypatch.setattr("patchbay.service.service_settings.can_send_mail", lambda apps, key: True)
    made = Connection(id=ConnectionId(str(uuid4())), app_key=DESK, screen_name="Her mail", user_id=eve.id)
    await runtime.db.write(lambda tx: connections.add(tx, made, eve.id))
    return made


async def test_a_connection_of_a_user_who_is_not_an_admin_is_rejected(runtime, hers):
    """She could have it send to a server of her own, and come in as whoever is invited."""
    with pytest.raises(ValidationFailed, match="isn't an admin"):
        await runtime.backend.change_service_settings(ServiceSettings(mail_connection_id=hers.id))

    assert (await runtime.backend.service_settings()).mail_connection_id is None


async def test_nothing_is_mailed_any_more_when_its_person_stops_being_an_admin(runtime, eve, hers):
    runtime.address[0] = "http://127.0.0.1:8787"
    await runtime.backend.update_user(eve.id, role_id=ADMIN.id)
    await runtime.backend.change_service_settings(ServiceSettings(mail_connection_id=hers.id))
    await runtime.backend.update_user(eve.id, role_id=EDITOR.id)

    invited = await runtime.backend.invite("Root", "root@example.org", ADMIN.id)

    assert invited.mailed is False
    assert "isn't an admin" in (invited.notice or "")


@pytest.mark.parametrize("scope", [Scope.READ, Scope.OPERATE])
async def test_only_an_admin_reconnects_what_invitations_are_mailed_with(
    desk_runtime, desk_service, scope, monkeypatch
):
    backend, connection = desk_runtime.backend, await desk_runtime.connect(desk_service.good_key)
    monkeypatch.setattr("patchbay.service.service_settings.can_send_mail", lambda apps, key: True)
    await backend.change_service_settings(ServiceSettings(mail_connection_id=connection.id))
    entered = {"screenName": "Ada", "apiKey": desk_service.good_key}

    outer = current_actor.set(Actor(kind=ActorKind.KEY, name="Dashboard", scope=scope))
    with pytest.raises(Forbidden, match="Invitations are mailed with this connection"):
        await backend.reconnect(connection.id, entered)
    current_actor.set(Actor(kind=ActorKind.KEY, name="Root", scope=Scope.ADMIN))
    again = await backend.reconnect(connection.id, entered)
    current_actor.reset(outer)

    assert again.id == connection.id
