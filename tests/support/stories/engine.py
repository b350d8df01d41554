"""The engine as a whole: held and let go, how it is set, what its history takes up."""

from uuid import uuid4

from tests.support.stories import story
from tests.support.stories.connections import values
from tests.support.stories.flows import ready_flow
from tests.support.teller import Teller

from patchbay.domain.engine import EngineSettings, EngineState, RateLimit, Retention
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionState


@story(
    "create_flow", "update_step", "skip_step_test", "publish_flow", "run_flow", "get_execution", "pause_runs",
    "resume_runs", "health",
)  # fmt: skip
async def what_comes_in_while_all_runs_are_paused_waits(tell: Teller) -> None:
    flow = await ready_flow(tell)
    await tell("publish_flow", flow.id)

    assert (await tell("pause_runs")).state is EngineState.PAUSED
    assert (await tell("pause_runs")).state is EngineState.PAUSED
    run = await tell("run_flow", flow.id, {"n": 1})
    assert (await tell("get_execution", run)).state is ExecutionState.QUEUED
    health = await tell("health")
    assert (health.state, health.queued) == (EngineState.PAUSED, 1)

    assert (await tell("resume_runs")).state is EngineState.RUNNING
    assert (await tell.finished(run)).state is ExecutionState.SUCCESS
    assert (await tell("resume_runs")).state is EngineState.RUNNING


@story("engine_settings", "change_engine_settings")
async def the_engine_is_set(tell: Teller) -> None:
    assert await tell("engine_settings") == EngineSettings()
    wanted = EngineSettings(
        max_concurrent=3,
        retention=Retention(success_days=7, failure_days=None, most=5_000),
        app_limits={"desk": RateLimit(calls=10, seconds=60)},
    )

    assert await tell("change_engine_settings", wanted) == wanted

    assert await tell("engine_settings") == wanted
    unknown = EngineSettings(app_limits={"nobody": RateLimit(calls=1)})
    assert isinstance(await tell.refused("change_engine_settings", unknown), ValidationFailed)
    assert await tell("engine_settings") == wanted
    assert await tell("change_engine_settings", EngineSettings()) == EngineSettings()


@story(
    "create_flow",
    "update_step",
    "skip_step_test",
    "publish_flow",
    "run_flow",
    "storage_usage",
    "clean_up_history",
)
async def the_history_is_measured_and_tidied(tell: Teller) -> None:
    flow = await ready_flow(tell)
    await tell("publish_flow", flow.id)
    await tell.finished(await tell("run_flow", flow.id, {"n": 1}))

    use = await tell("storage_usage")
    assert (use.executions, use.bytes > 0, use.oldest_at is not None) == (1, True, True)
    assert (await tell("clean_up_history")).removed == 0
    assert (await tell("storage_usage")).executions == 1


@story("add_connection", "set_connection_rate_limit", "get_connection")
async def a_connection_is_limited(tell: Teller) -> None:
    made = await tell("add_connection", "desk", values(tell))
    limit = RateLimit(calls=30, seconds=60)

    assert (await tell("set_connection_rate_limit", made.id, limit)).rate_limit == limit
    assert (await tell("get_connection", made.id)).rate_limit == limit
    assert (await tell("set_connection_rate_limit", made.id, None)).rate_limit is None
    assert isinstance(await tell.refused("set_connection_rate_limit", str(uuid4()), limit), NotFound)
    assert isinstance(await tell.refused("set_connection_rate_limit", "not-an-id", None), NotFound)
