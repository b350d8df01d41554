"""A service that asks to wait (429): who waits with the step it refused, and who goes on."""

from sqlalchemy import insert, update
from tests.support.engine_house import House
from tests.support.toy_apps import flow, too_many

from patchbay.domain.executions import ExecutionState, WaitsFor
from patchbay.storage.tables import flow as flow_table
from patchbay.storage.tables import user as user_table

SUCCESS, WAITING = ExecutionState.SUCCESS, ExecutionState.WAITING
OTHER = "00000000-0000-4000-8000-000000000002"


async def give_to_somebody_else(house: House, flow_id: str) -> None:
    other = {"id": OTHER, "full_name": "Other", "email": "x@example.org", "created_at": 1, "updated_at": 1}
    await house.shelf.db.write(lambda tx: tx.execute(insert(user_table).values(**other)))
    query = update(flow_table).where(flow_table.c.id == flow_id).values(user_id=OTHER)
    await house.shelf.db.write(lambda tx: tx.execute(query))
    house.engine.triggers_changed()
    await house.settle()


async def refused_and_next(house: House) -> tuple[ExecutionState, ExecutionState]:
    """How the run that a service refused stands, and the one that began after it."""
    await house.post("refused")
    await house.one(WAITING)
    await house.post("next")
    first, second = await house.until_all(2, SUCCESS, WAITING)
    return first.state, second.state


async def test_the_owners_steps_without_a_connection_wait_and_those_of_others_go_on(house: House):
    house.toy.refusal = too_many(30)
    await house.publish(flow("hook", "refuse", flow_id="refused"))
    await house.publish(flow("hook", "echo", flow_id="next"))
    assert await refused_and_next(house) == (WAITING, WAITING)
    await house.pass_time(31_000)
    house.toy.refusal = None
    await house.until_all(2, SUCCESS)


async def test_somebody_elses_429_holds_nobody_back(house: House):
    house.toy.refusal = too_many(30)
    await house.publish(flow("hook", "refuse", flow_id="refused"))
    await house.publish(flow("hook", "echo", flow_id="next"))
    await give_to_somebody_else(house, "refused")

    assert await refused_and_next(house) == (WAITING, SUCCESS)


async def test_a_host_to_which_another_one_redirected_is_held_back_itself(house: House):
    house.vault.data["c1"] = {"key": "secret"}
    house.toy.refusal = too_many(30)
    house.toy.refusal.redirected_to = "elsewhere.example"
    await house.publish(flow("hook", "refuse", flow_id="refused", connection_id="c1"))
    await house.publish(flow("hook", "echo", flow_id="next", connection_id="c1"))

    assert await refused_and_next(house) == (WAITING, SUCCESS)


async def test_the_refused_run_goes_on_after_a_restart_too(house: House):
    house.toy.refusal = too_many(30)
    await house.publish(flow("hook", "refuse"))
    await house.post()
    refused = await house.one(WAITING)
    assert (await house.execution(refused.id)).waits_for is WaitsFor.LIMIT
    house.toy.refusal = None

    await house.engine.stop(grace=1)
    await house.new_engine().start()

    assert (await house.one()).state is SUCCESS
