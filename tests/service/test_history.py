import pytest
from tests.support.desk import DESK, TOOLS
from tests.support.workspace import CATCH, PASS

from patchbay.domain.engine import EngineState
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import StepChange
from patchbay.domain.paging import PageRequest

HOUR = StepChange(app_key=TOOLS, key="everyHour")


async def ran(runtime, flow, *items):
    """Publish the flow and run it once on each item, to the end."""
    await runtime.backend.publish_flow(flow.id)
    await runtime.engine.start()
    for item in items:
        listener = runtime.changes.listen()
        execution_id = await runtime.backend.run_flow(flow.id, item)
        while (await runtime.backend.get_execution(execution_id)).finished_at is None:
            await anext(listener)


async def test_activity_tells_the_last_runs_and_the_next_one(runtime, backend):
    flow = await runtime.skipped(await runtime.flow(HOUR, PASS))
    await ran(runtime, flow, {"n": 1}, {"n": 2})

    (activity,) = await backend.flow_activity([flow.id])

    assert activity.last.state is ExecutionState.SUCCESS
    assert [mark.state for mark in activity.recent] == [ExecutionState.SUCCESS] * 2
    assert 0 < activity.next_run_at - runtime.clock.now <= 3_600_000
    assert activity.attention is None


async def test_what_comes_next_is_called_by_its_new_name(runtime, backend):
    flow = await runtime.skipped(await runtime.flow(HOUR, PASS))
    await ran(runtime, flow, {"n": 1})
    before = await backend.health()

    await backend.update_flow(flow.id, name="Reminders")

    assert before.next_flow == flow.name
    assert (await backend.health()).next_flow == "Reminders"


async def test_activity_names_the_connection_that_needs_attention(desk_runtime, desk_service):
    backend = desk_runtime.backend
    connection = await desk_runtime.connect(desk_service.good_key)
    flow = await desk_runtime.flow(
        CATCH, StepChange(app_key=DESK, key="createTicket", connection_id=connection.id)
    )

    async def attention():
        return (await backend.flow_activity([flow.id]))[0].attention

    assert await attention() is None
    await desk_runtime.credentials.mark_invalid(connection.id, "Desk answered 401.")
    assert await attention() == "Desk needs reconnecting"
    await backend.delete_connection(connection.id)
    assert await attention() == "Its Desk connection was deleted"


async def test_activity_of_a_published_flow_minds_the_connections_of_what_runs(desk_runtime, desk_service):
    backend = desk_runtime.backend
    connection = await desk_runtime.connect(desk_service.good_key)
    create = StepChange(
        app_key=DESK, key="createTicket", connection_id=connection.id, parameters={"title": "x"}
    )
    flow = await desk_runtime.skipped(await desk_runtime.flow(CATCH, create))
    await backend.publish_flow(flow.id)
    await backend.update_step(flow.steps[1].id, PASS)

    await desk_runtime.credentials.mark_invalid(connection.id, "Desk answered 401.")

    assert (await backend.flow_activity([flow.id]))[0].attention == "Desk needs reconnecting"


async def test_executions_are_listed_counted_and_read(runtime, backend):
    folder = await backend.create_folder("Shop")
    flow = await runtime.skipped(await runtime.flow(CATCH, PASS))
    await backend.move_flow(flow.id, folder.id)
    await ran(runtime, flow, {"n": 1})

    page = await backend.list_executions(ExecutionFilter(flow_id=flow.id), PageRequest())
    figures = await backend.histogram(
        ExecutionFilter(), runtime.clock.now - 1000, runtime.clock.now + 1000, 4
    )
    stats = {item.folder_id: item for item in await backend.folder_stats()}

    assert [item.state for item in page.items] == [ExecutionState.SUCCESS]
    assert (figures.total, len(figures.bars)) == (1, 4)
    assert (stats[folder.id].flows, stats[folder.id].published, stats[folder.id].runs) == (1, 1, 1)
    assert stats[None].flows == 0


@pytest.mark.parametrize(("start", "end", "bars"), [(5, 5, 4), (5, 4, 4), (0, 9, 0), (0, 9, 100_000)])
async def test_histogram_over_nothing_is_refused(backend, start, end, bars):
    with pytest.raises(ValidationFailed):
        await backend.histogram(ExecutionFilter(), start, end, bars)


async def test_what_is_not_there(backend):
    for ask in (backend.get_execution, backend.execution_steps, backend.step_samples, backend.get_app):
        with pytest.raises(NotFound):
            await ask("no-such-thing")


async def test_health_tells_what_the_engine_does(runtime, backend):
    before = await backend.health()
    await runtime.engine.start()

    after = await backend.health()

    assert (before.state, after.state) == (EngineState.STOPPED, EngineState.RUNNING)


async def test_info_says_where_one_is(backend):
    info = await backend.info()

    assert (info.kind, info.name, info.address) == ("local", "This computer", "http://127.0.0.1:8787")
    assert "memory" in info.secrets_kept
    assert info.secrets_problem is None
    assert info.version


async def test_apps_are_listed_by_name_with_their_use(runtime, backend):
    await runtime.flow(CATCH, PASS)

    apps = {app.key: app for app in await backend.list_apps()}
    detail = await backend.get_app("tools")

    assert list(apps) == ["desk", "tools"]
    assert apps["tools"].flow_count == 1
    assert apps["tools"].triggers is None
    assert [trigger.key for trigger in detail.triggers] == ["catch", "everyHour"]
    assert detail.flow_count == 1
