"""Scenarios for every server that offers the HTTP API: Patchbay and third-party servers."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from tests.support.api_recorder import ApiRecorder

from patchbay.domain.errors import AlreadyTaken, FlowNotReady, NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.flows import FlowFilter, FlowStatus
from patchbay.domain.paging import PageRequest

Run = Callable[[ApiRecorder], Awaitable[None]]
API_STORIES: list[tuple[Run, frozenset[str]]] = []
"""Each with the operations it covers."""
PAGE = PageRequest()


def api_story(*covers: str) -> Callable[[Run], Run]:
    """Add a function to the stories."""

    def add(run: Run) -> Run:
        API_STORIES.append((run, frozenset(covers)))
        return run

    return add


async def _names(call: ApiRecorder, limit: int = 50, **where: Any) -> list[str]:
    page = await call("list_flows", FlowFilter(**where), PageRequest(limit=limit))
    return [flow.name for flow in page.items]


@api_story("list_apps", "get_app")
async def apps_are_listed_and_read(call: ApiRecorder) -> None:
    assert [app.key for app in await call("list_apps")] == ["desk", "forge", "mcp", "tools"]
    assert (await call("get_app", "tools")).name == "Tools"
    assert isinstance(await call.refused("get_app", "no-such-app"), NotFound)


@api_story(
    "list_users", "create_flow", "get_flow", "list_flows", "delete_flow", "publish_flow", "unpublish_flow"
)
async def a_flow_comes_and_goes(call: ApiRecorder) -> None:
    (owner,) = await call("list_users")
    made = await call("create_flow")
    assert (made.name, len(made.steps), made.user_id) == ("Name your flow", 2, owner.id)
    assert await call("get_flow", made.id) == made
    assert (await call("list_flows", FlowFilter(), PAGE)).items == (made,)

    assert (await call("delete_flow", made.id)).ids == (made.id,)
    assert (await call("list_flows", FlowFilter(), PAGE)).total == 0
    for operation in ("get_flow", "delete_flow", "publish_flow", "unpublish_flow"):
        for key in (made.id, str(uuid4()), "not-an-id"):
            assert isinstance(await call.refused(operation, key), NotFound)
    assert isinstance(await call.refused("create_flow", user_id=str(uuid4())), NotFound)


@api_story("create_flow", "publish_flow", "unpublish_flow", "list_flows")
async def a_flow_goes_live_when_it_is_ready(call: ApiRecorder) -> None:
    unready = await call("create_flow")
    assert isinstance(await call.refused("publish_flow", unready.id), FlowNotReady)
    ready = await call.server.ready_flow("Parcels")

    live = await call("publish_flow", ready)
    assert (live.status, len(live.steps)) == (FlowStatus.PUBLISHED, 2)
    assert await call("publish_flow", ready) == live
    assert await _names(call, status=FlowStatus.PUBLISHED) == ["Parcels"]
    assert await _names(call, status=FlowStatus.DRAFT) == ["Name your flow"]
    assert (await call("unpublish_flow", ready)).status is FlowStatus.DRAFT
    assert (await call("unpublish_flow", ready)).status is FlowStatus.DRAFT


@api_story("list_users", "create_folder", "create_flow", "publish_flow", "list_flows", "get_flow")
async def flows_are_found_by_every_condition_and_in_pages(call: ApiRecorder) -> None:
    (owner,) = await call("list_users")
    work = await call("create_folder", "Work")
    live = await call.server.ready_flow("Live one")
    for number in range(12):
        flow = await call("create_flow")
        await call.server.renamed(flow.id, f"Draft {number}")
    await call.server.moved(live, work.id)
    await call("publish_flow", live)

    first = await call("list_flows", FlowFilter(), PAGE)
    assert (first.total, len(first.items), first.items[0].id) == (13, 10, live)
    rest = await call("list_flows", FlowFilter(), PageRequest(cursor=first.next_cursor))
    assert (len(rest.items), rest.next_cursor) == (3, None)
    assert (await call("list_flows", FlowFilter(), PageRequest(page=2))).items == rest.items
    assert (await call("list_flows", FlowFilter(), PageRequest(page=9999))).items == ()
    whole = await call("list_flows", FlowFilter(), PageRequest(limit=200))
    assert whole.items == (*first.items, *rest.items)
    assert {flow.folder_id for flow in whole.items[1:]} == {None}

    assert await _names(call, name="DRAFT 1") == ["Draft 11", "Draft 10", "Draft 1"]
    assert await _names(call, folder_id=work.id) == ["Live one"]
    assert len(await _names(call, folder_id="null")) == 12
    assert len(await _names(call, user_id=owner.id)) == 13
    assert await _names(call, user_id=str(uuid4())) == []
    assert await _names(call, app_key="tools") == ["Live one"]
    assert await _names(call, status=FlowStatus.PAUSED) == []
    assert (await call("get_flow", live)).folder_id == work.id


@api_story("list_executions", "get_execution", "delete_flow")
async def executions_are_found_by_every_condition_and_in_pages(call: ApiRecorder) -> None:
    parcels = await call.server.ready_flow("Parcels")
    letters = await call.server.ready_flow("Letters")
    runs = [await call.server.ran(parcels, well=well) for well in (True, False, True)]
    runs += [await call.server.ran(letters, well=True) for _ in range(9)]

    async def found(**where: Any) -> int:
        return (await call("list_executions", ExecutionFilter(**where), PAGE)).total

    first = await call("list_executions", ExecutionFilter(), PAGE)
    assert [run.id for run in first.items] == runs[:1:-1]
    rest = await call("list_executions", ExecutionFilter(), PageRequest(cursor=first.next_cursor))
    assert ([run.id for run in rest.items], rest.next_cursor) == (runs[1::-1], None)
    assert (await call("list_executions", ExecutionFilter(), PageRequest(page=2))).items == rest.items
    assert (await call("list_executions", ExecutionFilter(), PageRequest(page=99))).items == ()

    assert (await found(name="parc"), await found(name="nothing like it")) == (3, 0)
    assert await found(status=ExecutionStatus.FAILURE) == 1
    assert await found(status=ExecutionStatus.SUCCESS) == 11
    assert await found(states=(ExecutionState.FAILURE,)) == 1
    middle = first.items[4].created_at
    assert await found(started_after=middle) == 5
    assert await found(ended_before=middle) == 8
    assert await found(started_after=middle, ended_before=middle, name="letters") == 1

    failed = await call("get_execution", runs[1])
    assert (failed.status, failed.flow.name) == (ExecutionStatus.FAILURE, "Parcels")
    await call("delete_flow", parcels)
    assert (await call("get_execution", runs[1])).status is ExecutionStatus.FAILURE
    assert await found() == 12
    for key in (str(uuid4()), "not-an-id"):
        assert isinstance(await call.refused("get_execution", key), NotFound)


@api_story("create_folder", "list_folders", "get_flow", "rename_folder", "delete_folder")
async def folders_belong_to_people_and_go_without_their_flows(call: ApiRecorder) -> None:
    eve = await call.server.joined("Eve", "eve@example.org")
    work = await call("create_folder", "Work")
    hers = await call("create_folder", "Archive", eve)
    flow = await call.server.ready_flow("Filed")
    await call.server.moved(flow, work.id)
    assert [folder.name for folder in await call("list_folders", eve)] == ["Archive"]
    assert (await call("get_flow", flow)).folder_id == work.id

    assert (await call("rename_folder", work.id, "Play")).name == "Play"
    assert (await call("rename_folder", hers.id, "Attic", eve)).user_id == eve
    for name in ("", "  ", "x" * 256):
        assert isinstance(await call.refused("create_folder", name), ValidationFailed)
        assert isinstance(await call.refused("rename_folder", work.id, name), ValidationFailed)
    assert isinstance(await call.refused("create_folder", "Whose?", str(uuid4())), NotFound)
    assert isinstance(await call.refused("list_folders", str(uuid4())), NotFound)
    assert isinstance(await call.refused("delete_folder", work.id, eve), NotFound)

    assert (await call("delete_folder", work.id)).ids == (work.id,)
    assert isinstance(await call.refused("delete_folder", work.id), NotFound)
    assert (await call("get_flow", flow)).folder_id is None


@api_story(
    "list_users", "list_templates", "get_template", "create_template", "use_template", "delete_template"
)
async def templates_are_made_and_used(call: ApiRecorder) -> None:
    (owner,) = await call("list_users")
    flow = await call.server.ready_flow("Parcels")
    assert await call("list_templates") == ()
    first = await call("create_template", "Start here", flow)
    second = await call("create_template", "Or here", flow)
    assert [item.id for item in await call("list_templates")] == [first.id, second.id]
    assert (await call("get_template", second.id)).name == "Or here"

    fresh = await call("use_template", first.id)
    assert (fresh.name, fresh.user_id, fresh.active) == ("Parcels", owner.id, False)
    assert [(step.app_key, step.key) for step in fresh.steps] == [("tools", "catch"), ("tools", "pass")]

    assert isinstance(await call.refused("create_template", " ", flow), ValidationFailed)
    assert isinstance(await call.refused("create_template", "None", str(uuid4())), NotFound)
    assert isinstance(await call.refused("use_template", str(uuid4())), NotFound)
    assert (await call("delete_template", first.id)).ids == (first.id,)
    for key in (first.id, "not-an-id"):
        assert isinstance(await call.refused("delete_template", key), NotFound)


@api_story(
    "list_users",
    "create_flow",
    "invite",
    "list_invitations",
    "revoke_invitation",
    "delete_user",
    "get_flow",
)
async def people_are_invited_and_removed(call: ApiRecorder) -> None:
    eve = await call.server.joined("Eve", "eve@example.org")
    assert [person.full_name for person in await call("list_users")] == ["Eve", "Owner"]
    hers = await call("create_flow", user_id=eve)
    assert hers.user_id == eve
    role = (await call.workspace.backend.list_roles())[0]
    assert role.is_admin

    made = await call("invite", "Dana Mori", "Dana@example.org", role.id)
    assert (made.email, bool(made.accept_invitation_url)) == ("dana@example.org", True)
    await call("invite", "Cleo", "cleo@example.org", role.id)
    assert [person.full_name for person in await call("list_invitations")] == ["Cleo", "Dana Mori"]
    assert isinstance(await call.refused("invite", "X", "EVE@example.org", role.id), AlreadyTaken)
    assert isinstance(await call.refused("invite", "X", "nonsense", role.id), ValidationFailed)

    assert (await call("revoke_invitation", made.id)).ids == (made.id,)
    for key in (made.id, eve, str(uuid4()), "not-an-id"):
        assert isinstance(await call.refused("revoke_invitation", key), NotFound)
    assert (await call("delete_user", eve)).ids == (eve,)
    assert isinstance(await call.refused("delete_user", eve), NotFound)
    assert [person.full_name for person in await call("list_users")] == ["Owner"]
    assert (await call("get_flow", hers.id)).name == "Name your flow"
