import pytest
from tests.support.desk import DESK
from tests.support.workspace import CATCH, PASS

from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import FlowNotReady, NotFound, ThirdPartyError, ValidationFailed
from patchbay.domain.flows import FlowStatus, StepChange
from patchbay.storage.repositories import flow_versions


@pytest.fixture
async def ready(runtime):
    return await runtime.skipped(await runtime.flow(CATCH, PASS))


async def running(runtime, flow):
    return await runtime.db.read(lambda tx: flow_versions.published(tx, flow.id))


async def ticket_flow(desk_runtime, desk_service):
    connection = await desk_runtime.connect(desk_service.good_key)
    trigger = StepChange(app_key=DESK, key="newTicket", connection_id=connection.id)
    return await desk_runtime.skipped(await desk_runtime.flow(trigger, PASS)), connection


async def baseline(runtime, flow):
    return [item.state.cursor for item in await runtime.db.read(flow_versions.active_triggers)]


async def test_publishing_freezes_version_1(runtime, backend, ready):
    flow = await backend.publish_flow(ready.id)

    version = await running(runtime, flow)
    assert (flow.status, flow.published_version) == (FlowStatus.PUBLISHED, 1)
    assert (version.number, [step.id for step in version.steps]) == (1, [step.id for step in flow.steps])
    assert version.steps[0].webhook_url is None


async def test_flow_that_is_not_ready_names_every_missing_part_and_stays_a_draft(runtime, backend):
    flow = await backend.create_flow()

    with pytest.raises(FlowNotReady) as refused:
        await backend.publish_flow(flow.id)

    assert [(blocker.position, blocker.field) for blocker in refused.value.blockers] == [
        (1, "appKey"),
        (2, "appKey"),
    ]
    assert (await backend.get_flow(flow.id)).active is False
    assert await running(runtime, flow) is None


@pytest.mark.parametrize(
    ("by_field", "blockers"),
    [
        ({"url": ["It isn't a feed."]}, [("url", "It isn't a feed. Enter another address.")]),
        ({}, [(None, "The feed can't be read. Enter another address.")]),
    ],
)
async def test_values_that_a_trigger_rejects_are_blockers_with_advice(
    runtime, backend, ready, monkeypatch, by_field, blockers
):
    async def reject(*_: object) -> None:
        raise ValidationFailed(by_field, happened="The feed can't be read.", todo="Enter another address.")

    monkeypatch.setattr(runtime.engine, "initial_trigger_state", reject)

    with pytest.raises(FlowNotReady) as refused:
        await backend.publish_flow(ready.id)

    assert [(one.field, one.reason) for one in refused.value.blockers] == blockers
    assert await running(runtime, ready) is None


async def test_editing_a_live_flow_leaves_alone_what_runs(runtime, backend, ready):
    flow = await backend.publish_flow(ready.id)

    edited = await backend.update_step(flow.steps[1].id, StepChange(parameters={"text": "changed"}))

    assert edited.active
    assert edited.has_unpublished_edits
    assert (await running(runtime, flow)).steps[1].parameters == {"text": "hello"}


async def test_publishing_edits_makes_the_next_version(runtime, backend, ready):
    flow = await backend.publish_flow(ready.id)
    await backend.update_step(flow.steps[1].id, StepChange(parameters={"text": "changed"}))
    await backend.skip_step_test(flow.steps[1].id)

    again = await backend.publish_flow(flow.id)

    assert (again.published_version, again.has_unpublished_edits) == (2, False)
    assert (await running(runtime, flow)).steps[1].parameters == {"text": "changed"}
    assert await runtime.db.read(lambda tx: flow_versions.frozen(tx, flow.id, 1)) is not None


async def test_publishing_a_live_flow_without_edits_changes_nothing(backend, ready):
    flow = await backend.publish_flow(ready.id)

    assert await backend.publish_flow(flow.id) == flow


async def test_edits_that_are_not_ready_keep_the_old_version_running(runtime, backend, ready):
    flow = await backend.publish_flow(ready.id)
    await backend.add_step(flow.id)

    with pytest.raises(FlowNotReady):
        await backend.publish_flow(flow.id)

    assert (await running(runtime, flow)).number == 1


async def test_unpublishing_an_incomplete_flow_and_a_draft_is_no_problem(runtime, backend, ready):
    flow = await backend.publish_flow(ready.id)
    await backend.add_step(flow.id)

    draft = await backend.unpublish_flow(flow.id)
    again = await backend.unpublish_flow(flow.id)

    assert (draft.active, draft.has_unpublished_edits) == (False, False)
    assert again.active is False
    assert await running(runtime, flow) is None


