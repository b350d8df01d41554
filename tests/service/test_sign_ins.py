"""Sign-ins as the service keeps them: who waits, what stays, and what a restart means."""

import asyncio
from typing import Any

import pytest
from tests.support.desk import DeskService, forge
from tests.support.workspace import WorkspaceRuntime, open_runtime

from patchbay.domain.base import AppKey
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import Conflict, NotFound
from patchbay.service.key_stores import MemoryKeyStore
from patchbay.storage.repositories import connections, sign_ins

FORGE = AppKey("forge")

CLIENT: dict[str, Any] = {"clientId": "patchbay", "clientSecret": "planted-4f9d2c"}
DAY = 24 * 3_600_000


@pytest.fixture
def service():
    running = DeskService()
    yield running
    running.close()


@pytest.fixture
async def runtime(tmp_path, service):
    made = await open_runtime(tmp_path, service, more_apps=[forge])
    yield made
    await made.close()


async def answered(runtime: WorkspaceRuntime, service: DeskService, **more: str) -> str:
    """A sign-in whose browser came back; its id."""
    began = await runtime.backend.begin_sign_in(FORGE, CLIENT)
    state = began.url.rpartition("=")[2]
    assert await runtime.backend.handle_redirect({"state": state, "code": service.good_key} | more)
    return began.id


async def test_a_wait_that_was_broken_off_can_be_taken_up_again(runtime, service):
    began = await runtime.backend.begin_sign_in("forge", CLIENT)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await runtime.backend.finish_sign_in(began.id)
    state = began.url.rpartition("=")[2]
    await runtime.backend.handle_redirect({"state": state, "code": service.good_key})

    made = await runtime.backend.finish_sign_in(began.id)

    assert made.health is ConnectionHealth.VALID


async def test_a_pasted_address_can_have_the_answer_after_the_hash(runtime, service):
    began = await runtime.backend.begin_sign_in("forge", CLIENT)
    state = began.url.rpartition("=")[2]

    await runtime.backend.submit_callback(
        began.id, f"http://127.0.0.1/oauth/callback?state={state}#code={service.good_key}"
    )

    assert (await runtime.backend.finish_sign_in(began.id)).health is ConnectionHealth.VALID


async def test_a_redirect_that_arrives_at_this_moment_is_not_an_interruption(runtime, service, monkeypatch):
    began = await runtime.backend.begin_sign_in(FORGE, CLIENT)
    unseal = runtime.secret_store.unseal
    entered, released = asyncio.Event(), asyncio.Event()

    async def slow_unseal(sealed: Any) -> Any:
        entered.set()
        await released.wait()
        return await unseal(sealed)

    monkeypatch.setattr(runtime.secret_store, "unseal", slow_unseal)
    state = began.url.rpartition("=")[2]
    redirect = runtime.backend.handle_redirect({"state": state, "code": service.good_key})
    returning = asyncio.create_task(redirect)
    await entered.wait()
    finishing = asyncio.create_task(runtime.backend.finish_sign_in(began.id))
    await asyncio.sleep(0.05)  # long enough to read that the browser has returned
    released.set()

    assert await returning
    assert (await finishing).health is ConnectionHealth.VALID


async def test_two_that_wait_get_the_same_connection(runtime, service):
    sign_in = await answered(runtime, service)

    one, other = await asyncio.gather(
        runtime.backend.finish_sign_in(sign_in), runtime.backend.finish_sign_in(sign_in)
    )

    assert one.id == other.id
    assert len(await runtime.backend.list_connections()) == 1


async def test_after_a_restart_an_unanswered_sign_in_continues_and_an_answered_one_begins_again(
    tmp_path, service
):
    first = await open_runtime(tmp_path, service, home=(kept := MemoryKeyStore()), more_apps=[forge])
    waiting = await first.backend.begin_sign_in(FORGE, CLIENT)
    taken = await answered(first, service)
    await first.close()

    again = await open_runtime(tmp_path, service, home=kept, more_apps=[forge])
    with pytest.raises(Conflict, match="interrupted"):
        await again.backend.finish_sign_in(taken)
    state = waiting.url.rpartition("=")[2]
    assert await again.backend.handle_redirect({"state": state, "code": service.good_key})
    assert (await again.backend.finish_sign_in(waiting.id)).health is ConnectionHealth.VALID
    await again.close()


async def test_drafts_are_swept_after_a_day(runtime):
    began = await runtime.backend.begin_sign_in("forge", CLIENT)
    runtime.clock.now += DAY - 60_000
    await runtime.backend.delete_old_drafts()
    await runtime.db.read(lambda tx: sign_ins.get(tx, began.id))
    runtime.clock.now += 120_000
    await runtime.backend.delete_old_drafts()

    with pytest.raises(NotFound):
        await runtime.db.read(lambda tx: sign_ins.get(tx, began.id))


async def test_no_secret_of_a_draft_is_readable_in_the_database(runtime, tmp_path):
    began = await runtime.backend.begin_sign_in("forge", CLIENT)
    state = began.url.rpartition("=")[2].encode()

    found = b"".join(path.read_bytes() for path in tmp_path.glob("patchbay.db*"))

    assert began.id.encode() in found
    assert b"planted-4f9d2c" not in found
    assert state not in found


async def test_expiring_access_is_reported_before_and_after_it_expires(runtime, service):
    made = await runtime.backend.finish_sign_in(await answered(runtime, service))
    ends = runtime.clock.now + 10 * DAY
    await runtime.db.write(lambda tx: connections.put(tx, made.model_copy(update={"expires_at": ends})))

    seen = []
    for days in (0, 8, 3):
        runtime.clock.now += days * DAY
        seen.append((await runtime.backend.get_connection(made.id)).health)

    assert seen == [ConnectionHealth.VALID, ConnectionHealth.EXPIRES_SOON, ConnectionHealth.NEEDS_ATTENTION]
