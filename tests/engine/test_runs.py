"""How an accepted event becomes a finished execution."""

import logging
from dataclasses import replace
from functools import partial

import pytest
from tests.support.engine_runtime import FLOW_2, EngineRuntime
from tests.support.toy_apps import flow, late, too_many, wrong_key

from patchbay.domain.base import ConnectionId
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.integration import Action, Context

SUCCESS, FAILURE = ExecutionState.SUCCESS, ExecutionState.FAILURE


def called(runtime: EngineRuntime, times: int) -> bool:
    return len(runtime.toy.calls) == times


async def test_an_event_runs_through_all_steps_and_every_step_is_kept(runtime: EngineRuntime):
    await runtime.publish(flow("hook", ("echo", {"say": "{{step.f1-0.body.name}}"}), "echo"))

    answer = await runtime.post(body={"name": "Ada"})

    assert answer.status == 204
    seen = await runtime.one()
    assert seen.state is SUCCESS
    assert [step.status for step in seen.steps] == [StepState.SUCCESS] * 3
    assert seen.step(0).data_out == {"headers": {"a": "b"}, "body": {"name": "Ada"}, "query": {}}
    assert seen.step(1).data_in == seen.step(1).data_out == {"say": "Ada"}


async def test_a_step_that_fails_keeps_the_warnings_of_its_call(runtime: EngineRuntime):
    async def warn_and_refuse(ctx: Context) -> None:
        ctx.warnings.append("It blocked its thread.")
        raise ThirdPartyError(app="Toy", said="no", status=403)

    warn = Action(key="warn", name="Warn", run=warn_and_refuse)
    runtime.toy.app = replace(runtime.toy.app, actions=(*runtime.toy.app.actions, warn))
    await runtime.publish(flow("hook", "warn"))

    await runtime.post()

    seen = await runtime.one(ExecutionState.FAILURE)
    assert list(seen.step(1).warnings) == ["It blocked its thread."]


async def test_a_step_sees_the_output_of_the_steps_before_it(runtime: EngineRuntime):
    chain = flow("hook", ("echo", {"say": "one"}), ("echo", {"say": "{{step.f1-1.say}} two"}))
    await runtime.publish(chain)

    await runtime.post()

    assert (await runtime.one()).step(2).data_out == {"say": "one two"}


async def test_the_first_failed_step_ends_the_run_as_failure(runtime: EngineRuntime):
    runtime.toy.refusal = wrong_key()
    await runtime.publish(flow("hook", "refuse", "echo"))

    await runtime.post()

    seen = await runtime.one()
    assert seen.state is FAILURE
    assert [step.seq for step in seen.steps] == [0, 1]
    assert seen.note == "Toy returned “Invalid key” (401)."


async def test_a_refusal_keeps_the_third_partys_words_status_and_answer(runtime: EngineRuntime):
    runtime.toy.refusal = wrong_key()
    await runtime.publish(flow("hook", "refuse"))

    await runtime.post()

    error = (await runtime.one()).step(1).error
    assert error is not None
    assert error["kind"] == "HttpError"
    assert error["said"] == "Invalid key"
    assert error["status"] == 401
    assert error["response"] == {"error": "Invalid key"}
    assert error["todo"] == "Reconnect it."


async def test_continue_on_error_continues_but_a_later_success_does_not_hide_the_failure(
    runtime: EngineRuntime,
):
    runtime.toy.refusal = late()
    await runtime.publish(flow("hook", "refuse", ("echo", {"say": "after"}), continue_on_error=True))

    await runtime.post()

    seen = await runtime.one()
    assert seen.state is FAILURE
    assert [step.status for step in seen.steps][1:] == [StepState.FAILURE, StepState.SUCCESS]
    assert "Step 2 (Toy · Refuse) failed" in (seen.note or "")


async def test_a_passed_over_failure_is_remembered_through_a_delay(runtime: EngineRuntime):
    runtime.toy.refusal = late()
    await runtime.publish(flow("hook", "refuse", "delay", "echo", continue_on_error=True))
    await runtime.post()
    await runtime.one(ExecutionState.WAITING)

    await runtime.pass_time(60_000)

    assert (await runtime.one()).state is FAILURE


async def test_a_step_without_output_before_a_delay_is_no_failure(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "respond", "delay", "echo", continue_on_error=True))
    await runtime.post()
    await runtime.one(ExecutionState.WAITING)

    await runtime.pass_time(60_000)

    assert (await runtime.one()).state is SUCCESS


async def test_a_missing_value_is_empty_and_named_when_the_step_fails(runtime: EngineRuntime):
    runtime.toy.refusal = late()
    await runtime.publish(flow("hook", ("refuse", {"to": "{{step.f1-0.body.nothing}}"})))

    await runtime.post()

    step = (await runtime.one()).step(1)
    assert step.data_in == {"to": ""}
    assert list(step.warnings) == ["{{step.f1-0.body.nothing}} had no value and was left empty."]


async def test_a_bug_in_an_app_is_reported_without_its_message(
    runtime: EngineRuntime, caplog: pytest.LogCaptureFixture
):
    await runtime.publish(flow("hook", "bug"))

    with caplog.at_level(logging.ERROR):
        await runtime.post()
        seen = await runtime.one()

    assert seen.note == "Toy · Bug failed with an unexpected error (KeyError)."
    assert "toy_apps.py" in caplog.text
    assert "sk-very-secret" not in caplog.text + str(seen)


async def test_output_that_is_no_json_fails_the_step(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "odd"))

    await runtime.post()

    seen = await runtime.one()
    assert seen.state is FAILURE
    assert "unexpected error" in (seen.note or "")


