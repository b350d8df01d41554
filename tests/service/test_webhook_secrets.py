"""Secrets with which services sign deliveries: stored encrypted, deleted with the webhook."""

import pytest
from tests.support.chime import ChimeService, chime, delivery
from tests.support.planted import in_files
from tests.support.workspace import CATCH, PASS, WorkspaceRuntime, open_runtime

from patchbay.apps.datastore import app as datastore
from patchbay.domain.base import AppKey, FlowId
from patchbay.domain.connections import SecretsStorage
from patchbay.domain.errors import StorageFault, ThirdPartyError, Unreachable
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import StepChange
from patchbay.domain.paging import PageRequest
from patchbay.service.key_stores import MemoryKeyStore
from patchbay.storage.repositories import secrets

READ_STORED_SECRETS = StepChange(
    app_key=AppKey("datastore"), key="getValue", parameters={"key": "patchbay.webhookSecrets"}
)
NEW_KEY = "dk-another-key-7777"


@pytest.fixture
def service():
    running = ChimeService()
    yield running
    running.close()


@pytest.fixture
def keys():
    return MemoryKeyStore()


@pytest.fixture
def items():
    return MemoryKeyStore()


@pytest.fixture
async def reopen(tmp_path, service, keys, items):
    """Opens the workspace, after closing it if it was open."""
    opened: list[WorkspaceRuntime] = []

    async def open_again():
        if opened:
            await opened.pop().close()
        opened.append(await open_runtime(tmp_path, service, keys, [chime, datastore], items))
        await opened[0].engine.start()
        return opened[0]

    yield open_again
    await opened.pop().close()


@pytest.fixture
async def runtime(reopen):
    return await reopen()


async def chimed(runtime, service, key="chimed", action=PASS):
    """A published flow that starts when Chime delivers."""
    values = {"screenName": "Ada", "apiKey": service.good_key}
    connection = await runtime.backend.add_connection("chime", values)
    change = StepChange(
        app_key=AppKey("chime"), key=key, connection_id=connection.id, parameters={"event": "door"}
    )
    flow = await runtime.skipped(await runtime.flow(change, action))
    return await runtime.backend.publish_flow(flow.id)


async def republish(runtime, flow, change):
    flow = await runtime.backend.update_step(flow.steps[0].id, change)
    return await runtime.backend.publish_flow((await runtime.skipped(flow)).id)


async def status(runtime, flow, secret, number=1):
    """The status with which a delivery that is signed with the secret is answered."""
    answer = await runtime.engine.deliver(flow.id, delivery(secret, number), synchronous=True)
    return answer.status


async def webhook_rows(runtime):
    return [
        row for row in await runtime.db.read(secrets.find_all) if row.connection_id.startswith("webhook:")
    ]


async def outputs(runtime):
    """Everything that the steps of all executions stored."""
    page = await runtime.backend.list_executions(ExecutionFilter(), PageRequest())
    return [
        step.data_out
        for execution in page.items
        for step in await runtime.backend.execution_steps(execution.id)
    ]


@pytest.mark.parametrize("home", list(SecretsStorage))
@pytest.mark.parametrize("key", ["chimed", "agreed"])
async def test_no_file_contains_the_secret_after_publishing_and_a_delivery(
    runtime, service, tmp_path, caplog, key, home
):
    caplog.set_level("DEBUG")
    await runtime.backend.move_secrets(home)
    flow = await chimed(runtime, service, key)

    assert await status(runtime, flow, service.secrets[0]) == 204

    (tmp_path / "control").write_text(service.secrets[0])
    assert in_files(tmp_path, service.secrets[0]) == ["control"]
    assert service.secrets[0] not in caplog.text
    assert len(await webhook_rows(runtime)) == 1


async def test_the_secret_is_masked_in_what_a_delivery_stores(runtime, service):
    flow = await chimed(runtime, service)

    await status(runtime, flow, service.secrets[0])

    assert (await outputs(runtime))[0] == {"number": 1, "echo": "•••"}


async def test_a_step_cannot_read_the_secret_from_the_datastore(runtime, service):
    flow = await chimed(runtime, service, action=READ_STORED_SECRETS)

    await status(runtime, flow, service.secrets[0])

    assert (await outputs(runtime))[1]["value"] is None


@pytest.mark.parametrize("key", ["chimed", "agreed"])
async def test_deliveries_are_verified_after_a_restart_reconnecting_and_key_changes(
    reopen, service, key, items
):
    runtime = await reopen()
    flow = await chimed(runtime, service, key)
    secret, connection_id = service.secrets[0], flow.steps[0].connection_id

    runtime = await reopen()
    assert await status(runtime, flow, secret, 1) == 204
    assert await status(runtime, flow, "chime-forged", 2) == 401

    service.good_key = NEW_KEY
    await runtime.backend.reconnect(connection_id, {"apiKey": NEW_KEY})
    assert await status(runtime, flow, secret, 3) == 204

    before = {row.key_id for row in await runtime.db.read(secrets.find_all)}
    assert await runtime.backend.change_secrets_key() == 2
    assert not before & {row.key_id for row in await runtime.db.read(secrets.find_all)}
    assert await status(runtime, flow, secret, 4) == 204

    await runtime.backend.move_secrets(SecretsStorage.ITEMS)
    assert [secret in text for text in items._values.values()].count(True) == 1
    runtime = await reopen()
    assert await runtime.secret_store.recover()
    assert await status(runtime, flow, secret, 5) == 204

    await runtime.backend.move_secrets(SecretsStorage.SEALED)
    assert [text for text in items._values.values() if secret in text] == []
    assert await status(runtime, flow, secret, 6) == 204


