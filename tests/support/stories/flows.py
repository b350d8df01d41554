"""Flows as wholes."""

from typing import Any
from uuid import uuid4

from tests.support.desk import TOOLS
from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story

from patchbay.domain.base import FlowId, JsonObject
from patchbay.domain.errors import FlowNotReady, NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowExport, FlowFilter, FlowStatus, StepChange, StepStatus, StepTestStatus
from patchbay.domain.paging import PageRequest

CATCH = StepChange(app_key=TOOLS, key="catch")
PASS = StepChange(app_key=TOOLS, key="pass", parameters={"text": "hello"})


async def ready_flow(call: OperationRecorder, name: str = "Catch and pass on"):
    flow = await call("create_flow", name)
    await call("update_step", flow.steps[0].id, CATCH)
    await call("update_step", flow.steps[1].id, PASS)
    await call("skip_step_test", flow.steps[0].id)
    return await call("skip_step_test", flow.steps[1].id)


@story("create_flow", "get_flow", "update_flow", "delete_flow", "restore_flow")
async def a_flow_is_made_changed_deleted_and_brought_back(call: OperationRecorder) -> None:
    made = await call("create_flow")
    assert made.name == "Name your flow"
    assert [step.status for step in made.steps] == [StepStatus.INCOMPLETE, StepStatus.INCOMPLETE]

    changed = await call("update_flow", made.id, name="Orders", execution_interval=5)
    assert (changed.name, changed.execution_interval) == ("Orders", 5)
    assert await call("get_flow", made.id) == changed

    gone = await call("delete_flow", made.id)
    assert (gone.action, gone.ids) == ("deleted", (made.id,))
    assert isinstance(await call.refused("get_flow", made.id), NotFound)
    assert (await call("restore_flow", made.id)).name == "Orders"


@story("create_flow", "get_flow", "update_flow", "delete_flow", "restore_flow", "duplicate_flow", "run_flow")
async def what_is_wrong_with_a_flow_is_said_in_the_same_words(call: OperationRecorder) -> None:
    flow = await call("create_flow", "One")
    assert isinstance(await call.refused("create_flow", "  "), ValidationFailed)
    assert isinstance(await call.refused("create_flow", "x" * 256), ValidationFailed)
    assert isinstance(await call.refused("create_flow", "In a folder", str(uuid4())), NotFound)
    assert isinstance(await call.refused("update_flow", flow.id, name=""), ValidationFailed)
    assert isinstance(await call.refused("update_flow", flow.id, execution_interval=7), ValidationFailed)
    for operation in ("get_flow", "delete_flow", "restore_flow", "duplicate_flow", "run_flow"):
        assert isinstance(await call.refused(operation, str(uuid4())), NotFound)
        assert isinstance(await call.refused(operation, "not-an-id"), NotFound)


@story(
    "create_flow", "create_folder", "list_flows", "move_flow", "publish_flow", "update_step", "skip_step_test"
)
async def flows_are_found_by_every_condition_and_in_pages(call: OperationRecorder) -> None:
    folder = await call("create_folder", "Work")
    live = await ready_flow(call, "Live one")
    await call("publish_flow", live.id)
    filed = await call("create_flow", "Filed", folder.id)
    for number in range(12):
        await call("create_flow", f"Draft {number}")

    first = await call("list_flows", FlowFilter(), PageRequest())
    assert (first.total, len(first.items), first.total_pages) == (14, 10, 2)
    assert first.items[0].id == live.id
    second = await call("list_flows", FlowFilter(), PageRequest(page=2))
    assert (len(second.items), second.next_cursor) == (4, None)
    after = await call("list_flows", FlowFilter(), PageRequest(limit=10, cursor=first.next_cursor))
    assert {flow.id for flow in after.items} == {flow.id for flow in second.items}
    assert (await call("list_flows", FlowFilter(), PageRequest(page=9))).items == ()

    async def found(**conditions: Any) -> list[str]:
        page = await call("list_flows", FlowFilter(**conditions), PageRequest(limit=50))
        return [flow.name for flow in page.items]

    assert await found(name="draft 1") == ["Draft 11", "Draft 10", "Draft 1"]
    assert await found(status=FlowStatus.PUBLISHED) == ["Live one"]
    assert await found(folder_id=folder.id) == ["Filed"]
    assert len(await found(folder_id="null")) == 13
    assert await found(app_key="tools") == ["Live one"]
    assert await found(user_id=str(uuid4())) == []
    assert len(await found(user_id=live.user_id)) == 14
    assert await found(connection_id=str(uuid4())) == []
    assert await found(ids=(filed.id, live.id, FlowId(str(uuid4())))) == ["Live one", "Filed"]
    assert await found(ids=()) == []

    assert (await call("move_flow", filed.id, None)).folder_id is None
    assert (await call("move_flow", filed.id, folder.id)).folder_id == folder.id
    assert isinstance(await call.refused("move_flow", filed.id, str(uuid4())), NotFound)


@story("create_flow", "update_step", "skip_step_test", "publish_flow", "unpublish_flow", "list_flows")
async def a_flow_goes_live_only_when_it_is_ready(call: OperationRecorder) -> None:
    flow = await call("create_flow", "Not ready")
    refused = await call.refused("publish_flow", flow.id)
    assert isinstance(refused, FlowNotReady)
    assert [blocker.position for blocker in refused.blockers] == [1, 2]

    ready = await ready_flow(call)
    live = await call("publish_flow", ready.id)
    assert (live.active, live.published_version) == (True, 1)
    assert (await call("publish_flow", ready.id)).active
    edited = await call("update_step", ready.steps[1].id, StepChange(name="Renamed"))
    assert edited.has_unpublished_edits
    assert not (await call("unpublish_flow", ready.id)).active
    assert not (await call("unpublish_flow", ready.id)).active
    assert isinstance(await call.refused("publish_flow", str(uuid4())), NotFound)


