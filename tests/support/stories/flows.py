"""Flows as wholes."""

from uuid import uuid4

from tests.support.stories import story
from tests.support.teller import Teller

from patchbay.domain.errors import FlowNotReady, NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowExport, FlowFilter, FlowStatus, StepChange, StepStatus
from patchbay.domain.paging import PageRequest

CATCH = StepChange(app_key="tools", key="catch")
PASS = StepChange(app_key="tools", key="pass", parameters={"text": "hello"})


async def ready_flow(tell: Teller, name: str = "Catch and pass on"):
    flow = await tell("create_flow", name)
    await tell("update_step", flow.steps[0].id, CATCH)
    await tell("update_step", flow.steps[1].id, PASS)
    await tell("skip_step_test", flow.steps[0].id)
    return await tell("skip_step_test", flow.steps[1].id)


@story("create_flow", "get_flow", "update_flow", "delete_flow", "restore_flow")
async def a_flow_is_made_changed_deleted_and_brought_back(tell: Teller) -> None:
    made = await tell("create_flow")
    assert made.name == "Name your flow"
    assert [step.status for step in made.steps] == [StepStatus.INCOMPLETE, StepStatus.INCOMPLETE]

    changed = await tell("update_flow", made.id, name="Orders", execution_interval=5)
    assert (changed.name, changed.execution_interval) == ("Orders", 5)
    assert await tell("get_flow", made.id) == changed

    gone = await tell("delete_flow", made.id)
    assert (gone.action, gone.ids) == ("deleted", (made.id,))
    assert isinstance(await tell.refused("get_flow", made.id), NotFound)
    assert (await tell("restore_flow", made.id)).name == "Orders"


@story("create_flow", "get_flow", "update_flow", "delete_flow", "restore_flow", "duplicate_flow", "run_flow")
async def what_is_wrong_with_a_flow_is_said_in_the_same_words(tell: Teller) -> None:
    flow = await tell("create_flow", "One")
    assert isinstance(await tell.refused("create_flow", "  "), ValidationFailed)
    assert isinstance(await tell.refused("create_flow", "x" * 256), ValidationFailed)
    assert isinstance(await tell.refused("create_flow", "In a folder", str(uuid4())), NotFound)
    assert isinstance(await tell.refused("update_flow", flow.id, name=""), ValidationFailed)
    assert isinstance(await tell.refused("update_flow", flow.id, execution_interval=7), ValidationFailed)
    for operation in ("get_flow", "delete_flow", "restore_flow", "duplicate_flow", "run_flow"):
        assert isinstance(await tell.refused(operation, str(uuid4())), NotFound)
        assert isinstance(await tell.refused(operation, "not-an-id"), NotFound)


@story(
    "create_flow", "create_folder", "list_flows", "move_flow", "publish_flow", "update_step", "skip_step_test"
)
async def flows_are_found_by_every_condition_and_in_pages(tell: Teller) -> None:
    folder = await tell("create_folder", "Work")
    live = await ready_flow(tell, "Live one")
    await tell("publish_flow", live.id)
    filed = await tell("create_flow", "Filed", folder.id)
    for number in range(12):
        await tell("create_flow", f"Draft {number}")

    first = await tell("list_flows", FlowFilter(), PageRequest())
    assert (first.total, len(first.items), first.total_pages) == (14, 10, 2)
    assert first.items[0].id == live.id
    second = await tell("list_flows", FlowFilter(), PageRequest(page=2))
    assert (len(second.items), second.next_cursor) == (4, None)
    after = await tell("list_flows", FlowFilter(), PageRequest(limit=10, cursor=first.next_cursor))
    assert {flow.id for flow in after.items} == {flow.id for flow in second.items}
    assert (await tell("list_flows", FlowFilter(), PageRequest(page=9))).items == ()

    async def found(**conditions: object) -> list[str]:
        page = await tell("list_flows", FlowFilter(**conditions), PageRequest(limit=50))
        return [flow.name for flow in page.items]

    assert await found(name="draft 1") == ["Draft 11", "Draft 10", "Draft 1"]
    assert await found(status=FlowStatus.PUBLISHED) == ["Live one"]
    assert await found(folder_id=folder.id) == ["Filed"]
    assert len(await found(folder_id="null")) == 13
    assert await found(app_key="tools") == ["Live one"]
    assert await found(user_id=str(uuid4())) == []
    assert len(await found(user_id=live.user_id)) == 14
    assert await found(connection_id=str(uuid4())) == []

    assert (await tell("move_flow", filed.id, None)).folder_id is None
    assert (await tell("move_flow", filed.id, folder.id)).folder_id == folder.id
    assert isinstance(await tell.refused("move_flow", filed.id, str(uuid4())), NotFound)


