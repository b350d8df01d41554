"""What every service of the interface offers, told of all of them."""

from collections.abc import Awaitable, Callable
from uuid import uuid4

from tests.support.interface_teller import InterfaceTeller

from patchbay.domain.errors import AlreadyTaken, FlowNotReady, NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.flows import FlowFilter, FlowStatus
from patchbay.domain.paging import PageRequest

Telling = Callable[[InterfaceTeller], Awaitable[None]]
TOLD: list[tuple[Telling, frozenset[str]]] = []
"""Each with the operations it covers."""
PAGE = PageRequest()


def told(*covers: str) -> Callable[[Telling], Telling]:
    """Add a function to what is told."""

    def add(tell: Telling) -> Telling:
        TOLD.append((tell, frozenset(covers)))
        return tell

    return add


async def _names(tell: InterfaceTeller, limit: int = 50, **where: object) -> list[str]:
    page = await tell("list_flows", FlowFilter(**where), PageRequest(limit=limit))
    return [flow.name for flow in page.items]


@told("list_apps", "get_app")
async def apps_are_listed_and_read(tell: InterfaceTeller) -> None:
    assert [app.key for app in await tell("list_apps")] == ["desk", "forge", "tools"]
    assert (await tell("get_app", "tools")).name == "Tools"
    assert isinstance(await tell.refused("get_app", "no-such-app"), NotFound)


@told("list_users", "create_flow", "get_flow", "list_flows", "delete_flow", "publish_flow", "unpublish_flow")
async def a_flow_comes_and_goes(tell: InterfaceTeller) -> None:
    (owner,) = await tell("list_users")
    made = await tell("create_flow")
    assert (made.name, len(made.steps), made.user_id) == ("Name your flow", 2, owner.id)
    assert await tell("get_flow", made.id) == made
    assert (await tell("list_flows", FlowFilter(), PAGE)).items == (made,)

    assert (await tell("delete_flow", made.id)).ids == (made.id,)
    assert (await tell("list_flows", FlowFilter(), PAGE)).total == 0
    for operation in ("get_flow", "delete_flow", "publish_flow", "unpublish_flow"):
        for key in (made.id, str(uuid4()), "not-an-id"):
            assert isinstance(await tell.refused(operation, key), NotFound)
    assert isinstance(await tell.refused("create_flow", user_id=str(uuid4())), NotFound)


@told("create_flow", "publish_flow", "unpublish_flow", "list_flows")
async def a_flow_goes_live_when_it_is_ready(tell: InterfaceTeller) -> None:
    unready = await tell("create_flow")
    assert isinstance(await tell.refused("publish_flow", unready.id), FlowNotReady)
    ready = await tell.behind.ready_flow("Parcels")

    live = await tell("publish_flow", ready)
    assert (live.status, len(live.steps)) == (FlowStatus.PUBLISHED, 2)
    assert await tell("publish_flow", ready) == live
    assert await _names(tell, status=FlowStatus.PUBLISHED) == ["Parcels"]
    assert await _names(tell, status=FlowStatus.DRAFT) == ["Name your flow"]
    assert (await tell("unpublish_flow", ready)).status is FlowStatus.DRAFT
    assert (await tell("unpublish_flow", ready)).status is FlowStatus.DRAFT


@told("list_users", "create_folder", "create_flow", "publish_flow", "list_flows", "get_flow")
async def flows_are_found_by_every_condition_and_in_pages(tell: InterfaceTeller) -> None:
    (owner,) = await tell("list_users")
    work = await tell("create_folder", "Work")
    live = await tell.behind.ready_flow("Live one")
    for number in range(12):
        flow = await tell("create_flow")
        await tell.behind.renamed(flow.id, f"Draft {number}")
    await tell.behind.moved(live, work.id)
    await tell("publish_flow", live)

    first = await tell("list_flows", FlowFilter(), PAGE)
    assert (first.total, len(first.items), first.items[0].id) == (13, 10, live)
    rest = await tell("list_flows", FlowFilter(), PageRequest(cursor=first.next_cursor))
    assert (len(rest.items), rest.next_cursor) == (3, None)
    assert (await tell("list_flows", FlowFilter(), PageRequest(page=2))).items == rest.items
    assert (await tell("list_flows", FlowFilter(), PageRequest(page=9999))).items == ()
    whole = await tell("list_flows", FlowFilter(), PageRequest(limit=200))
    assert whole.items == (*first.items, *rest.items)
    assert {flow.folder_id for flow in whole.items[1:]} == {None}

    assert await _names(tell, name="DRAFT 1") == ["Draft 11", "Draft 10", "Draft 1"]
    assert await _names(tell, folder_id=work.id) == ["Live one"]
    assert len(await _names(tell, folder_id="null")) == 12
    assert len(await _names(tell, user_id=owner.id)) == 13
    assert await _names(tell, user_id=str(uuid4())) == []
    assert await _names(tell, app_key="tools") == ["Live one"]
    assert await _names(tell, status=FlowStatus.PAUSED) == []
    assert (await tell("get_flow", live)).folder_id == work.id


