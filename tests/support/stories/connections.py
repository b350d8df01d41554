"""Connections and apps."""

from uuid import uuid4

from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story

from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import NotFound, NotSupported, ThirdPartyError, ValidationFailed


def values(call: OperationRecorder, **changes: str) -> dict[str, str]:
    return {"screenName": "Ada", "apiKey": call.workspace.desk.good_key} | changes


@story(
    "add_connection",
    "get_connection",
    "list_connections",
    "rename_connection",
    "delete_connection",
    "restore_connection",
)
async def a_connection_is_made_renamed_deleted_and_brought_back(call: OperationRecorder) -> None:
    made = await call("add_connection", "desk", values(call))
    assert (made.screen_name, made.verified, made.health) == ("Ada", True, ConnectionHealth.VALID)
    assert call.workspace.desk.good_key not in made.model_dump_json()
    assert await call("get_connection", made.id) == made

    other = await call("add_connection", "desk", values(call, screenName="call me by my login"))
    assert other.screen_name == "ada"
    assert len(await call("list_connections")) == 2
    assert len(await call("list_connections", "desk")) == 2
    assert await call("list_connections", "tools") == ()

    assert (await call("rename_connection", made.id, "Ada at work")).screen_name == "Ada at work"
    assert isinstance(await call.refused("rename_connection", made.id, " "), ValidationFailed)
    assert (await call("delete_connection", made.id)).ids == (made.id,)
    assert isinstance(await call.refused("get_connection", made.id), NotFound)
    assert (await call("restore_connection", made.id)).screen_name == "Ada at work"


@story("add_connection", "list_connections")
async def refused_credentials_leave_nothing_behind(call: OperationRecorder) -> None:
    refused = await call.refused("add_connection", "desk", values(call, apiKey="dk-wrong-key-000000"))
    assert isinstance(refused, ThirdPartyError)
    assert (refused.said, refused.status) == ("Invalid API key", 401)
    assert "dk-wrong-key-000000" not in str(call.lines)

    missing = await call.refused("add_connection", "desk", {"screenName": "Ada"})
    assert isinstance(missing, ValidationFailed)
    assert list(missing.fields()) == ["apiKey"]
    assert isinstance(await call.refused("add_connection", "tools", {}), NotSupported)
    assert isinstance(await call.refused("add_connection", "no-such-app", {}), NotFound)
    assert await call("list_connections") == ()


@story("add_connection", "reconnect", "test_connection", "get_connection", "rename_connection")
async def a_connection_is_tested_and_renewed(call: OperationRecorder) -> None:
    made = await call("add_connection", "desk", values(call))
    assert (await call("test_connection", made.id)).health is ConnectionHealth.VALID

    call.workspace.desk.good_key = "dk-renewed-key-11111"
    tested = await call("test_connection", made.id)
    assert (tested.health, tested.verified) == (ConnectionHealth.NEEDS_ATTENTION, False)
    assert tested.reason
    refused = await call.refused("reconnect", made.id, {"apiKey": "dk-wrong-key-000000"})
    assert isinstance(refused, ThirdPartyError)
    renewed = await call("reconnect", made.id, {"apiKey": "dk-renewed-key-11111"})
    assert (renewed.health, renewed.screen_name) == (ConnectionHealth.VALID, "Ada")

    for operation, *more in (
        ("test_connection",),
        ("reconnect", {}),
        ("rename_connection", "x"),
        ("get_connection",),
    ):
        assert isinstance(await call.refused(operation, str(uuid4()), *more), NotFound)


@story("delete_connection", "restore_connection")
async def unknown_connections_cannot_be_deleted(call: OperationRecorder) -> None:
    assert isinstance(await call.refused("delete_connection", str(uuid4())), NotFound)
    assert isinstance(await call.refused("restore_connection", str(uuid4())), NotFound)


@story("list_apps", "get_app", "add_connection")
async def apps_are_listed_briefly_and_read_in_full(call: OperationRecorder) -> None:
    await call("add_connection", "desk", values(call))

    apps = await call("list_apps")
    counts = {app.key: app.connection_count for app in apps}
    assert (counts["desk"], counts["tools"]) == (1, 0)
    assert [app.auth for app in apps] == [None] * len(apps)
    desk = await call("get_app", "desk")
    assert [field.key for field in desk.auth.fields] == ["screenName", "apiKey"]
    assert desk.trigger("newTicket")
    assert desk.action("createTicket").arguments[2].source.loader == "listProjects"
    assert isinstance(await call.refused("get_app", "no-such-app"), NotFound)
    assert isinstance(await call.refused("get_app", "Desk?x=1"), NotFound)
