"""The engine's settings as they are kept, and the history tidied by them."""

import pytest
from tests.support.desk import DESK, TOOLS
from tests.support.workspace import CATCH, PASS

from patchbay.domain.base import AppKey
from patchbay.domain.changes import ResourceType
from patchbay.domain.engine import EngineSettings, RateLimit, Retention
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState, WaitsFor
from patchbay.domain.flows import StepChange
from patchbay.domain.paging import PageRequest
from patchbay.service.engine_settings import load_engine_state
from patchbay.storage.repositories import meta

YEAR_MS = 365 * 86_400_000


async def finished(runtime, execution_id):
    listener = runtime.changes.listen()
    while not (await runtime.backend.get_execution(execution_id)).state.finished:
        await anext(listener)


async def test_a_new_workspace_has_the_usual_settings_and_runs(runtime):
    assert await load_engine_state(runtime.db) == (EngineSettings(), False)


async def test_settings_and_the_pause_are_remembered(runtime, backend):
    wanted = EngineSettings(max_concurrent=2, app_limits={TOOLS: RateLimit(calls=1)})
    await backend.change_engine_settings(wanted)
    await backend.pause_runs()

    assert await load_engine_state(runtime.db) == (wanted, True)
    await backend.resume_runs()
    assert await load_engine_state(runtime.db) == (wanted, False)


async def test_settings_that_cannot_be_read_are_the_usual_ones(runtime, backend, caplog):
    await runtime.db.write(lambda tx: meta.put(tx, "engine.settings", '{"max_concurrent": -1}'))

    assert await backend.engine_settings() == EngineSettings()
    assert "can't be read" in caplog.text


async def test_an_app_that_went_away_does_not_stand_in_the_way_of_other_settings(runtime, backend):
    gone = EngineSettings(app_limits={AppKey("gone"): RateLimit(calls=1)})
    await runtime.db.write(lambda tx: meta.put(tx, "engine.settings", gone.model_dump_json()))

    changed = await backend.change_engine_settings(gone.model_copy(update={"max_concurrent": 5}))

    assert changed.app_limits == gone.app_limits
    await backend.change_engine_settings(EngineSettings())
    with pytest.raises(ValidationFailed):
        await backend.change_engine_settings(gone)


async def test_only_the_named_fields_are_stored(backend):
    await backend.change_engine_settings(EngineSettings(max_runs_per_root=500, program_network=True))

    changed = await backend.change_engine_settings(EngineSettings(max_concurrent=5), ["max_concurrent"])

    assert changed == await backend.engine_settings()
    assert (changed.max_concurrent, changed.max_runs_per_root, changed.program_network) == (5, 500, True)


async def test_a_change_is_announced_to_all_listeners(runtime, backend):
    listener = runtime.changes.listen()

    await backend.pause_runs()
    await backend.change_engine_settings(EngineSettings(max_concurrent=2))

    assert [(await anext(listener)).noun for _ in range(2)] == [ResourceType.WORKSPACE] * 2


@pytest.mark.parametrize("whose", ["connection", "app"])
async def test_a_limit_holds_until_it_is_taken_away(desk_runtime, desk_service, whose):
    runtime, backend = desk_runtime, desk_runtime.backend
    connection = await runtime.connect(desk_service.good_key)
    create = StepChange(
        app_key=DESK, key="createTicket", connection_id=connection.id, parameters={"title": "x"}
    )
    flow = await runtime.skipped(await runtime.flow(CATCH, create))
    await backend.publish_flow(flow.id)
    await runtime.engine.start()

    async def limit(to):
        if whose == "connection":
            await backend.set_connection_rate_limit(connection.id, to)
        else:
            limits = {DESK: to} if to else {}
            await backend.change_engine_settings(EngineSettings(app_limits=limits))

    async def settled():
        run = await backend.run_flow(flow.id, {"n": 1})
        listener = runtime.changes.listen()
        while not ((now := await backend.get_execution(run)).state.finished or now.wake_at):
            await anext(listener)
        return now

    async def reached(state):
        while (run := await settled()).state is not state:  # it holds from the engine's next look on
            pass
        return run

    await limit(RateLimit(calls=1, seconds=3600))
    assert (await reached(ExecutionState.WAITING)).waits_for is WaitsFor.LIMIT

    await limit(None)
    await reached(ExecutionState.SUCCESS)


async def test_tidying_removes_what_is_not_to_be_kept_and_says_so(runtime, backend):
    flow = await runtime.skipped(await runtime.flow(CATCH, PASS))
    await backend.publish_flow(flow.id)
    await runtime.engine.start()
    for number in range(3):
        await finished(runtime, await backend.run_flow(flow.id, {"n": number}))
    await runtime.engine.stop()  # its own clean-up would be due
    runtime.clock.now += YEAR_MS
    listener = runtime.changes.listen()
    await backend.change_engine_settings(EngineSettings(retention=Retention(success_days=None)))
    assert (await backend.clean_up_history()).removed == 0

    await backend.change_engine_settings(EngineSettings())
    done = await backend.clean_up_history()

    left = (await backend.list_executions(ExecutionFilter(), PageRequest())).items
    assert (done.removed, [run.state for run in left]) == (2, [ExecutionState.SUCCESS])  # the last one stays
    assert (await backend.storage_usage()).executions == 1
    async for change in listener:
        if change.noun is ResourceType.EXECUTION:
            assert change.action == "deleted"
            break