@pytest.mark.parametrize("home", list(SecretsStorage))
@pytest.mark.parametrize("how", ["unpublish_flow", "delete_flow"])
async def test_the_secret_is_deleted_with_the_webhook(runtime, service, items, how, home):
    await runtime.backend.move_secrets(home)
    flow = await chimed(runtime, service)
    assert len(await webhook_rows(runtime)) == 1

    await getattr(runtime.backend, how)(flow.id)

    assert (service.hooks, await webhook_rows(runtime)) == ({}, [])
    assert [text for text in items._values.values() if service.secrets[0] in text] == []


async def test_another_webhook_of_the_same_connection_leaves_the_earlier_secret_valid(runtime, service):
    flow = await chimed(runtime, service)

    await republish(runtime, flow, StepChange(parameters={"event": "window"}))

    first, second = service.secrets
    assert await status(runtime, flow, first, 1) == 204
    assert await status(runtime, flow, second, 2) == 204
    for event in ("gate", "roof"):
        await republish(runtime, flow, StepChange(parameters={"event": event}))
    assert await status(runtime, flow, first, 3) == 401
    assert await status(runtime, flow, second, 4) == 204


async def test_another_connection_makes_the_earlier_secret_invalid(runtime, service):
    flow = await chimed(runtime, service)
    other = await runtime.backend.add_connection("chime", {"screenName": "Bo", "apiKey": service.good_key})

    await republish(runtime, flow, StepChange(connection_id=other.id))

    assert await status(runtime, flow, service.secrets[0], 1) == 401
    assert await status(runtime, flow, service.secrets[1], 2) == 204


async def test_a_flow_that_is_imported_and_published_at_once_has_its_secret(runtime, service):
    flow = await chimed(runtime, service)
    await runtime.backend.delete_flow(flow.id)
    steps = tuple(step.model_copy(update={"id": f"imported-{step.id}"[:36]}) for step in flow.steps)
    new = {"id": FlowId("imported"), "steps": steps, "active": False, "published_version": None}

    imported = await runtime.backend._publishing.publish_new_flow(flow.model_copy(update=new))

    assert await status(runtime, imported, service.secrets[1]) == 204


async def test_another_trigger_deletes_the_secret(runtime, service):
    flow = await chimed(runtime, service)

    await republish(runtime, flow, CATCH)

    assert await webhook_rows(runtime) == []


async def test_a_refused_change_leaves_the_webhook_that_is_registered_again_valid(runtime, service):
    flow = await chimed(runtime, service)
    service.refused_events.add("chimney")

    with pytest.raises(ThirdPartyError, match="chimney"):
        await republish(runtime, flow, StepChange(parameters={"event": "chimney"}))

    assert await status(runtime, flow, service.secrets[-1]) == 204


@pytest.mark.parametrize("home", list(SecretsStorage))
async def test_a_flow_that_cannot_be_stored_leaves_no_secret(runtime, service, items, monkeypatch, home):
    await runtime.backend.move_secrets(home)

    def refuse(*args):
        raise StorageFault("The disk is full.")

    monkeypatch.setattr(runtime.backend._publishing, "_freeze", refuse)
    with pytest.raises(StorageFault):
        await chimed(runtime, service)

    assert (service.hooks, await webhook_rows(runtime)) == ({}, [])
    assert [text for text in items._values.values() if service.secrets[0] in text] == []


async def test_a_lost_secret_rejects_deliveries_until_the_flow_is_published_again(runtime, service, items):
    await runtime.backend.move_secrets(SecretsStorage.ITEMS)
    flow = await chimed(runtime, service)
    (row,) = await webhook_rows(runtime)
    await items.delete(f"connection:{row.key_id}")

    assert not await runtime.secret_store.recover()
    with pytest.raises(Unreachable, match="can't be verified"):
        await status(runtime, flow, service.secrets[0], 1)
    await republish(runtime, flow, StepChange(parameters={"event": "window"}))

    assert await status(runtime, flow, service.secrets[1], 2) == 204
    assert await runtime.secret_store.recover()


async def test_discarded_secrets_reject_deliveries(tmp_path, runtime, service, keys):
    flow = await chimed(runtime, service)
    keys._values.clear()
    again = await open_runtime(tmp_path, service, keys, [chime, datastore])

    assert await again.backend.discard_lost_secrets() == 2

    assert await again.db.read(secrets.find_all) == ()
    assert await again.credentials.webhook_secrets(flow.id) == ()
    await again.close()