async def test_polling_flow_starts_from_what_is_there(desk_runtime, desk_service):
    flow, _ = await ticket_flow(desk_runtime, desk_service)

    await desk_runtime.backend.publish_flow(flow.id)

    assert await baseline(desk_runtime, flow) == [{"seen": ["2", "1"]}]


async def test_trigger_that_cannot_say_where_it_stands_keeps_the_flow_a_draft(desk_runtime, desk_service):
    flow, _ = await ticket_flow(desk_runtime, desk_service)
    desk_service.good_key = "another"

    with pytest.raises(ThirdPartyError):
        await desk_runtime.backend.publish_flow(flow.id)

    assert (await desk_runtime.backend.get_flow(flow.id)).active is False


async def test_a_second_try_goes_with_what_was_edited_after_the_first(desk_runtime, desk_service):
    flow, _ = await ticket_flow(desk_runtime, desk_service)
    desk_service.good_key = "another"
    with pytest.raises(ThirdPartyError):
        await desk_runtime.backend.publish_flow(flow.id)
    connection = await desk_runtime.connect("another")
    change = StepChange(connection_id=connection.id)
    await desk_runtime.skipped(await desk_runtime.backend.update_step(flow.steps[0].id, change))

    await desk_runtime.backend.publish_flow(flow.id)

    assert await baseline(desk_runtime, flow) == [{"seen": ["2", "1"]}]


async def test_publishing_an_edit_of_an_action_loses_no_item(desk_runtime, desk_service):
    flow, _ = await ticket_flow(desk_runtime, desk_service)
    await desk_runtime.backend.publish_flow(flow.id)
    desk_service.tickets.insert(0, {"id": 3, "title": "Came meanwhile"})
    await desk_runtime.backend.update_step(flow.steps[1].id, StepChange(parameters={"text": "x"}))
    await desk_runtime.backend.skip_step_test(flow.steps[1].id)

    await desk_runtime.backend.publish_flow(flow.id)

    assert await baseline(desk_runtime, flow) == [{"seen": ["2", "1"]}]


async def test_publishing_again_after_a_pause_starts_from_what_is_there_now(desk_runtime, desk_service):
    flow, _ = await ticket_flow(desk_runtime, desk_service)
    await desk_runtime.backend.publish_flow(flow.id)
    await desk_runtime.backend.unpublish_flow(flow.id)
    desk_service.tickets.insert(0, {"id": 3, "title": "Came meanwhile"})

    again = await desk_runtime.backend.publish_flow(flow.id)

    assert again.published_version == 2
    assert await baseline(desk_runtime, flow) == [{"seen": ["3", "2", "1"]}]


async def test_connection_that_needs_attention_blocks(desk_runtime, desk_service):
    flow, connection = await ticket_flow(desk_runtime, desk_service)
    await desk_runtime.credentials.mark_invalid(connection.id, "Desk answered 401.")

    with pytest.raises(FlowNotReady) as refused:
        await desk_runtime.backend.publish_flow(flow.id)

    assert "needs reconnecting" in refused.value.text()


async def test_connection_whose_service_is_stopped_blocks_nothing(desk_runtime, desk_service):
    connection = await desk_runtime.connect(desk_service.good_key)
    create = StepChange(
        app_key=DESK, key="createTicket", connection_id=connection.id, parameters={"title": "x"}
    )
    flow = await desk_runtime.skipped(await desk_runtime.flow(CATCH, create))
    desk_service.failing = 503

    tested = await desk_runtime.backend.test_connection(connection.id)
    published = await desk_runtime.backend.publish_flow(flow.id)

    assert tested.unreachable
    assert published.active


async def test_published_webhook_flow_runs_on_what_it_is_given(runtime, backend, ready):
    flow = await backend.publish_flow(ready.id)
    await runtime.engine.start()
    listener = runtime.changes.listen()

    execution_id = await backend.run_flow(flow.id, {"body": {"n": 1}})
    while (execution := await backend.get_execution(execution_id)).finished_at is None:
        assert (await anext(listener)).noun is ResourceType.EXECUTION

    assert (execution.status, execution.flow_version, execution.test_run) == ("success", 1, False)
    assert [step.data_out for step in await backend.execution_steps(execution_id)] == [
        {"body": {"n": 1}},
        {"text": "hello"},
    ]


async def test_publishing_what_is_gone(backend):
    with pytest.raises(NotFound):
        await backend.publish_flow("no-such-flow")