async def test_a_filter_that_does_not_match_ends_the_run_and_says_why(runtime: EngineRuntime):
    await runtime.publish(flow("hook", ("filter", {"pass": "no"}), "echo"))

    await runtime.post()

    seen = await runtime.one()
    assert seen.state is ExecutionState.FILTERED
    assert seen.step(1).status is StepState.FILTERED
    assert seen.note == "“pass” is not “yes”."
    assert runtime.toy.calls == []


async def test_a_delay_costs_nothing_until_its_time_has_come(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "delay", "echo"))

    await runtime.post()

    waiting = await runtime.one(ExecutionState.WAITING)
    assert waiting.wake_at == runtime.clock.now + 60_000
    assert runtime.toy.calls == []
    assert (waiting.note or "").startswith("Waiting until ")
    await runtime.pass_time(60_000)
    done = await runtime.one()
    assert done.state is SUCCESS
    assert [step.seq for step in done.steps] == [0, 1, 2]
    assert done.note is None


async def test_a_delay_as_last_step_finishes(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "delay"))

    await runtime.post()

    assert (await runtime.one()).state is SUCCESS


async def test_a_step_that_answers_429_is_tried_again_when_it_asked_for(runtime: EngineRuntime):
    runtime.toy.refusal = too_many(30)
    await runtime.publish(flow("hook", "refuse", "echo"))
    await runtime.post()
    parked = await runtime.one(ExecutionState.WAITING)
    assert parked.wake_at == runtime.clock.now + 30_000
    runtime.toy.refusal = None

    await runtime.pass_time(30_000)

    seen = await runtime.one()
    assert seen.state is SUCCESS
    assert [(step.seq, step.attempt, step.status.value) for step in seen.steps] == [
        (0, 1, "success"),
        (1, 1, "failure"),
        (1, 2, "success"),
        (2, 1, "success"),
    ]


async def test_after_five_attempts_429_is_a_failure(runtime: EngineRuntime):
    runtime.toy.refusal = too_many(30)
    await runtime.publish(flow("hook", "refuse"))
    await runtime.post()
    for attempt in range(1, 5):
        await runtime.until(partial(called, runtime, attempt))
        await runtime.one(ExecutionState.WAITING)
        await runtime.pass_time(30_000)

    seen = await runtime.one()

    assert seen.state is FAILURE
    assert len(runtime.toy.calls) == 5


async def test_a_refused_connection_is_marked_and_a_missing_one_fails_the_step(runtime: EngineRuntime):
    runtime.vault.data[ConnectionId("c1")] = {"key": "secret"}
    runtime.toy.refusal = wrong_key()
    await runtime.publish(flow("hook", "refuse", connection_id="c1"))
    await runtime.publish(flow("hook", "refuse", connection_id="gone", flow_id="f2"))

    await runtime.post()
    await runtime.post(FLOW_2)

    seen = await runtime.until_all(2)
    assert runtime.vault.invalid == {"c1": "Toy returned “Invalid key” (401)."}
    assert seen[1].note == "This connection doesn't exist any more."


async def test_arguments_declared_parse_arrive_as_data(runtime: EngineRuntime):
    await runtime.publish(
        flow("hook", ("parse", {"value": '{"a": [1, true]}'}), ("parse", {"value": "12345678901234567890"}))
    )

    await runtime.post()

    seen = await runtime.one()
    assert seen.step(1).data_out == {"value": {"a": [1, True]}}
    assert seen.step(2).data_out == {"value": "12345678901234567890"}


async def test_a_flow_keeps_values_between_its_runs(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "remember"))
    await runtime.post()
    await runtime.one()

    await runtime.post()

    seen = await runtime.until_all(2)
    assert [one.step(1).data_out for one in seen] == [{"count": 1}, {"count": 2}]


async def test_a_step_whose_app_is_gone_fails_with_a_clear_error(runtime: EngineRuntime):
    broken = flow("hook", "echo")
    steps = (broken.steps[0], broken.steps[1].model_copy(update={"app_key": "lost"}))
    await runtime.publish(broken.model_copy(update={"steps": steps}))

    await runtime.post()

    assert (await runtime.one()).note == "There is no app lost."


async def test_every_move_of_an_execution_is_announced(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "delay", "echo"))

    await runtime.post()

    waiting = await runtime.one(ExecutionState.WAITING)
    await runtime.until(lambda: any(change.action == "created" for change in runtime.changes))
    runtime.changes.clear()
    await runtime.pass_time(60_000)
    await runtime.one()
    await runtime.until(lambda: bool(runtime.changes))
    assert runtime.changes[-1].noun is ResourceType.EXECUTION
    assert runtime.changes[-1].ids == (waiting.id,)
    assert runtime.changes[-1].action == "updated"


async def test_many_runs_continue_at_once_up_to_the_limit_and_flows_take_turns(runtime: EngineRuntime):
    await runtime.engine.stop()
    runtime.new_engine(limit=5)
    await runtime.engine.start()
    await runtime.publish(flow("hook", ("slow", {"say": "a"})))
    await runtime.publish(flow("hook", ("slow", {"say": "b"}), flow_id="f2"))
    for _ in range(12):
        await runtime.post()
    await runtime.until(lambda: runtime.toy.inside == 4)

    await runtime.post(FLOW_2)

    await runtime.until(lambda: runtime.toy.inside == 5)
    assert runtime.toy.calls.count("slow b") == 1
    runtime.toy.gate.set()
    await runtime.until_all(13)
    assert runtime.toy.most_inside == 5
