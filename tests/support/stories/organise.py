"""Folders, templates and people."""

from uuid import uuid4

from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story
from tests.support.stories.flows import ready_flow
from tests.support.workspace import START

from patchbay.domain.base import UserId
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import FlowFilter
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import User
from patchbay.storage.repositories import users


@story(
    "create_folder",
    "list_folders",
    "rename_folder",
    "delete_folder",
    "folder_stats",
    "create_flow",
    "get_flow",
)
async def a_folder_is_made_renamed_and_deleted_without_its_flows(call: OperationRecorder) -> None:
    made = await call("create_folder", "Work")
    await call("create_folder", "Archive")
    flow = await call("create_flow", "Filed", made.id)
    assert [folder.name for folder in await call("list_folders")] == ["Archive", "Work"]
    stats = await call("folder_stats")
    assert {entry.folder_id: entry.flows for entry in stats}[made.id] == 1

    assert (await call("rename_folder", made.id, "Play")).name == "Play"
    assert isinstance(await call.refused("rename_folder", made.id, ""), ValidationFailed)
    assert isinstance(await call.refused("create_folder", "x" * 256), ValidationFailed)
    gone = await call("delete_folder", made.id)
    assert (gone.ids, gone.action) == ((made.id,), "deleted")
    assert (await call("get_flow", flow.id)).folder_id is None
    assert isinstance(await call.refused("rename_folder", made.id, "Again"), NotFound)
    assert isinstance(await call.refused("delete_folder", made.id), NotFound)


@story("list_users", "create_folder", "list_folders", "delete_folder")
async def a_folder_belongs_to_one_user(call: OperationRecorder) -> None:
    (owner,) = await call("list_users")
    folder = await call("create_folder", "Mine", owner.id)
    assert folder.user_id == owner.id
    assert len(await call("list_folders", owner.id)) == 1

    stranger = str(uuid4())
    assert isinstance(await call.refused("list_folders", stranger), NotFound)
    assert isinstance(await call.refused("create_folder", "Theirs", stranger), NotFound)
    assert isinstance(await call.refused("delete_folder", folder.id, stranger), NotFound)
    assert (await call("delete_folder", folder.id, owner.id)).ids == (folder.id,)


@story(
    "create_flow",
    "update_step",
    "skip_step_test",
    "create_template",
    "list_templates",
    "get_template",
    "use_template",
    "delete_template",
)
async def a_flow_becomes_a_template_and_a_template_a_flow(call: OperationRecorder) -> None:
    flow = await ready_flow(call)
    template = await call("create_template", "Start here", flow.id)
    assert await call("list_templates") == (template,)
    assert await call("get_template", template.id) == template

    fresh = await call("use_template", template.id)
    assert (fresh.name, fresh.active) == (flow.name, False)
    assert [step.key for step in fresh.steps] == ["catch", "pass"]

    assert isinstance(await call.refused("create_template", " ", flow.id), ValidationFailed)
    assert isinstance(await call.refused("create_template", "None", str(uuid4())), NotFound)
    assert isinstance(await call.refused("use_template", str(uuid4())), NotFound)
    assert (await call("delete_template", template.id)).ids == (template.id,)
    for operation in ("get_template", "delete_template"):
        assert isinstance(await call.refused(operation, template.id), NotFound)
    assert await call("list_templates") == ()


@story(
    "list_users",
    "create_folder",
    "list_folders",
    "rename_folder",
    "delete_folder",
    "create_flow",
    "use_template",
    "update_step",
    "skip_step_test",
    "create_template",
    "list_flows",
    "folder_stats",
    "run_flow",
    "list_executions",
)
async def what_is_made_for_another_user_is_theirs(call: OperationRecorder) -> None:
    eve = User(id=UserId(str(uuid4())), full_name="Eve", email="eve@example.org", created_at=START * 2)
    await call.workspace.runtime.db.write(lambda tx: users.add(tx, eve))
    assert [person.full_name for person in await call("list_users")] == ["Eve", "Owner"]

    folder = await call("create_folder", "Eve's", eve.id)
    flow = await call("create_flow", "Hers", folder.id, eve.id)
    template = await call("create_template", "Start", (await ready_flow(call)).id)
    other = await call("use_template", template.id, eve.id)
    assert (flow.user_id, other.user_id, folder.user_id) == (eve.id, eve.id, eve.id)
    assert (await call("rename_folder", folder.id, "Eve's own", eve.id)).name == "Eve's own"
    assert isinstance(await call.refused("rename_folder", folder.id, "Mine now"), NotFound)
    assert isinstance(await call.refused("create_flow", "Mine", folder.id), NotFound)
    assert isinstance(await call.refused("create_flow", "Whose?", None, str(uuid4())), NotFound)
    assert isinstance(await call.refused("use_template", template.id, str(uuid4())), NotFound)
    assert await call("list_folders") == ()
    assert (await call("list_flows", FlowFilter(user_id=eve.id), PageRequest())).total == 2
    assert [entry.flows for entry in await call("folder_stats", eve.id)] == [1, 1]
    await call.finished(await call("run_flow", other.id, {}))
    runs = await call("list_executions", ExecutionFilter(user_id=eve.id), PageRequest())
    none = await call("list_executions", ExecutionFilter(user_id=UserId(str(uuid4()))), PageRequest())
    assert (runs.total, none.total) == (1, 0)
    assert (await call("delete_folder", folder.id, eve.id)).ids == (folder.id,)
