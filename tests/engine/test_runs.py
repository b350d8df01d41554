"""How an accepted event becomes a finished execution."""

import logging
from dataclasses import replace

import pytest
from tests.support.engine_house import House
from tests.support.toy_apps import flow, late, too_many, wrong_key

from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.integration import Action, Context

SUCCESS, FAILURE = ExecutionState.SUCCESS, ExecutionState.FAILURE


async def test_an_event_runs_through_all_steps_and_every_step_is_kept(house: House):
    await house.publish(flow("hook", ("echo", {"say": "{{step.f1-0.body.name}}"}), "echo"))

    answer = await house.post(body={"name": "Ada"})

    assert answer.status == 204
    seen = await house.one()
    assert seen.state is SUCCESS
    assert [step.status for step in seen.steps] == [StepState.SUCCESS] * 3
    assert seen.step(0).data_out == {"headers": {"a": "b"}, "body": {"name": "Ada"}, "query": {}}
    assert seen.step(1).data_in == seen.step(1).data_out == {"say": "Ada"}


async def test_a_step_that_fails_keeps_the_warnings_of_its_call(house: House):
    async def warn_and_refuse(ctx: Context) -> None:
        ctx.warnings.append("It blocked its thread.")
        raise ThirdPartyError(app="Toy", said="no", status=403)

    warn = Action(key="warn", name="Warn", run=warn_and_refuse)
    house.toy.app = replace(house.toy.app, actions=(*house.toy.app.actions, warn))
    await house.publish(flow("hook", "warn"))

    await house.post()

    seen = await house.one(ExecutionState.FAILURE)
    assert list(seen.step(1).warnings) == ["It blocked its thread."]


async def test_a_step_sees_the_output_of_the_steps_before_it(house: House):
    chain = flow("hook", ("echo", {"say": "one"}), ("echo", {"say": "{{step.f1-1.say}} two"}))
    await house.publish(chain)

    await house.post()

    assert (await house.one()).step(2).data_out == {"say": "one two"}


async def test_the_first_failed_step_ends_the_run_as_failure(house: House):
    house.toy.refusal = wrong_key()
    await house.publish(flow("hook", "refuse", "echo"))

    await house.post()

    seen = await house.one()
    assert seen.state is FAILURE
    assert [step.seq for step in seen.steps] == [0, 1]
    assert seen.note == "Toy answered “Invalid key” (401)."


async def test_a_refusal_keeps_the_third_partys_words_status_and_answer(house: House):
    house.toy.refusal = wrong_key()
    await house.publish(flow("hook", "refuse"))

    await house.post()

    error = (await house.one()).step(1).error
    assert error is not None
    assert error["kind"] == "HttpError"
    assert error["said"] == "Invalid key"
    assert error["status"] == 401
    assert error["response"] == {"error": "Invalid key"}
    assert error["todo"] == "Reconnect it."


async def test_continue_on_error_goes_on_but_a_later_success_does_not_hide_the_failure(house: House):
    house.toy.refusal = late()
    await house.publish(flow("hook", "refuse", ("echo", {"say": "after"}), continue_on_error=True))

    await house.post()

    seen = await house.one()
    assert seen.state is FAILURE
    assert [step.status for step in seen.steps][1:] == [StepState.FAILURE, StepState.SUCCESS]
    assert "Step 2 (Toy · Refuse) failed" in (seen.note or "")


async def test_a_passed_over_failure_is_remembered_through_a_delay(house: House):
    house.toy.refusal = late()
    await house.publish(flow("hook", "refuse", "delay", "echo", continue_on_error=True))
    await house.post()
    await house.one(ExecutionState.WAITING)

    await house.pass_time(60_000)

    assert (await house.one()).state is FAILURE


async def test_a_step_without_output_before_a_delay_is_no_failure(house: House):
    await house.publish(flow("hook", "respond", "delay", "echo", continue_on_error=True))
    await house.post()
    await house.one(ExecutionState.WAITING)

    await house.pass_time(60_000)

    assert (await house.one()).state is SUCCESS


async def test_a_missing_value_is_empty_and_named_when_the_step_fails(house: House):
    house.toy.refusal = late()
    await house.publish(flow("hook", ("refuse", {"to": "{{step.f1-0.body.nothing}}"})))

    await house.post()

    step = (await house.one()).step(1)
    assert step.data_in == {"to": ""}
    assert list(step.warnings) == ["{{step.f1-0.body.nothing}} had no value and was left empty."]


async def test_a_mistake_in_an_app_is_told_without_its_message(
    house: House, caplog: pytest.LogCaptureFixture
):
    await house.publish(flow("hook", "bug"))

    with caplog.at_level(logging.ERROR):
        await house.post()
        seen = await house.one()

    assert seen.note == "Toy · Bug failed with an unexpected error (KeyError)."
    assert "toy_apps.py" in caplog.text
    assert "sk-very-secret" not in caplog.text + str(seen)


async def test_output_that_is_no_json_fails_the_step(house: House):
    await house.publish(flow("hook", "odd"))

    await house.post()

    seen = await house.one()
    assert seen.state is FAILURE
    assert "unexpected error" in (seen.note or "")


