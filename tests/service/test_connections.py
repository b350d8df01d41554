import logging

import pytest
from tests.support.desk import DESK
from tests.support.workspace import CATCH, open_runtime

from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import (
    NotFound,
    NotSupported,
    SecretsUnavailable,
    ServerFault,
    ThirdPartyError,
    Unreachable,
    ValidationFailed,
)
from patchbay.domain.flows import StepChange
from patchbay.service.key_stores import MemoryKeyStore, secrets_unavailable
from patchbay.storage.repositories import meta, secrets


@pytest.fixture
def backend(desk_runtime):
    return desk_runtime.backend


@pytest.fixture
async def connection(desk_runtime, desk_service):
    return await desk_runtime.connect(desk_service.good_key)


async def rows(runtime):
    return await runtime.db.read(secrets.count)


async def test_accepted_credentials_make_a_valid_connection(backend, connection, desk_service):
    assert (connection.health, connection.verified, connection.reason) == (ConnectionHealth.VALID, True, None)
    assert connection.screen_name == "Ada at Desk"
    assert connection.formatted_data == {"screenName": "Ada at Desk"}
    assert await backend.list_connections() == (connection,)
    assert await backend.list_connections("desk") == (connection,)
    assert await backend.list_connections("tools") == ()
    assert await backend.get_connection(connection.id) == connection


async def test_name_that_the_app_sets_wins_over_the_typed_one(desk_runtime, desk_service):
    connection = await desk_runtime.connect(desk_service.good_key, "call me by my login")

    assert connection.screen_name == "ada"


async def test_refused_credentials_are_reported_in_the_services_words_and_leave_nothing(
    desk_runtime, backend
):
    with pytest.raises(ThirdPartyError) as refused:
        await desk_runtime.connect("a wrong key")

    assert (refused.value.said, refused.value.status) == ("Invalid API key", 401)
    assert await backend.list_connections() == ()
    assert await rows(desk_runtime) == 0


@pytest.mark.parametrize(
    ("values", "fields"),
    [({}, ["screenName", "apiKey"]), ({"screenName": "  ", "apiKey": "k"}, ["screenName"])],
)
async def test_missing_values_are_reported_before_any_request(backend, desk_service, values, fields):
    with pytest.raises(ValidationFailed) as refused:
        await backend.add_connection("desk", values)

    assert list(refused.value.by_field) == fields
    assert desk_service.calls == []


async def test_pasted_keys_lose_their_outer_spaces(desk_runtime, desk_service):
    connection = await desk_runtime.connect(f"  {desk_service.good_key}\n")

    assert connection.health is ConnectionHealth.VALID


async def test_app_that_needs_no_connection_says_so(backend):
    with pytest.raises(NotSupported):
        await backend.add_connection("tools", {})


async def test_unknown_app(backend):
    with pytest.raises(NotFound):
        await backend.add_connection("nowhere", {})


async def test_service_that_cannot_be_reached_leaves_nothing(desk_runtime, desk_service, backend):
    desk_service.close()

    with pytest.raises(Unreachable):
        await desk_runtime.connect(desk_service.good_key)

    assert await backend.list_connections() == ()


async def test_connection_without_any_name_is_refused(backend, desk_service):
    with pytest.raises(ValidationFailed) as refused:
        await backend.add_connection("nameless", {"apiKey": desk_service.good_key})

    assert "screenName" in refused.value.by_field
    assert await backend.list_connections() == ()


async def test_name_typed_beside_the_form_is_taken_when_the_app_asks_for_none(backend, desk_service):
    values = {"apiKey": desk_service.good_key, "screenName": "Mine"}

    assert (await backend.add_connection("nameless", values)).screen_name == "Mine"


async def test_a_bug_in_an_app_is_reported_without_the_key(backend, caplog):
    with pytest.raises(ServerFault) as refused:
        await backend.add_connection("faulty", {"screenName": "A", "apiKey": "planted-31aa"})

    assert "KeyError" in refused.value.text()
    assert "_break" in caplog.text
    assert "planted" not in f"{caplog.text}{refused.value.text()}{refused.value.__cause__}"


