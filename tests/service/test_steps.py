import pytest
from tests.support.desk import DESK, TOOLS
from tests.support.workspace import CATCH, PASS

from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.flows import StepChange, StepStatus, StepType


def order(flow):
    assert [step.position for step in flow.steps] == list(range(1, len(flow.steps) + 1))
    return [step.id for step in flow.steps]


async def test_step_is_added_behind_the_given_one_or_at_the_end(backend):
    flow = await backend.create_flow()
    trigger, action = order(flow)

    middle = await backend.add_step(flow.id, after=trigger)
    end = await backend.add_step(flow.id)

    assert order(middle)[0] == trigger
    assert order(middle)[2] == action
    assert order(end)[:3] == order(middle)
    assert end.steps[3].type is StepType.ACTION


async def test_adding_behind_a_step_of_another_flow_is_not_possible(backend):
    flow, other = await backend.create_flow(), await backend.create_flow()

    with pytest.raises(NotFound):
        await backend.add_step(flow.id, after=other.steps[0].id)


async def test_actions_move_and_the_trigger_stays_first(backend):
    flow = await backend.add_step((await backend.create_flow()).id)
    trigger, first, second = order(flow)

    moved = await backend.move_step(second, 2)

    assert order(moved) == [trigger, second, first]
    for step, position in [(trigger, 2), (first, 1), (first, 4)]:
        with pytest.raises(ValidationFailed):
            await backend.move_step(step, position)
    assert order(await backend.get_flow(flow.id)) == [trigger, second, first]


async def test_deleted_step_returns_to_its_place(backend):
    flow = await backend.add_step((await backend.create_flow()).id)
    trigger, first, second = order(flow)

    without = await backend.delete_step(first)
    back = await backend.restore_step(first)

    assert order(without) == [trigger, second]
    assert order(back) == [trigger, first, second]


async def test_deleted_step_returns_to_the_end_of_a_shorter_flow(backend):
    flow = await backend.add_step((await backend.create_flow()).id)
    trigger, first, second = order(flow)
    await backend.delete_step(second)
    await backend.delete_step(first)

    assert order(await backend.restore_step(second)) == [trigger, second]


async def test_trigger_cannot_be_deleted(backend):
    flow = await backend.create_flow()

    with pytest.raises(ValidationFailed) as refused:
        await backend.delete_step(flow.steps[0].id)

    assert "can't be deleted" in refused.value.text()


async def test_a_step_that_is_there_cannot_be_restored(backend):
    flow = await backend.create_flow()

    with pytest.raises(NotFound):
        await backend.restore_step(flow.steps[1].id)


async def test_choosing_an_event_fills_in_the_presets(backend):
    flow = await backend.create_flow()

    changed = await backend.update_step(flow.steps[1].id, StepChange(app_key=DESK, key="createTicket"))

    assert changed.steps[1].parameters == {"priority": "low"}


async def test_another_app_clears_event_and_parameters(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)

    changed = await backend.update_step(flow.steps[1].id, StepChange(app_key=DESK))

    step = changed.steps[1]
    assert (step.app_key, step.key, step.connection_id, step.parameters) == ("desk", None, None, {})


async def test_the_same_app_again_clears_nothing(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)

    changed = await backend.update_step(flow.steps[1].id, StepChange(app_key=TOOLS))

    assert changed.steps[1].parameters == {"text": "hello"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (StepChange(app_key=AppKey("nowhere")), "appKey"),
        (StepChange(app_key=TOOLS, key="catch"), "key"),
        (StepChange(key="pass"), "key"),
        (StepChange(name="n" * 256), "name"),
    ],
)
async def test_what_does_not_fit_is_refused_and_nothing_changes(backend, change, field):
    flow = await backend.create_flow()

    with pytest.raises(ValidationFailed) as refused:
        await backend.update_step(flow.steps[1].id, change)

    assert list(refused.value.by_field) == [field]
    assert await backend.get_flow(flow.id) == flow


async def test_connection_of_another_app_is_refused(desk_runtime, desk_service):
    connection = await desk_runtime.connect(desk_service.good_key)
    flow = await desk_runtime.flow(CATCH, PASS)

    with pytest.raises(ValidationFailed) as refused:
        await desk_runtime.backend.update_step(flow.steps[1].id, StepChange(connection_id=connection.id))

    assert "connectionId" in refused.value.by_field


async def test_connection_that_is_gone_is_not_found(backend):
    flow = await backend.create_flow()
    change = StepChange(app_key=DESK, connection_id=ConnectionId("no-such-connection"))

    with pytest.raises(NotFound):
        await backend.update_step(flow.steps[1].id, change)


async def test_an_edit_of_what_a_step_does_makes_it_incomplete_again(runtime, backend):
    flow = await runtime.skipped(await runtime.flow(CATCH, PASS))

    changed = await backend.update_step(flow.steps[1].id, StepChange(parameters={"text": "Say hello"}))

    assert [step.status for step in changed.steps] == [StepStatus.COMPLETED, StepStatus.INCOMPLETE]
    assert changed.steps[1].tested is None
    assert changed.steps[1].parameters == {"text": "Say hello"}


async def test_an_edit_without_a_field_changes_nothing(runtime, backend):
    flow = await runtime.skipped(await runtime.flow(CATCH, PASS))

    assert await backend.update_step(flow.steps[1].id, StepChange()) == flow
