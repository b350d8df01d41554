"""The engine as a whole: held and let go, how it is set, what its history takes up."""

from uuid import uuid4

from tests.support.desk import DESK
from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story
from tests.support.stories.connections import values
from tests.support.stories.flows import ready_flow

from patchbay.domain.base import AppKey
from patchbay.domain.engine import EngineSettings, EngineState, RateLimit, Retention
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionState


@story(
    "create_flow",
    "update_step",
    "skip_step_test",
    "publish_flow",
    "run_flow",
    "get_execution",
    "pause_runs",
    "resume_runs",
    "health",
)
async def what_comes_in_while_all_runs_are_paused_waits(call: OperationRecorder) -> None:
    flow = await ready_flow(call)
    await call("publish_flow", flow.id)

    assert (await call("pause_runs")).state is EngineState.PAUSED
    assert (await call("pause_runs")).state is EngineState.PAUSED
    run = await call("run_flow", flow.id, {"n": 1})
    assert (await call("get_execution", run)).state is ExecutionState.QUEUED
    health = await call("health")
    assert (health.state, health.queued) == (EngineState.PAUSED, 1)

    assert (await call("resume_runs")).state is EngineState.RUNNING
    assert (await call.finished(run)).state is ExecutionState.SUCCESS
    assert (await call("resume_runs")).state is EngineState.RUNNING


@story("engine_settings", "change_engine_settings")
async def the_engine_is_set(call: OperationRecorder) -> None:
    assert await call("engine_settings") == EngineSettings()
    wanted = EngineSettings(
        max_concurrent=3,
        retention=Retention(success_days=7, failure_days=None, most=5_000),
        app_limits={DESK: RateLimit(calls=10, seconds=60)},
    )

    assert await call("change_engine_settings", wanted) == wanted

    assert await call("engine_settings") == wanted
    unknown = EngineSettings(app_limits={AppKey("nobody"): RateLimit(calls=1)})
    assert isinstance(await call.refused("change_engine_settings", unknown), ValidationFailed)
    assert await call("engine_settings") == wanted
    assert await call("change_engine_settings", EngineSettings()) == EngineSettings()


@story(
    "create_flow",
    "update_step",
    "skip_step_test",
    "publish_flow",
    "run_flow",
    "storage_usage",
    "clean_up_history",
)
async def the_history_is_measured_and_tidied(call: OperationRecorder) -> None:
    flow = await ready_flow(call)
    await call("publish_flow", flow.id)
    await call.finished(await call("run_flow", flow.id, {"n": 1}))

    use = await call("storage_usage")
    assert (use.executions, use.bytes > 0, use.oldest_at is not None) == (1, True, True)
    assert (await call("clean_up_history")).removed == 0
    assert (await call("storage_usage")).executions == 1


@story("add_connection", "set_connection_rate_limit", "get_connection")
async def a_connection_is_limited(call: OperationRecorder) -> None:
    made = await call("add_connection", "desk", values(call))
    limit = RateLimit(calls=30, seconds=60)

    assert (await call("set_connection_rate_limit", made.id, limit)).rate_limit == limit
    assert (await call("get_connection", made.id)).rate_limit == limit
    assert (await call("set_connection_rate_limit", made.id, None)).rate_limit is None
    assert isinstance(await call.refused("set_connection_rate_limit", str(uuid4()), limit), NotFound)
    assert isinstance(await call.refused("set_connection_rate_limit", "not-an-id", None), NotFound)
