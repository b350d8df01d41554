"""Connections and apps."""

from uuid import uuid4

from tests.support.stories import story
from tests.support.teller import Teller

from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import NotFound, NotSupported, ThirdPartyError, ValidationFailed


def values(tell: Teller, **changes: str) -> dict[str, str]:
    return {"screenName": "Ada", "apiKey": tell.home.desk.good_key} | changes


@story(
    "add_connection", "get_connection", "list_connections", "rename_connection", "delete_connection",
    "restore_connection",
)  # fmt: skip
async def a_connection_is_made_renamed_deleted_and_brought_back(tell: Teller) -> None:
    made = await tell("add_connection", "desk", values(tell))
    assert (made.screen_name, made.verified, made.health) == ("Ada", True, ConnectionHealth.VALID)
    assert tell.home.desk.good_key not in made.model_dump_json()
    assert await tell("get_connection", made.id) == made

    other = await tell("add_connection", "desk", values(tell, screenName="call me by my login"))
    assert other.screen_name == "ada"
    assert len(await tell("list_connections")) == 2
    assert len(await tell("list_connections", "desk")) == 2
    assert await tell("list_connections", "tools") == ()

    assert (await tell("rename_connection", made.id, "Ada at work")).screen_name == "Ada at work"
    assert isinstance(await tell.refused("rename_connection", made.id, " "), ValidationFailed)
    assert (await tell("delete_connection", made.id)).ids == (made.id,)
    assert isinstance(await tell.refused("get_connection", made.id), NotFound)
    assert (await tell("restore_connection", made.id)).screen_name == "Ada at work"


@story("add_connection", "list_connections")
async def refused_credentials_leave_nothing_behind(tell: Teller) -> None:
    refused = await tell.refused("add_connection", "desk", values(tell, apiKey="dk-wrong-key-000000"))
    assert isinstance(refused, ThirdPartyError)
    assert (refused.said, refused.status) == ("Invalid API key", 401)
    assert "dk-wrong-key-000000" not in str(tell.lines)

    missing = await tell.refused("add_connection", "desk", {"screenName": "Ada"})
    assert isinstance(missing, ValidationFailed)
    assert list(missing.fields()) == ["apiKey"]
    assert isinstance(await tell.refused("add_connection", "tools", {}), NotSupported)
    assert isinstance(await tell.refused("add_connection", "no-such-app", {}), NotFound)
    assert await tell("list_connections") == ()


@story("add_connection", "reconnect", "test_connection", "get_connection", "rename_connection")
async def a_connection_is_tested_and_renewed(tell: Teller) -> None:
    made = await tell("add_connection", "desk", values(tell))
    assert (await tell("test_connection", made.id)).health is ConnectionHealth.VALID

    tell.home.desk.good_key = "dk-renewed-key-11111"
    tested = await tell("test_connection", made.id)
    assert (tested.health, tested.verified) == (ConnectionHealth.NEEDS_ATTENTION, False)
    assert tested.reason
    refused = await tell.refused("reconnect", made.id, {"apiKey": "dk-wrong-key-000000"})
    assert isinstance(refused, ThirdPartyError)
    renewed = await tell("reconnect", made.id, {"apiKey": "dk-renewed-key-11111"})
    assert (renewed.health, renewed.screen_name) == (ConnectionHealth.VALID, "Ada")

    for operation, *more in (
        ("test_connection",),
        ("reconnect", {}),
        ("rename_connection", "x"),
        ("get_connection",),
    ):
        assert isinstance(await tell.refused(operation, str(uuid4()), *more), NotFound)


@story("delete_connection", "restore_connection")
async def unknown_connections_cannot_be_deleted(tell: Teller) -> None:
    assert isinstance(await tell.refused("delete_connection", str(uuid4())), NotFound)
    assert isinstance(await tell.refused("restore_connection", str(uuid4())), NotFound)


@story("list_apps", "get_app", "add_connection")
async def apps_are_listed_briefly_and_read_in_full(tell: Teller) -> None:
    await tell("add_connection", "desk", values(tell))

    apps = await tell("list_apps")
    counts = {app.key: app.connection_count for app in apps}
    assert (counts["desk"], counts["tools"]) == (1, 0)
    assert [app.auth for app in apps] == [None] * len(apps)
    desk = await tell("get_app", "desk")
    assert [field.key for field in desk.auth.fields] == ["screenName", "apiKey"]
    assert desk.trigger("newTicket")
    assert desk.action("createTicket").arguments[2].source.loader == "listProjects"
    assert isinstance(await tell.refused("get_app", "no-such-app"), NotFound)
    assert isinstance(await tell.refused("get_app", "Desk?x=1"), NotFound)
