"""The sign-in of a deleted connection is ended at a real OpenID provider, unless another one uses it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import httpx
import pytest
from sqlalchemy import update
from tests.support import patient
from tests.support.forms import long_form
from tests.support.oidc_provider import Browser, OidcProvider, oidc_provider
from tests.support.sign_in_desk import SignInDesk, sign_in_desk
from tests.support.third_party import Reply, third_party

from patchbay.domain.audit_log import AuditAction, AuditFilter
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import NotFound
from patchbay.domain.paging import PageRequest
from patchbay.service.sign_out import SIGNED_OUT, TRY_AGAIN_MS, UNDO_MS, SignOuts
from patchbay.storage.repositories import secrets
from patchbay.storage.tables import connection

CLOSED = "http://127.0.0.1:9/revoke"


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with oidc_provider() as running:
        yield running


@pytest.fixture
async def desk(tmp_path, provider) -> AsyncIterator[SignInDesk]:
    async with sign_in_desk(tmp_path, provider) as ready:
        yield ready


def revocable(provider: OidcProvider) -> dict[str, str]:
    return {"revokeUrl": f"{provider.address}/token/revocation"}


async def accepted(provider: OidcProvider, token: object) -> bool:
    """Whether the provider still accepts an access token."""
    async with patient.AsyncClient() as client:
        answer = await client.get(f"{provider.address}/me", headers={"Authorization": f"Bearer {token}"})
    return answer.status_code == httpx.codes.OK


async def deeds(desk: SignInDesk, connection: Connection) -> list[AuditAction]:
    """What the audit log says about the connection, newest first."""
    where = AuditFilter(subject_id=connection.id)
    return [one.deed for one in (await desk.runtime.backend.audit_log(where, PageRequest())).items]


async def delete(desk: SignInDesk, connection: Connection, *, later: int = UNDO_MS) -> None:
    """Delete a connection, and let this time pass."""
    await desk.runtime.backend.delete_connection(connection.id)
    desk.runtime.clock.now += later
    await desk.runtime.backend.sign_out_deleted()


async def tokens_left(desk: SignInDesk, connection: Connection) -> set[str]:
    """The names of the tokens that a deleted connection still has."""
    sealed = await desk.runtime.db.read(lambda tx: secrets.get_deleted(tx, connection.id))
    assert sealed is not None
    return {"accessToken", "refreshToken"} & set(await desk.runtime.secret_store.unseal(sealed))


async def test_a_deleted_connection_is_signed_out_and_can_be_reconnected(desk, provider):
    backend = desk.runtime.backend
    made = await desk.connect(**revocable(provider))
    token = (await desk.secrets(made))["accessToken"]
    assert await accepted(provider, token)

    await delete(desk, made)

    assert not await accepted(provider, token)
    assert await tokens_left(desk, made) == set()
    assert (await deeds(desk, made))[:2] == [AuditAction.SIGNED_OUT, AuditAction.DELETED]
    restored = await backend.restore_connection(made.id)
    assert (restored.health, restored.reason) == (ConnectionHealth.NEEDS_ATTENTION, SIGNED_OUT)
    began = await backend.begin_sign_in("http", provider.connection(**revocable(provider)), made.id)
    await desk.browser.sign_in(began.url)
    assert (await backend.finish_sign_in(began.id)).health is ConnectionHealth.VALID


async def test_a_deletion_that_is_undone_within_a_minute_ends_nothing(desk, provider):
    made = await desk.connect(**revocable(provider))

    await delete(desk, made, later=UNDO_MS // 2)
    await desk.runtime.backend.restore_connection(made.id)
    desk.runtime.clock.now += UNDO_MS
    await desk.runtime.backend.sign_out_deleted()

    assert (await desk.runtime.backend.test_connection(made.id)).health is ConnectionHealth.VALID


@long_form
async def test_a_sign_in_that_another_connection_shares_ends_with_the_last_one(desk, provider):
    first, second = await desk.join_circle("ada"), await desk.join_circle("ada")
    async with Browser() as other_person:
        bob = await replace(desk, browser=other_person).join_circle("bob")
    tokens = [(await desk.secrets(one))["accessToken"] for one in (first, second, bob)]

    await delete(desk, first)
    assert [await accepted(provider, token) for token in tokens] == [True, True, True]
    await delete(desk, second)

    assert [await accepted(provider, token) for token in tokens] == [False, False, True]
    assert (await desk.runtime.backend.test_connection(bob.id)).health is ConnectionHealth.VALID


async def test_a_provider_that_cannot_be_reached_is_tried_again_for_a_day(desk, provider, caplog):
    made = await desk.connect(revokeUrl=CLOSED)
    token = (await desk.secrets(made))["accessToken"]

    await delete(desk, made)
    assert await tokens_left(desk, made) == {"accessToken", "refreshToken"}
    assert await deeds(desk, made) == [AuditAction.DELETED, AuditAction.CREATED]
    desk.runtime.clock.now += TRY_AGAIN_MS
    await desk.runtime.backend.sign_out_deleted()

    assert await tokens_left(desk, made) == set()
    assert (await deeds(desk, made))[0] is AuditAction.SIGN_OUT_FAILED
    assert "couldn't be signed out" in caplog.text
    assert "in the account's settings" in caplog.text
    assert str(token) not in caplog.text


async def test_a_provider_that_refuses_is_asked_once(desk):
    async with third_party(Reply(400, {"error": "unsupported_token_type"})) as refusing:
        made = await desk.connect(revokeUrl=f"{refusing.url}/revoke")

        await delete(desk, made)
        await desk.runtime.backend.sign_out_deleted()

        (asked,) = refusing.seen
    assert asked.headers.get("authorization") is None
    assert b"token=" in asked.body
    assert b"client_id=desktop" in asked.body
    assert (await deeds(desk, made))[0] is AuditAction.SIGN_OUT_FAILED


async def test_a_redirect_takes_the_token_nowhere_else(desk):
    async with third_party(Reply(200, {})) as elsewhere:
        away = Reply(307, headers={"Location": f"{elsewhere.url}/taken"})
        async with third_party(away) as refusing:
            made = await desk.connect(revokeUrl=f"{refusing.url}/revoke")
            await delete(desk, made)

        assert elsewhere.seen == []
    assert (await deeds(desk, made))[0] is AuditAction.SIGN_OUT_FAILED


@long_form
async def test_without_an_address_nothing_is_sent_and_a_restored_connection_works(desk, provider):
    made = await desk.connect()

    await delete(desk, made)

    restored = await desk.runtime.backend.restore_connection(made.id)
    assert restored.health is ConnectionHealth.VALID
    assert (await desk.runtime.backend.test_connection(made.id)).health is ConnectionHealth.VALID


@long_form
async def test_a_slow_service_only_delays_sign_outs_of_the_same_owner(desk, provider):
    backend = desk.runtime.backend
    called, gave_up = asyncio.Event(), asyncio.Event()

    async def never_respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        called.set()
        await reader.read()
        gave_up.set()
        writer.close()

    async with await asyncio.start_server(never_respond, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        eve = await backend.create_user("Eve", "eve@example.org")
        slow = await desk.connect(revokeUrl=f"http://127.0.0.1:{port}/revoke")
        owned_by_eve = update(connection).where(connection.c.id == slow.id).values(user_id=eve.id)
        await desk.runtime.db.write(lambda tx: tx.execute(owned_by_eve))
        other = await desk.connect(**revocable(provider))
        for one in (slow, other):
            await backend.delete_connection(one.id)
        desk.runtime.clock.now += UNDO_MS

        signing_out = asyncio.create_task(backend.sign_out_deleted())
        await called.wait()

        while await tokens_left(desk, other):
            assert not gave_up.is_set()
        signing_out.cancel()
        await asyncio.wait([signing_out])


@long_form
async def test_a_minute_after_the_deletion_it_happens_by_itself(desk, provider):
    backend = desk.runtime.backend
    waits: asyncio.Queue[float] = asyncio.Queue()
    passed = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waits.put_nowait(seconds)
        await passed.wait()

    outs = SignOuts(backend._context, backend._connections, sleep)
    made = await desk.connect(**revocable(provider))
    await backend.delete_connection(made.id)
    outs.schedule()
    assert await waits.get() == UNDO_MS / 1000

    desk.runtime.clock.now += UNDO_MS
    passed.set()
    (timer,) = outs._timers
    await timer

    assert await tokens_left(desk, made) == set()


async def test_waiting_sign_outs_end_with_the_workspace(desk):
    backend = desk.runtime.backend
    outs = SignOuts(backend._context, backend._connections)
    outs.schedule()

    await outs.close()

    assert outs._timers == set()


@long_form
async def test_a_restored_connection_is_gone_from_the_deleted_ones(desk, provider):
    made = await desk.connect(**revocable(provider))
    await desk.runtime.backend.delete_connection(made.id)

    with pytest.raises(NotFound):
        await desk.runtime.backend.get_connection(made.id)
    await desk.runtime.backend.restore_connection(made.id)

    assert await desk.runtime.db.read(lambda tx: secrets.get_deleted(tx, made.id)) is None
