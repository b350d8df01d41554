"""Flows of a person who is no admin reach that person's flows only."""

import asyncio
from uuid import uuid4

import pytest
from tests.support.app_calls import built_in_app
from tests.support.desk import TOOLS
from tests.support.patience import PATIENCE
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.domain.errors import FlowNotReady
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flow_calls import ANY_FLOW, PATCHBAY_APP
from patchbay.domain.flows import StepChange
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import ADMIN, EDITOR

CALLED = StepChange(app_key=PATCHBAY_APP, key="called")


def event(key, **parameters):
    return StepChange(app_key=PATCHBAY_APP, key=key, parameters=parameters)


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(tmp_path, more_apps=[built_in_app("patchbay")])
    await opened.engine.start()
    yield opened
    await opened.close()


@pytest.fixture
async def eve(runtime):
    return await runtime.backend.create_user("Eve", "eve@example.org", EDITOR.id)


async def _published(runtime, *changes, name, owner=None):
    flow = await runtime.backend.create_flow(name, None, owner)
    for step, change in zip(flow.steps, changes, strict=True):
        flow = await runtime.backend.update_step(step.id, change)
    return await runtime.backend.publish_flow((await runtime.skipped(flow)).id)


async def _ended(runtime, flow_id):
    """The first execution of a flow, once it has ended."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await runtime.backend.list_executions(ExecutionFilter(flow_id=flow_id), PageRequest())
            if found.items and found.items[-1].state.finished:
                return found.items[-1]
            await asyncio.sleep(0.01)


async def test_only_own_flows_are_offered(runtime, eve):
    await _published(runtime, CALLED, PASS, name="Not hers")
    hers = await _published(runtime, CALLED, PASS, name="Hers", owner=eve.id)
    caller = await runtime.backend.create_flow("Caller", None, eve.id)
    trigger, action = caller.steps
    await runtime.backend.update_step(trigger.id, event("flowFailed", flow=ANY_FLOW))
    await runtime.backend.update_step(action.id, event("callFlow"))

    called = await runtime.backend.dynamic_options(action.id, "listCallableFlows", {})
    heard = await runtime.backend.dynamic_options(trigger.id, "listFlows", {})

    assert [option.value for option in called] == [hers.id]
    assert [option.value for option in heard] == [ANY_FLOW, hers.id]


async def test_calling_another_users_flow_fails_like_calling_a_missing_flow(runtime, eve):
    target = await _published(runtime, CALLED, PASS, name="Not hers")
    with pytest.raises(FlowNotReady) as foreign:
        await _published(runtime, CATCH, event("callFlow", flow=target.id), name="Caller", owner=eve.id)
    with pytest.raises(FlowNotReady) as missing:
        await _published(runtime, CATCH, event("callFlow", flow=str(uuid4())), name="Caller", owner=eve.id)

    assert foreign.value.blockers[0].reason == missing.value.blockers[0].reason


async def test_a_call_ends_when_its_person_is_no_admin_any_more(runtime, eve):
    await runtime.backend.update_user(eve.id, role_id=ADMIN.id)
    target = await _published(runtime, CALLED, PASS, name="Not hers")
    caller = await _published(runtime, CATCH, event("callFlow", flow=target.id), name="Caller", owner=eve.id)
    await runtime.backend.update_user(eve.id, role_id=EDITOR.id)

    await runtime.backend.run_flow(caller.id, {"any": 1})
    run = await _ended(runtime, caller.id)

    assert run.state is ExecutionState.FAILURE
    assert "isn't published" in (run.note or "")
    assert (
        await runtime.backend.list_executions(ExecutionFilter(flow_id=target.id), PageRequest())
    ).total == 0


@pytest.mark.parametrize(("role", "heard"), [(EDITOR, 0), (ADMIN, 1)])
async def test_failures_of_others_are_heard_by_flows_of_admins_only(runtime, eve, role, heard):
    await runtime.backend.update_user(eve.id, role_id=ADMIN.id)
    listener = await _published(runtime, event("flowFailed", flow=ANY_FLOW), PASS, name="Hears", owner=eve.id)
    witness = await _published(runtime, event("flowFailed", flow=ANY_FLOW), PASS, name="Hears all")
    await runtime.backend.update_user(eve.id, role_id=role.id)
    broken = StepChange(app_key=TOOLS, key="pass", parameters={"text": "crash"})
    failing = await _published(runtime, CATCH, broken, name="Fails")

    await runtime.backend.run_flow(failing.id, {"any": 1})
    await _ended(runtime, witness.id)

    found = await runtime.backend.list_executions(ExecutionFilter(flow_id=listener.id), PageRequest())
    assert found.total == heard