async def test_failed_reconnect_keeps_the_old_credentials(desk_runtime, backend, connection):
    with pytest.raises(ThirdPartyError):
        await backend.reconnect(connection.id, {"screenName": "Ada", "apiKey": "a wrong key"})

    tested = await backend.test_connection(connection.id)
    assert tested.health is ConnectionHealth.VALID
    assert tested.screen_name == "Ada at Desk"


async def test_reconnect_keeps_secrets_that_are_not_entered_again(backend, connection):
    again = await backend.reconnect(connection.id, {"screenName": "Ada's second name", "apiKey": ""})

    assert (again.id, again.screen_name) == (connection.id, "Ada's second name")
    assert (await backend.test_connection(connection.id)).health is ConnectionHealth.VALID


async def test_reconnect_makes_a_rejected_connection_valid_again(
    desk_runtime, backend, connection, desk_service
):
    desk_service.good_key = "dk-new"
    rejected = await backend.test_connection(connection.id)

    again = await backend.reconnect(connection.id, {"apiKey": "dk-new"})

    assert rejected.health is ConnectionHealth.NEEDS_ATTENTION
    assert (again.health, again.verified, again.reason) == (ConnectionHealth.VALID, True, None)
    assert (await desk_runtime.credentials.load(connection.id))["apiKey"] == "dk-new"


async def test_rejected_credentials_are_an_answer_of_the_test_not_an_error(backend, connection, desk_service):
    desk_service.good_key = "another"

    tested = await backend.test_connection(connection.id)

    assert (tested.health, tested.verified) == (ConnectionHealth.NEEDS_ATTENTION, False)
    assert "Invalid API key" in tested.reason
    assert tested.tested_at > connection.tested_at
    assert await backend.get_connection(connection.id) == tested


async def test_unreachable_service_leaves_what_the_last_test_said(
    desk_runtime, backend, connection, desk_service
):
    desk_service.close()

    tested = await backend.test_connection(connection.id)

    assert "refused the connection" in tested.unreachable
    assert tested.unreachable_at > connection.tested_at
    assert tested.model_copy(update={"unreachable": None, "unreachable_at": None}) == connection
    assert await backend.list_connections() == (tested,)


@pytest.mark.parametrize("status", [500, 503, 408, 429])
async def test_an_overloaded_service_says_nothing_about_the_credentials(
    backend, connection, desk_service, status
):
    desk_service.failing = status

    tested = await backend.test_connection(connection.id)

    assert (tested.health, tested.verified) == (ConnectionHealth.VALID, True)
    assert str(status) in tested.unreachable


async def test_the_next_answer_ends_being_unreachable(backend, connection, desk_service):
    desk_service.failing = 503
    await backend.test_connection(connection.id)
    desk_service.failing = None
    desk_service.good_key = "another"

    refused = await backend.test_connection(connection.id)
    again = await backend.reconnect(connection.id, {"apiKey": "another"})

    assert (refused.health, refused.unreachable) == (ConnectionHealth.NEEDS_ATTENTION, None)
    assert (again.health, again.unreachable) == (ConnectionHealth.VALID, None)


async def test_renaming(backend, connection):
    renamed = await backend.rename_connection(connection.id, "  Work ")

    assert (renamed.screen_name, renamed.formatted_data["screenName"]) == ("Work", "Work")
    with pytest.raises(ValidationFailed):
        await backend.rename_connection(connection.id, " ")


async def test_a_deleted_connections_secret_is_unavailable_until_it_is_restored(
    desk_runtime, backend, connection
):
    change = await backend.delete_connection(connection.id)

    assert (change.noun, change.action) == (ResourceType.CONNECTION, "deleted")
    assert await backend.list_connections() == ()
    for ask in (backend.get_connection, backend.test_connection, desk_runtime.credentials.load):
        with pytest.raises(NotFound):
            await ask(connection.id)
    with pytest.raises(NotFound):
        await backend.delete_connection(connection.id)

    assert await backend.restore_connection(connection.id) is not None
    assert (await backend.test_connection(connection.id)).health is ConnectionHealth.VALID