@story("create_flow", "update_step", "skip_step_test", "publish_flow", "unpublish_flow", "list_flows")
async def a_flow_goes_live_only_when_it_is_ready(tell: Teller) -> None:
    flow = await tell("create_flow", "Not ready")
    refused = await tell.refused("publish_flow", flow.id)
    assert isinstance(refused, FlowNotReady)
    assert [blocker.position for blocker in refused.blockers] == [1, 2]

    ready = await ready_flow(tell)
    live = await tell("publish_flow", ready.id)
    assert (live.active, live.published_version) == (True, 1)
    assert (await tell("publish_flow", ready.id)).active
    edited = await tell("update_step", ready.steps[1].id, StepChange(name="Renamed"))
    assert edited.has_unpublished_edits
    assert not (await tell("unpublish_flow", ready.id)).active
    assert not (await tell("unpublish_flow", ready.id)).active
    assert isinstance(await tell.refused("publish_flow", str(uuid4())), NotFound)


@story("create_flow", "update_step", "skip_step_test", "duplicate_flow", "export_flow", "import_flow")
async def flows_are_copied_and_carried_elsewhere(tell: Teller) -> None:
    flow = await ready_flow(tell)
    uses_earlier = StepChange(parameters={"text": f"Got {{{{step.{flow.steps[0].id}.body.name}}}}"})
    flow = await tell("update_step", flow.steps[1].id, uses_earlier)

    copy = await tell("duplicate_flow", flow.id)
    assert (copy.name, copy.active) == ("Copy of Catch and pass on", False)
    assert copy.steps[0].id in copy.steps[1].parameters["text"]

    export = await tell("export_flow", flow.id)
    assert export.steps[0].webhook_path == f"/webhooks/flows/{export.id}"
    back = await tell("import_flow", export)
    assert back.steps[0].id in back.steps[1].parameters["text"]

    upside_down = FlowExport(id=export.id, name="Upside down", steps=export.steps[::-1])
    empty = FlowExport(id=export.id, name="Empty", steps=())
    assert "steps" in (await tell.refused("import_flow", upside_down)).fields()
    assert "steps" in (await tell.refused("import_flow", empty)).fields()


@story(
    "create_flow", "update_step", "skip_step_test", "publish_flow", "run_flow", "get_execution",
    "execution_steps", "flow_activity", "step_samples",
)  # fmt: skip
async def a_flow_runs_and_what_it_did_is_seen(tell: Teller) -> None:
    flow = await ready_flow(tell)
    await tell("publish_flow", flow.id)
    passed = {"text": f"{{{{step.{flow.steps[0].id}.name}}}}"}
    flow = await tell("update_step", flow.steps[1].id, StepChange(parameters=passed))
    await tell("skip_step_test", flow.steps[1].id)
    await tell("publish_flow", flow.id)

    run = await tell("run_flow", flow.id, {"name": "Ada", "large": 12345678901234567890, "none": None})

    assert (await tell.finished(run)).state is ExecutionState.SUCCESS
    seen = await tell("get_execution", run)
    assert (seen.flow.name, seen.steps_done, seen.steps_total) == (flow.name, 2, 2)
    caught, passed_on = await tell("execution_steps", run)
    assert caught.data_out["large"] == 12345678901234567890
    assert passed_on.data_out is not None
    activity = await tell("flow_activity", [flow.id])
    assert activity[0].last.id == run
    assert await tell("flow_activity", []) == ()
    samples = await tell("step_samples", flow.id)
    assert {sample.step.id for sample in samples} == {step.id for step in flow.steps}
    assert isinstance(await tell.refused("step_samples", str(uuid4())), NotFound)


@story("create_flow", "update_step", "skip_step_test", "run_flow", "get_execution")
async def a_flow_never_published_runs_as_a_test(tell: Teller) -> None:
    flow = await ready_flow(tell)

    run = await tell("run_flow", flow.id, {"name": "Ada"})

    assert (await tell("get_execution", run)).test_run