async def test_a_filter_that_does_not_match_ends_the_run_and_says_why(house: House):
    await house.publish(flow("hook", ("filter", {"pass": "no"}), "echo"))

    await house.post()

    seen = await house.one()
    assert seen.state is ExecutionState.FILTERED
    assert seen.step(1).status is StepState.FILTERED
    assert seen.note == "“pass” is not “yes”."
    assert house.toy.calls == []


async def test_a_delay_costs_nothing_until_its_time_has_come(house: House):
    await house.publish(flow("hook", "delay", "echo"))

    await house.post()

    waiting = await house.one(ExecutionState.WAITING)
    assert waiting.wake_at == house.clock.now + 60_000
    assert house.toy.calls == []
    assert (waiting.note or "").startswith("Waits until ")
    await house.pass_time(60_000)
    done = await house.one()
    assert done.state is SUCCESS
    assert [step.seq for step in done.steps] == [0, 1, 2]
    assert done.note is None


async def test_a_delay_as_last_step_finishes(house: House):
    await house.publish(flow("hook", "delay"))

    await house.post()

    assert (await house.one()).state is SUCCESS


async def test_a_step_that_answers_429_is_tried_again_when_it_asked_for(house: House):
    house.toy.refusal = too_many(30)
    await house.publish(flow("hook", "refuse", "echo"))
    await house.post()
    parked = await house.one(ExecutionState.WAITING)
    assert parked.wake_at == house.clock.now + 30_000
    house.toy.refusal = None

    await house.pass_time(30_000)

    seen = await house.one()
    assert seen.state is SUCCESS
    assert [(step.seq, step.attempt, step.status.value) for step in seen.steps] == [
        (0, 1, "success"), (1, 1, "failure"), (1, 2, "success"), (2, 1, "success"),
    ]  # fmt: skip


async def test_after_five_attempts_429_is_a_failure(house: House):
    house.toy.refusal = too_many(30)
    await house.publish(flow("hook", "refuse"))
    await house.post()
    for attempt in range(1, 5):
        await house.until(lambda attempt=attempt: len(house.toy.calls) == attempt)
        await house.one(ExecutionState.WAITING)
        await house.pass_time(30_000)

    seen = await house.one()

    assert seen.state is FAILURE
    assert len(house.toy.calls) == 5


async def test_a_refused_connection_is_marked_and_a_missing_one_fails_the_step(house: House):
    house.vault.data["c1"] = {"key": "secret"}
    house.toy.refusal = wrong_key()
    await house.publish(flow("hook", "refuse", connection_id="c1"))
    await house.publish(flow("hook", "refuse", connection_id="gone", flow_id="f2"))

    await house.post()
    await house.post("f2")

    seen = await house.until_all(2)
    assert house.vault.invalid == {"c1": "Toy answered “Invalid key” (401)."}
    assert seen[1].note == "This connection is not there any more."


async def test_arguments_declared_parse_arrive_as_data(house: House):
    await house.publish(
        flow("hook", ("parse", {"value": '{"a": [1, true]}'}), ("parse", {"value": "12345678901234567890"}))
    )

    await house.post()

    seen = await house.one()
    assert seen.step(1).data_out == {"value": {"a": [1, True]}}
    assert seen.step(2).data_out == {"value": "12345678901234567890"}


async def test_a_flow_keeps_values_between_its_runs(house: House):
    await house.publish(flow("hook", "remember"))
    await house.post()
    await house.one()

    await house.post()

    seen = await house.until_all(2)
    assert [one.step(1).data_out for one in seen] == [{"count": 1}, {"count": 2}]


async def test_a_step_whose_app_is_gone_fails_in_words(house: House):
    broken = flow("hook", "echo")
    steps = (broken.steps[0], broken.steps[1].model_copy(update={"app_key": "lost"}))
    await house.publish(broken.model_copy(update={"steps": steps}))

    await house.post()

    assert (await house.one()).note == "There is no app lost."


async def test_every_move_of_an_execution_is_announced(house: House):
    await house.publish(flow("hook", "delay", "echo"))

    await house.post()

    waiting = await house.one(ExecutionState.WAITING)
    await house.until(lambda: any(change.action == "created" for change in house.changes))
    house.changes.clear()
    await house.pass_time(60_000)
    await house.one()
    await house.until(lambda: bool(house.changes))
    assert house.changes[-1].noun is ResourceType.EXECUTION
    assert house.changes[-1].ids == (waiting.id,)
    assert house.changes[-1].action == "updated"


async def test_many_runs_go_on_at_once_up_to_the_limit_and_flows_take_turns(house: House):
    await house.engine.stop()
    house.new_engine(limit=5)
    await house.engine.start()
    await house.publish(flow("hook", ("slow", {"say": "a"})))
    await house.publish(flow("hook", ("slow", {"say": "b"}), flow_id="f2"))
    for _ in range(12):
        await house.post()
    await house.until(lambda: house.toy.inside == 4)

    await house.post("f2")

    await house.until(lambda: house.toy.inside == 5)
    assert house.toy.calls.count("slow b") == 1
    house.toy.gate.set()
    await house.until_all(13)
    assert house.toy.most_inside == 5