@story("create_flow", "update_step", "skip_step_test", "duplicate_flow", "export_flow", "import_flow")
async def flows_are_copied_and_carried_elsewhere(call: OperationRecorder) -> None:
    flow = await ready_flow(call)
    uses_earlier = StepChange(parameters={"text": f"Got {{{{step.{flow.steps[0].id}.body.name}}}}"})
    flow = await call("update_step", flow.steps[1].id, uses_earlier)

    copy = await call("duplicate_flow", flow.id)
    assert (copy.name, copy.active) == ("Copy of Catch and pass on", False)
    assert copy.steps[0].id in copy.steps[1].parameters["text"]

    export = await call("export_flow", flow.id)
    assert export.steps[0].webhook_path == f"/webhooks/flows/{export.id}"
    back = await call("import_flow", export)
    assert back.steps[0].id in back.steps[1].parameters["text"]

    upside_down = FlowExport(id=export.id, name="Upside down", steps=export.steps[::-1])
    empty = FlowExport(id=export.id, name="Empty", steps=())
    assert "steps" in (await call.refused("import_flow", upside_down)).fields()
    assert "steps" in (await call.refused("import_flow", empty)).fields()


@story("create_flow", "update_step", "skip_step_test", "export_flow", "import_and_publish_flow", "get_flow")
async def flows_are_imported_and_published_at_once(call: OperationRecorder) -> None:
    export = await call("export_flow", (await ready_flow(call)).id)
    imported = await call("import_and_publish_flow", export)
    assert imported.error is None
    assert (imported.flow.active, imported.flow.published_version) == (True, 1)
    assert [step.tested for step in imported.flow.steps] == [StepTestStatus.SKIPPED, StepTestStatus.SKIPPED]
    assert await call("get_flow", imported.flow.id) == imported.flow

    unfinished = await call("export_flow", (await call("create_flow", "Unfinished")).id)
    draft = await call("import_and_publish_flow", unfinished)
    assert isinstance(draft.error, FlowNotReady)
    assert [blocker.position for blocker in draft.error.blockers] == [1, 2]
    assert not draft.flow.active
    assert await call("get_flow", draft.flow.id) == draft.flow

    empty = FlowExport(id=export.id, name="Empty", steps=())
    assert "steps" in (await call.refused("import_and_publish_flow", empty)).fields()


@story(
    "create_flow", "update_step", "skip_step_test", "export_flow", "import_and_publish_flows", "list_flows"
)
async def flows_are_imported_and_published_together(call: OperationRecorder) -> None:
    export = await call("export_flow", (await ready_flow(call)).id)
    second = export.model_copy(update={"name": "Second"})
    unfinished = await call("export_flow", (await call("create_flow", "Unfinished")).id)
    before = (await call("list_flows", FlowFilter(), PageRequest())).total

    refused = await call.refused("import_and_publish_flows", [export, second, unfinished])
    assert "1 of 3 flows can't be published." in refused.happened
    assert "Flow 3 “Unfinished”" in refused.meaning
    assert (await call("list_flows", FlowFilter(), PageRequest())).total == before

    published = await call("import_and_publish_flows", [export, second])
    assert [(flow.name, flow.active) for flow in published] == [(export.name, True), ("Second", True)]
    assert await call("import_and_publish_flows", [export, second]) == published


@story(
    "create_flow",
    "update_step",
    "skip_step_test",
    "publish_flow",
    "run_flow",
    "get_execution",
    "execution_steps",
    "flow_activity",
    "step_samples",
)
async def a_flow_runs_and_what_it_did_is_seen(call: OperationRecorder) -> None:
    flow = await ready_flow(call)
    await call("publish_flow", flow.id)
    passed: JsonObject = {"text": f"{{{{step.{flow.steps[0].id}.name}}}}"}
    flow = await call("update_step", flow.steps[1].id, StepChange(parameters=passed))
    await call("skip_step_test", flow.steps[1].id)
    await call("publish_flow", flow.id)

    run = await call("run_flow", flow.id, {"name": "Ada", "large": 12345678901234567890, "none": None})

    assert (await call.finished(run)).state is ExecutionState.SUCCESS
    seen = await call("get_execution", run)
    assert (seen.flow.name, seen.steps_done, seen.steps_total) == (flow.name, 2, 2)
    caught, passed_on = await call("execution_steps", run)
    assert caught.data_out["large"] == 12345678901234567890
    assert passed_on.data_out is not None
    activity = await call("flow_activity", [flow.id])
    assert activity[0].last.id == run
    assert await call("flow_activity", []) == ()
    samples = await call("step_samples", flow.id)
    assert {sample.step.id for sample in samples} == {step.id for step in flow.steps}
    assert isinstance(await call.refused("step_samples", str(uuid4())), NotFound)


@story("create_flow", "update_step", "skip_step_test", "run_flow", "get_execution")
async def a_flow_never_published_runs_as_a_test(call: OperationRecorder) -> None:
    flow = await ready_flow(call)

    run = await call("run_flow", flow.id, {"name": "Ada"})

    assert (await call("get_execution", run)).test_run
