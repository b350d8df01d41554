"""Flows that call one another and hear of failures, with the real engine."""

import asyncio

import pytest
from tests.support.app_calls import built_in_app
from tests.support.patience import PATIENCE
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.domain.executions import ExecutionFilter, ExecutionState, Origin
from patchbay.domain.flow_calls import PATCHBAY_APP
from patchbay.domain.flows import StepChange, StructuralType
from patchbay.domain.paging import PageRequest

CALLED = StepChange(app_key=PATCHBAY_APP, key="called")


def event(key, **parameters):
    return StepChange(app_key=PATCHBAY_APP, key=key, parameters=parameters)


def one_value(value):
    return {"dataAs": "json", "json": value}


@pytest.fixture
async def runtime(tmp_path):
    """A workspace whose engine runs, with the app by which flows call one another."""
    opened = await open_runtime(tmp_path, more_apps=[built_in_app("patchbay"), built_in_app("filter")])
    await opened.engine.start()
    yield opened
    await opened.close()


async def publish(runtime, *changes, name="A flow"):
    """A published flow; `{1}`, `{2}` … in parameters stand for the ids of its steps."""
    flow = await runtime.flow(*changes, name=name)
    names = {f"{{{step.position}}}": step.id for step in flow.steps}
    for step in flow.steps:
        values = {key: placed(value, names) for key, value in step.parameters.items()}
        flow = await runtime.backend.update_step(step.id, StepChange(parameters=values))
    return await runtime.backend.publish_flow((await runtime.skipped(flow)).id)


def placed(value, names):
    if isinstance(value, list):
        return [placed(item, names) for item in value]
    if isinstance(value, dict):
        return {key: placed(item, names) for key, item in value.items()}
    for name, step_id in names.items() if isinstance(value, str) else ():
        value = value.replace(name, step_id)
    return value


async def ended(runtime, execution_id):
    """The execution at its end, and its steps' outputs."""
    async with asyncio.timeout(PATIENCE):
        while True:
            run = await runtime.backend.get_execution(execution_id)
            if run.state.finished:
                return run, [step.data_out for step in await runtime.backend.execution_steps(execution_id)]
            await asyncio.sleep(0.01)


async def of_flow(runtime, flow):
    """Its executions, once there is one and all have ended."""
    async with asyncio.timeout(PATIENCE):
        while True:
            page = await runtime.backend.list_executions(ExecutionFilter(flow_id=flow.id), PageRequest())
            if page.items and all(item.state.finished for item in page.items):
                return page.items
            await asyncio.sleep(0.01)


async def test_a_flow_continues_with_the_answer_of_the_one_it_called(runtime):
    greeting = one_value("Hello {{step.{1}.name}}")
    called = await publish(runtime, CALLED, event("answer", **greeting), name="Greeter")
    data = {"fields": [{"key": "name", "value": "{{step.{1}.who}}"}]}
    shout = PASS.model_copy(update={"parameters": {"text": "{{step.{2}.answer}}!"}})
    caller = await publish(runtime, CATCH, event("callFlow", flow=called.id, **data), shout)

    run, outputs = await ended(runtime, await runtime.backend.run_flow(caller.id, {"who": "Ada"}))

    assert run.state is ExecutionState.SUCCESS
    assert outputs[1]["answer"] == "Hello Ada"
    assert outputs[2] == {"text": "Hello Ada!"}
    (inner,) = await of_flow(runtime, called)
    assert (inner.origin_id, inner.origin_kind) == (run.id, Origin.CALL)
    assert outputs[1]["executionId"] == inner.id


async def test_the_last_answer_counts_and_none_is_null(runtime):
    twice = await publish(
        runtime, CALLED, event("answer", **one_value("first")), event("answer", **one_value("second"))
    )
    silent = await publish(runtime, CALLED, PASS)
    caller = await publish(
        runtime, CATCH, event("callFlow", flow=twice.id), event("callFlow", flow=silent.id)
    )

    _, outputs = await ended(runtime, await runtime.backend.run_flow(caller.id, {}))

    assert [output["answer"] for output in outputs[1:]] == ["second", None]


async def test_a_call_fails_with_the_flow_it_called(runtime):
    broken = await publish(
        runtime, CALLED, event("answer", **one_value('{"a": {{step.{1}.a}}')), name="Broken"
    )
    caller = await publish(runtime, CATCH, event("callFlow", flow=broken.id))

    run, _ = await ended(runtime, await runtime.backend.run_flow(caller.id, {}))

    assert run.state is ExecutionState.FAILURE
    assert "Broken" in run.note