async def test_connection_counts_the_flows_that_use_it(desk_runtime, backend, connection):
    create = StepChange(app_key=DESK, key="createTicket", connection_id=connection.id)
    flow = await desk_runtime.flow(CATCH, create, create)
    await desk_runtime.flow(CATCH, create)
    other = await desk_runtime.flow(CATCH, create)
    await backend.delete_flow(other.id)

    assert (await backend.get_connection(connection.id)).flow_count == 2
    await backend.delete_step(flow.steps[1].id)
    assert (await backend.get_connection(connection.id)).flow_count == 2
    app = await backend.get_app("desk")
    assert (app.connection_count, app.flow_count) == (1, 2)


async def test_engine_marks_a_connection_and_stores_refreshed_tokens(desk_runtime, backend, connection):
    await desk_runtime.credentials.mark_invalid(connection.id, "Desk answered 401.")
    marked = await backend.get_connection(connection.id)

    await desk_runtime.credentials.save(connection.id, {"apiKey": "refreshed"})

    assert (marked.health, marked.reason) == (ConnectionHealth.NEEDS_ATTENTION, "Desk answered 401.")
    assert await desk_runtime.credentials.load(connection.id) == {"apiKey": "refreshed"}


async def test_a_locked_keyring_shows_on_every_connection_without_a_prompt(tmp_path, desk_service):
    class Home(MemoryKeyStore):
        locked = False

        async def get(self, name):
            if self.locked:
                raise secrets_unavailable("locked")
            return await super().get(name)

    home = Home()
    runtime = await open_runtime(tmp_path, desk_service, home)
    connection = await runtime.connect(desk_service.good_key)
    await runtime.close()
    home.locked, desk_service.calls[:] = True, []

    runtime = await open_runtime(tmp_path, desk_service, home)
    await runtime.secret_store.open()
    listed = await runtime.backend.list_connections()
    info = await runtime.backend.info()
    for attempt in (
        runtime.backend.test_connection(connection.id),
        runtime.connect(desk_service.good_key),
        runtime.credentials.load(connection.id),
    ):
        with pytest.raises(SecretsUnavailable):
            await attempt
    home.locked = False
    tested = await runtime.backend.test_connection(connection.id)
    unlocked = await runtime.backend.info()
    await runtime.close()

    assert (listed[0].health, listed[0].reason) == (ConnectionHealth.VALID, None)
    assert "locked" in listed[0].secrets_problem
    assert "locked" in info.secrets_problem
    assert desk_service.calls == ["GET /me"]
    assert tested.health is ConnectionHealth.VALID
    assert unlocked.secrets_problem is None


async def test_planted_secret_is_nowhere_in_files_logs_changes_or_exports(tmp_path, desk_service, caplog):
    caplog.set_level(logging.DEBUG)
    runtime = await open_runtime(tmp_path, desk_service)
    listener = runtime.changes.listen()
    secret = desk_service.good_key
    connection = await runtime.connect(secret)
    create = StepChange(
        app_key=DESK, key="createTicket", connection_id=connection.id, parameters={"title": "Hello"}
    )
    flow = await runtime.flow(CATCH, create)
    test = await runtime.backend.test_step(flow.steps[1].id)
    export = await runtime.backend.export_flow(flow.id)
    with pytest.raises(ThirdPartyError) as refused:
        await runtime.connect("wrong-" + secret)
    key = await runtime.db.read(lambda tx: meta.get(tx, "data_key_check"))

    files = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    await runtime.close()
    files |= {f"closed {path.name}": path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    seen = [change async for change in listener]

    assert any(name.endswith("-wal") for name in files)
    assert [name for name, content in files.items() if secret.encode() in content] == []
    told = (
        f"{caplog.text}{connection!r}{export!r}{test!r}{seen!r}{refused.value.text()}{refused.value.extra()}"
    )
    assert secret not in told
    assert key is not None
    assert test.result.status == "success"
