import pytest
from tests.support.desk import DESK
from tests.support.workspace import CATCH, PASS

from patchbay.domain.base import FlowId, StepId
from patchbay.domain.errors import FlowNotReady, NotFound, ValidationFailed
from patchbay.domain.flows import MAX_FLOW_SIZE, FlowExport, StepChange, StepExport, StepStatus, StepType
from patchbay.domain.variables import references


async def linked(runtime, **trigger):
    """A flow whose action uses a value of its trigger."""
    flow = await runtime.flow(CATCH.model_copy(update={"parameters": trigger}), PASS, name="Linked")
    text = f"Hi {{{{step.{flow.steps[0].id}.body.name}}}}"
    return await runtime.backend.update_step(flow.steps[1].id, StepChange(parameters={"text": text}))


def source_of(step):
    return next(references(step.parameters)).step_id


def portable(*kinds, **values):
    steps = [
        StepExport(id=StepId(f"s{number}"), type=kind, position=number, **values)
        for number, kind in enumerate(kinds, 1)
    ]
    return FlowExport(id=FlowId("f"), name="Imported", steps=tuple(steps))


async def test_export_has_new_ids_references_that_follow_and_no_workspace_data(runtime, backend):
    flow = await linked(runtime)

    export = await backend.export_flow(flow.id)

    assert export.id != flow.id
    assert {step.id for step in export.steps}.isdisjoint(step.id for step in flow.steps)
    assert source_of(export.steps[1]) == export.steps[0].id
    assert export.steps[0].webhook_path == f"/webhooks/flows/{export.id}"
    assert set(export.wire()["steps"][1]) == {
        "id",
        "key",
        "name",
        "appKey",
        "type",
        "parameters",
        "position",
        "webhookPath",
        "continueOnError",
    }


async def test_synchronous_webhook_is_exported_with_its_address(runtime, backend):
    flow = await linked(runtime, workSynchronously=True)

    assert (await backend.export_flow(flow.id)).steps[0].webhook_path.endswith("/sync")


async def test_what_is_exported_can_be_imported(runtime, backend):
    flow = await linked(runtime)
    wire = (await backend.export_flow(flow.id)).wire()

    copy = await backend.import_flow(FlowExport.model_validate(wire))

    assert (copy.name, copy.active) == ("Linked", False)
    assert source_of(copy.steps[1]) == copy.steps[0].id
    assert copy.steps[0].id not in {step["id"] for step in wire["steps"]}
    assert {step.status for step in copy.steps} == {StepStatus.INCOMPLETE}
    assert copy.steps[0].webhook_url.endswith(f"/webhooks/flows/{copy.id}")


async def test_imported_positions_follow_the_order_of_the_steps(backend):
    export = portable(StepType.TRIGGER, StepType.ACTION, StepType.ACTION)
    scattered = tuple(step.model_copy(update={"position": 9 - step.position}) for step in export.steps)

    flow = await backend.import_flow(export.model_copy(update={"steps": scattered}))

    assert [step.position for step in flow.steps] == [1, 2, 3]


@pytest.mark.parametrize(
    "kinds", [(), (StepType.ACTION, StepType.TRIGGER), (StepType.TRIGGER, StepType.TRIGGER)]
)
async def test_import_needs_one_trigger_in_front(backend, kinds):
    with pytest.raises(ValidationFailed) as refused:
        await backend.import_flow(portable(*kinds))

    assert "steps" in refused.value.by_field


async def test_import_with_the_same_id_twice_is_refused(backend):
    export = portable(StepType.TRIGGER, StepType.ACTION)
    twins = tuple(step.model_copy(update={"id": "same"}) for step in export.steps)

    with pytest.raises(ValidationFailed) as refused:
        await backend.import_flow(export.model_copy(update={"steps": twins}))

    assert "steps" in refused.value.by_field


async def test_unknown_apps_are_imported_but_cannot_be_published(backend):
    flow = await backend.import_flow(
        portable(StepType.TRIGGER, StepType.ACTION, app_key="elsewhere", key="x")
    )

    assert flow.steps[0].app_key == "elsewhere"
    with pytest.raises(FlowNotReady) as refused:
        await backend.publish_flow(flow.id)
    assert "isn't installed" in refused.value.text()


async def test_duplicate_keeps_connections_and_loses_folder_and_completeness(desk_runtime, desk_service):
    backend = desk_runtime.backend
    connection = await desk_runtime.connect(desk_service.good_key)
    create = StepChange(
        app_key=DESK, key="createTicket", connection_id=connection.id, parameters={"title": "x"}
    )
    flow = await desk_runtime.skipped(await desk_runtime.flow(CATCH, create, name="Orders"))
    folder = await backend.create_folder("Shop")
    await backend.move_flow(flow.id, folder.id)
    await backend.update_flow(flow.id, execution_interval=5)

    copy = await backend.duplicate_flow(flow.id)

    assert (copy.name, copy.folder_id, copy.execution_interval) == ("Copy of Orders", None, 5)
    assert copy.steps[1].connection_id == connection.id
    assert {step.status for step in copy.steps} == {StepStatus.INCOMPLETE}
    assert {step.id for step in copy.steps}.isdisjoint(step.id for step in flow.steps)


async def test_duplicate_of_a_long_name_still_fits(backend):
    flow = await backend.create_flow("n" * 255)

    assert len((await backend.duplicate_flow(flow.id)).name) == 255


async def test_template_makes_flows(runtime, backend):
    flow = await linked(runtime)

    template = await backend.create_template("  Greeting ", flow.id)
    made = await backend.use_template(template.id)

    assert await backend.list_templates() == (template,)
    assert template.name == "Greeting"
    assert template.flow_data["name"] == "Linked"
    assert made.id != flow.id
    assert source_of(made.steps[1]) == made.steps[0].id


async def test_templates_are_listed_oldest_first_and_deleted(backend):
    flow = await backend.create_flow()
    first, second = [await backend.create_template(name, flow.id) for name in ("Z", "A")]

    assert await backend.list_templates() == (first, second)
    await backend.delete_template(first.id)

    assert await backend.list_templates() == (second,)
    for ask in (backend.delete_template, backend.use_template):
        with pytest.raises(NotFound):
            await ask(first.id)


async def test_template_needs_a_name_and_a_flow(backend):
    flow = await backend.create_flow()

    with pytest.raises(ValidationFailed):
        await backend.create_template(" ", flow.id)
    with pytest.raises(NotFound):
        await backend.create_template("Name", "no-such-flow")


def referring(step_id: str, times: int, text: str = "") -> FlowExport:
    """An export whose action refers to its trigger, whose ID is `step_id`, so many times."""
    export = portable(StepType.TRIGGER, StepType.ACTION)
    trigger = export.steps[0].model_copy(update={"id": step_id})
    action = export.steps[1].model_copy(
        update={"parameters": {"text": f"{{{{step.{step_id}.x}}}}" * times + text}}
    )
    return export.model_copy(update={"steps": (trigger, action)})


async def test_an_imported_flow_has_a_limited_number_of_variables(backend):
    with pytest.raises(ValidationFailed, match="at most 10,000 variables"):
        await backend.import_flow(referring("a", 10_001))

    assert (await backend.import_flow(referring("a", 9_000))).name == "Imported"


async def test_the_size_of_an_imported_flow_counts_with_its_new_ids(backend):
    almost_full = "x" * (MAX_FLOW_SIZE - 200_000)

    with pytest.raises(ValidationFailed, match="2 MB"):
        await backend.import_flow(referring("a", 9_000, almost_full))