async def test_failures_start_the_flow_that_receives_them(runtime):
    listening = await publish(runtime, event("flowFailed", flow="any"), PASS, name="Tell me")
    broken = await publish(runtime, CATCH, event("answer", **one_value("{oops")), name="Broken")

    run, _ = await ended(runtime, await runtime.backend.run_flow(broken.id, {}))

    assert run.state is ExecutionState.FAILURE
    (heard,) = await of_flow(runtime, listening)
    assert (heard.origin_id, heard.origin_kind) == (run.id, Origin.FAILURE)
    item = (await runtime.backend.execution_steps(heard.id))[0].data_out
    assert (item["flow"]["name"], item["execution"]["id"]) == ("Broken", run.id)
    assert item["error"]["happened"] == "This isn't valid JSON."
    assert (item["step"]["position"], item["step"]["app"]) == (2, "Patchbay")


async def test_a_flow_that_is_not_waited_for_runs_beside(runtime):
    called = await publish(runtime, CALLED, PASS)
    caller = await publish(runtime, CATCH, event("callFlow", flow=called.id, wait=False))

    run, outputs = await ended(runtime, await runtime.backend.run_flow(caller.id, {}))

    (inner,) = await of_flow(runtime, called)
    assert (run.state, outputs[1]) == (ExecutionState.SUCCESS, {"executionId": inner.id, "answer": None})


async def test_a_flow_is_called_for_each_item_of_a_list(runtime):
    called = await publish(runtime, CALLED, event("answer", **one_value("<{{step.{1}.name}}>")))
    caller = await runtime.flow(CATCH, event("callFlow", flow=called.id))
    trigger, call = caller.steps
    flow = await runtime.backend.add_step(caller.id, trigger.id, kind=StructuralType.EACH)
    loop = flow.steps[1]
    await runtime.backend.update_step(
        loop.id, StepChange(parameters={"list": f"{{{{step.{trigger.id}.people}}}}"})
    )
    await runtime.backend.move_step(call.id, 3, inside=loop.id)
    given = {"flow": called.id, **one_value(f"{{{{step.{loop.id}.item}}}}")}
    flow = await runtime.backend.update_step(call.id, StepChange(parameters=given))
    await runtime.backend.publish_flow((await runtime.skipped(flow)).id)

    run, outputs = await ended(
        runtime, await runtime.backend.run_flow(caller.id, {"people": [{"name": "A"}, {"name": "B"}]})
    )

    assert run.state is ExecutionState.SUCCESS
    assert [output["answer"] for output in outputs if "answer" in output] == ["<A>", "<B>"]
    assert len(await of_flow(runtime, called)) == 2


async def test_a_flow_that_was_unpublished_meanwhile_is_not_called(runtime):
    called = await publish(runtime, CALLED, PASS, name="Was here")
    caller = await publish(runtime, CATCH, event("callFlow", flow=called.id))
    await runtime.backend.unpublish_flow(called.id)

    run, _ = await ended(runtime, await runtime.backend.run_flow(caller.id, {}))

    assert run.state is ExecutionState.FAILURE
    assert "isn't published" in run.note or "can't be called" in run.note


async def test_failures_in_a_flow_that_receives_failures_start_no_run(runtime):
    listening = await publish(runtime, event("flowFailed", flow="any"), event("answer", **one_value("{oops")))
    broken = await publish(runtime, CATCH, event("answer", **one_value("{oops")))

    await ended(runtime, await runtime.backend.run_flow(broken.id, {}))

    (heard,) = await of_flow(runtime, listening)
    assert heard.state is ExecutionState.FAILURE


async def test_testing_a_call_calls_nothing_and_shows_the_newest_answer(runtime):
    called = await publish(runtime, CALLED, event("answer", **one_value("42")))
    caller = await publish(runtime, CATCH, event("callFlow", flow=called.id))
    await ended(runtime, await runtime.backend.run_flow(caller.id, {}))

    tested = await runtime.backend.test_step(caller.steps[1].id)

    assert (tested.result.data_out["answer"], tested.result.data_out["executionId"]) == ("42", None)
    assert len(await of_flow(runtime, called)) == 1


async def test_a_called_flow_is_tried_with_its_example(runtime):
    flow = await runtime.flow(CALLED.model_copy(update={"parameters": {"example": '{"name": "Ada"}'}}), PASS)

    tested = await runtime.backend.test_step(flow.steps[0].id)

    assert tested.result.data_out == {"name": "Ada"}
