"""A service that responds with 429: which runs wait with the rejected step, and which continue."""

from sqlalchemy import insert, update
from tests.support.engine_runtime import EngineRuntime
from tests.support.toy_apps import flow, too_many

from patchbay.domain.base import ConnectionId, FlowId
from patchbay.domain.executions import ExecutionState, WaitsFor
from patchbay.storage.tables import flow as flow_table
from patchbay.storage.tables import user as user_table

SUCCESS, WAITING = ExecutionState.SUCCESS, ExecutionState.WAITING
OTHER = "00000000-0000-4000-8000-000000000002"


async def give_to_another_user(runtime: EngineRuntime, flow_id: str) -> None:
    other = {"id": OTHER, "full_name": "Other", "email": "x@example.org", "created_at": 1, "updated_at": 1}
    await runtime.shelf.db.write(lambda tx: tx.execute(insert(user_table).values(**other)))
    query = update(flow_table).where(flow_table.c.id == flow_id).values(user_id=OTHER)
    await runtime.shelf.db.write(lambda tx: tx.execute(query))
    runtime.engine.triggers_changed()
    await runtime.settle()


async def refused_and_next(runtime: EngineRuntime) -> tuple[ExecutionState, ExecutionState]:
    """How the run that a service refused stands, and the one that began after it."""
    await runtime.post(FlowId("refused"))
    await runtime.one(WAITING)
    await runtime.post(FlowId("next"))
    first, second = await runtime.until_all(2, SUCCESS, WAITING)
    return first.state, second.state


async def test_the_owners_steps_without_a_connection_wait_and_those_of_others_continue(
    runtime: EngineRuntime,
):
    runtime.toy.refusal = too_many(30)
    await runtime.publish(flow("hook", "refuse", flow_id="refused"))
    await runtime.publish(flow("hook", "echo", flow_id="next"))
    assert await refused_and_next(runtime) == (WAITING, WAITING)
    await runtime.pass_time(31_000)
    runtime.toy.refusal = None
    await runtime.until_all(2, SUCCESS)


async def test_another_users_429_holds_no_one_back(runtime: EngineRuntime):
    runtime.toy.refusal = too_many(30)
    await runtime.publish(flow("hook", "refuse", flow_id="refused"))
    await runtime.publish(flow("hook", "echo", flow_id="next"))
    await give_to_another_user(runtime, "refused")

    assert await refused_and_next(runtime) == (WAITING, SUCCESS)


async def test_a_host_to_which_another_one_redirected_is_held_back_itself(runtime: EngineRuntime):
    runtime.vault.data[ConnectionId("c1")] = {"key": "secret"}
    runtime.toy.refusal = too_many(30)
    runtime.toy.refusal.redirected_to = "elsewhere.example"
    await runtime.publish(flow("hook", "refuse", flow_id="refused", connection_id="c1"))
    await runtime.publish(flow("hook", "echo", flow_id="next", connection_id="c1"))

    assert await refused_and_next(runtime) == (WAITING, SUCCESS)


async def test_the_refused_run_continues_after_a_restart_too(runtime: EngineRuntime):
    runtime.toy.refusal = too_many(30)
    await runtime.publish(flow("hook", "refuse"))
    await runtime.post()
    refused = await runtime.one(WAITING)
    assert (await runtime.execution(refused.id)).waits_for is WaitsFor.LIMIT
    runtime.toy.refusal = None

    await runtime.engine.stop(grace=1)
    await runtime.new_engine().start()

    assert (await runtime.one()).state is SUCCESS