@told("list_executions", "get_execution", "delete_flow")
async def executions_are_found_by_every_condition_and_in_pages(tell: InterfaceTeller) -> None:
    parcels = await tell.behind.ready_flow("Parcels")
    letters = await tell.behind.ready_flow("Letters")
    runs = [await tell.behind.ran(parcels, well=well) for well in (True, False, True)]
    runs += [await tell.behind.ran(letters, well=True) for _ in range(9)]

    async def found(**where: object) -> int:
        return (await tell("list_executions", ExecutionFilter(**where), PAGE)).total

    first = await tell("list_executions", ExecutionFilter(), PAGE)
    assert [run.id for run in first.items] == runs[:1:-1]
    rest = await tell("list_executions", ExecutionFilter(), PageRequest(cursor=first.next_cursor))
    assert ([run.id for run in rest.items], rest.next_cursor) == (runs[1::-1], None)
    assert (await tell("list_executions", ExecutionFilter(), PageRequest(page=2))).items == rest.items
    assert (await tell("list_executions", ExecutionFilter(), PageRequest(page=99))).items == ()

    assert (await found(name="parc"), await found(name="nothing like it")) == (3, 0)
    assert await found(status=ExecutionStatus.FAILURE) == 1
    assert await found(status=ExecutionStatus.SUCCESS) == 11
    assert await found(states=(ExecutionState.FAILURE,)) == 1
    middle = first.items[4].created_at
    assert await found(started_after=middle) == 5
    assert await found(ended_before=middle) == 8
    assert await found(started_after=middle, ended_before=middle, name="letters") == 1

    failed = await tell("get_execution", runs[1])
    assert (failed.status, failed.flow.name) == (ExecutionStatus.FAILURE, "Parcels")
    await tell("delete_flow", parcels)
    assert (await tell("get_execution", runs[1])).status is ExecutionStatus.FAILURE
    assert await found() == 12
    for key in (str(uuid4()), "not-an-id"):
        assert isinstance(await tell.refused("get_execution", key), NotFound)


@told("create_folder", "list_folders", "get_flow", "rename_folder", "delete_folder")
async def folders_belong_to_people_and_go_without_their_flows(tell: InterfaceTeller) -> None:
    eve = await tell.behind.joined("Eve", "eve@example.org")
    work = await tell("create_folder", "Work")
    hers = await tell("create_folder", "Archive", eve)
    flow = await tell.behind.ready_flow("Filed")
    await tell.behind.moved(flow, work.id)
    assert [folder.name for folder in await tell("list_folders", eve)] == ["Archive"]
    assert (await tell("get_flow", flow)).folder_id == work.id

    assert (await tell("rename_folder", work.id, "Play")).name == "Play"
    assert (await tell("rename_folder", hers.id, "Attic", eve)).user_id == eve
    for name in ("", "  ", "x" * 256):
        assert isinstance(await tell.refused("create_folder", name), ValidationFailed)
        assert isinstance(await tell.refused("rename_folder", work.id, name), ValidationFailed)
    assert isinstance(await tell.refused("create_folder", "Whose?", str(uuid4())), NotFound)
    assert isinstance(await tell.refused("list_folders", str(uuid4())), NotFound)
    assert isinstance(await tell.refused("delete_folder", work.id, eve), NotFound)

    assert (await tell("delete_folder", work.id)).ids == (work.id,)
    assert isinstance(await tell.refused("delete_folder", work.id), NotFound)
    assert (await tell("get_flow", flow)).folder_id is None


@told("list_users", "list_templates", "get_template", "create_template", "use_template", "delete_template")
async def templates_are_made_and_used(tell: InterfaceTeller) -> None:
    (owner,) = await tell("list_users")
    flow = await tell.behind.ready_flow("Parcels")
    assert await tell("list_templates") == ()
    first = await tell("create_template", "Start here", flow)
    second = await tell("create_template", "Or here", flow)
    assert [item.id for item in await tell("list_templates")] == [first.id, second.id]
    assert (await tell("get_template", second.id)).name == "Or here"

    fresh = await tell("use_template", first.id)
    assert (fresh.name, fresh.user_id, fresh.active) == ("Parcels", owner.id, False)
    assert [(step.app_key, step.key) for step in fresh.steps] == [("tools", "catch"), ("tools", "pass")]

    assert isinstance(await tell.refused("create_template", " ", flow), ValidationFailed)
    assert isinstance(await tell.refused("create_template", "None", str(uuid4())), NotFound)
    assert isinstance(await tell.refused("use_template", str(uuid4())), NotFound)
    assert (await tell("delete_template", first.id)).ids == (first.id,)
    for key in (first.id, "not-an-id"):
        assert isinstance(await tell.refused("delete_template", key), NotFound)


@told(
    "list_users",
    "create_flow",
    "invite",
    "list_invitations",
    "revoke_invitation",
    "delete_user",
    "get_flow",
)
async def people_are_invited_and_removed(tell: InterfaceTeller) -> None:
    eve = await tell.behind.joined("Eve", "eve@example.org")
    assert [person.full_name for person in await tell("list_users")] == ["Eve", "Owner"]
    hers = await tell("create_flow", user_id=eve)
    assert hers.user_id == eve
    role = (await tell.home.backend.list_roles())[0]
    assert role.is_admin

    made = await tell("invite", "Dana Mori", "Dana@example.org", role.id)
    assert (made.email, bool(made.accept_invitation_url)) == ("dana@example.org", True)
    await tell("invite", "Cleo", "cleo@example.org", role.id)
    assert [person.full_name for person in await tell("list_invitations")] == ["Cleo", "Dana Mori"]
    assert isinstance(await tell.refused("invite", "X", "EVE@example.org", role.id), AlreadyTaken)
    assert isinstance(await tell.refused("invite", "X", "nonsense", role.id), ValidationFailed)

    assert (await tell("revoke_invitation", made.id)).ids == (made.id,)
    for key in (made.id, eve, str(uuid4()), "not-an-id"):
        assert isinstance(await tell.refused("revoke_invitation", key), NotFound)
    assert (await tell("delete_user", eve)).ids == (eve,)
    assert isinstance(await tell.refused("delete_user", eve), NotFound)
    assert [person.full_name for person in await tell("list_users")] == ["Owner"]
    assert (await tell("get_flow", hers.id)).name == "Name your flow"
