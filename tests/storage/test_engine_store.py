"""The four transactions of the engine, and the queries of its timers."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import delete, select, text, update
from tests.support.storage_rows import NOW, done

from patchbay.domain.engine_store import FinishedStep, RunTransition, TriggerState
from patchbay.domain.errors import StorageFault
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowVersion
from patchbay.storage.codec import PAYLOAD_LIMIT
from patchbay.storage.engine_store import SqlEngineStore
from patchbay.storage.repositories import flow_versions
from patchbay.storage.tables import execution, execution_step, flow, flow_version

ON = RunTransition(state=ExecutionState.RUNNING, cursor=2)
END = RunTransition(state=ExecutionState.SUCCESS, cursor=3)


async def started(workshop, store, **event):
    """A flow, and a run of it that was accepted and claimed."""
    item = await workshop.flow()
    new = workshop.event(item, **event)
    await store.accept([new])
    return item, await store.claim(new.id, "mine", NOW + 1)


async def row(db, execution_id):
    query = select(execution).where(execution.c.id == execution_id)
    return await db.read(lambda tx: tx.execute(query).mappings().one())


async def attempts(db, execution_id):
    query = select(execution_step).where(execution_step.c.execution_id == execution_id)
    ordered = query.order_by(execution_step.c.seq, execution_step.c.attempt)
    return await db.read(lambda tx: tx.execute(ordered).mappings().all())


async def test_an_accepted_event_is_queued_with_its_finished_trigger(db, workshop, store):
    item = await workshop.flow()
    event = workshop.event(item, internal_id="order 1")

    assert await store.accept([event]) == (True,)

    stored, (trigger,) = await row(db, event.id), await attempts(db, event.id)
    assert (stored["status"], stored["cursor"], stored["steps_done"], stored["steps_total"]) == (
        "queued",
        1,
        1,
        3,
    )
    assert (trigger["seq"], trigger["status"], trigger["output"]) == (0, "success", '{"number":2}')


async def test_an_event_is_accepted_once_a_flow(workshop, store):
    first, second = await workshop.flow(), await workshop.flow()
    await store.accept([workshop.event(first, internal_id="a")])

    answer = await store.accept(
        [
            workshop.event(first, internal_id="a"),
            workshop.event(first, internal_id="b"),
            workshop.event(first, internal_id="b"),
            workshop.event(second, internal_id="a"),
            workshop.event(first),
            workshop.event(first),
        ]
    )

    assert answer == (False, True, False, True, True, True)


async def test_the_trigger_moves_in_the_same_commit_as_its_events(db, workshop, store):
    item = await workshop.flow()
    state = TriggerState(flow_id=item.id, cursor={"seen": ["a"]}, next_due_at=NOW + 60_000)
    before = db.commits

    await store.accept([workshop.event(item, internal_id="a")], state)

    assert db.commits == before + 1
    (active,) = await store.active_triggers()
    assert active.state == state
    assert active.version.steps == item.steps


async def test_a_test_run_does_not_hide_the_real_event(workshop, store):
    item = await workshop.flow()
    await store.accept([workshop.event(item, internal_id="a", test_run=True)])

    assert await store.accept([workshop.event(item, internal_id="a")]) == (True,)


async def test_a_test_of_one_step_is_stored_finished(db, workshop, store):
    item = await workshop.flow(publish=False)
    event = workshop.event(item, flow_version=None, state=ExecutionState.SUCCESS, test_run=True)
    event = replace(event, trigger=done(item, 2))

    await store.accept([event])

    stored = await row(db, event.id)
    assert (stored["status"], stored["steps_done"], stored["finished_at"]) == ("success", 1, NOW + 5)
    assert await store.due(NOW + 1000, 10) == ()


async def test_a_claimed_run_brings_all_it_needs_to_continue(workshop, store):
    item, run = await started(workshop, store)

    assert (run.cursor, run.attempt, run.interrupted) == (1, 1, False)
    assert run.finished_steps == (FinishedStep(StepState.SUCCESS, {"number": 2}, len('{"number":2}')),)
    assert run.version.steps == item.steps


async def test_only_one_of_many_gets_a_run(workshop, store):
    event = workshop.event(await workshop.flow())
    await store.accept([event])

    claims = await asyncio.gather(*(store.claim(event.id, f"token {i}", NOW) for i in range(10)))

    assert sum(claim is not None for claim in claims) == 1


async def test_a_run_is_claimed_alike_whether_its_event_is_in_memory_or_not(db, workshop, store):
    event = workshop.event(await workshop.flow())
    await store.accept([event])
    reader = SqlEngineStore(db, now=lambda: NOW)

    remembered = await store.claim(event.id, "mine", NOW)
    await store.release(NOW)
    read = await reader.claim(event.id, "mine", NOW)

    assert remembered == read


async def test_steps_of_a_second_claim_are_read(workshop, store):
    item = await workshop.flow()
    event = workshop.event(item)
    await store.accept([event])
    first = await SqlEngineStore(store._db, now=lambda: NOW).claim(event.id, "mine", NOW)
    await store.outcome(first, done(item, 1), ON)
    await store.release(NOW)

    again = await store.claim(event.id, "another", NOW)

    assert (again.cursor, len(again.finished_steps)) == (2, 2)


async def test_a_run_that_is_not_there_cannot_be_claimed(store):
    assert await store.claim("nobody", "mine", NOW) is None


async def test_a_run_of_a_flow_that_is_gone_for_good_ends(db, workshop, store):
    item = await workshop.flow()
    event = workshop.event(item)
    await store.accept([event])
    await db.write(lambda tx: tx.execute(delete(flow_version)))

    assert await store.claim(event.id, "mine", NOW) is None
    assert (await row(db, event.id))["status"] == "cancelled"


async def test_a_test_run_of_a_draft_goes_through_the_draft(workshop, store):
    item = await workshop.flow(publish=False)
    event = workshop.event(item, flow_version=None, test_run=True)
    await store.accept([event])

    run = await store.claim(event.id, "mine", NOW)

    assert (run.version.number, run.version.steps, run.test_run) == (0, item.steps, True)


async def test_an_intent_is_stored_before_the_step_is_called(db, workshop, store):
    item, run = await started(workshop, store)

    assert await store.intent(run, done(item, 1, status=StepState.RUNNING, data_out=None))

    _, step = await attempts(db, run.id)
    assert (step["status"], step["input"], step["output"], step["finished_at"]) == (
        "running",
        '{"text":"in"}',
        None,
        None,
    )


async def test_an_outcome_finishes_the_step_and_moves_the_run(db, workshop, store):
    item, run = await started(workshop, store)
    await store.intent(run, done(item, 1, status=StepState.RUNNING, data_out=None))

    assert await store.outcome(run, done(item, 1, data_in=None), ON)

    stored, (_, step) = await row(db, run.id), await attempts(db, run.id)
    assert (stored["status"], stored["cursor"], stored["steps_done"], stored["run_token"]) == (
        "running",
        2,
        2,
        "mine",
    )
    assert (step["status"], step["input"], step["output"]) == ("success", '{"text":"in"}', '{"text":"out 1"}')


async def test_the_last_outcome_ends_the_run(db, workshop, store):
    item, run = await started(workshop, store)
    await store.outcome(run, done(item, 1), ON)
    await store.outcome(run, done(item, 2, at=NOW + 50), END)

    stored = await row(db, run.id)
    assert (stored["status"], stored["finished_at"], stored["steps_done"]) == ("success", NOW + 55, 3)
    assert (stored["started_at"], stored["run_token"]) == (NOW + 1, None)


async def test_a_failure_keeps_its_reason(db, workshop, store):
    item, run = await started(workshop, store)
    failed = done(item, 1, status=StepState.FAILURE, data_out=None, error={"happened": "Refused."})

    await store.outcome(run, failed, RunTransition(state=ExecutionState.FAILURE, cursor=2, note="Refused."))

    stored, (_, step) = await row(db, run.id), await attempts(db, run.id)
    assert (stored["status"], stored["note"], stored["steps_done"]) == ("failure", "Refused.", 2)
    assert step["error"] == '{"happened":"Refused."}'


async def approve(db, item):
    await db.write(lambda tx: tx.execute(update(flow_version).values(approved=True)))


async def publish_another(db, item):
    version = FlowVersion(flow_id=item.id, number=2, name=item.name, steps=item.steps, created_at=NOW)

    def store(tx):
        flow_versions.add(tx, version)
        tx.execute(update(flow).where(flow.c.id == item.id).values(published_version=2))

    await db.write(store)


async def unpublish(db, item):
    await db.write(lambda tx: tx.execute(update(flow).values(active=False)))


async def delete_flow(db, item):
    await db.write(lambda tx: tx.execute(update(flow).values(deleted_at=NOW)))


@pytest.mark.parametrize("end", [publish_another, unpublish, delete_flow])
async def test_an_approval_that_ends_while_a_run_is_queued_does_not_count_for_it(db, workshop, store, end):
    item = await workshop.flow()
    await approve(db, item)
    event = workshop.event(item)
    await store.accept([event])
    await end(db, item)

    run = await store.claim(event.id, "mine", NOW + 1)

    assert run.approval_ended
    assert (await row(db, event.id))["approval_ended"]
    await store.recover(NOW + 10)
    assert (await store.claim(event.id, "again", NOW + 20)).approval_ended


async def test_an_approval_counts_for_runs_that_started_before_it_ended(db, workshop, store):
    item = await workshop.flow()
    await approve(db, item)
    event = workshop.event(item)
    await store.accept([event])
    started_run = await store.claim(event.id, "mine", NOW + 1)
    await publish_another(db, item)

    await store.recover(NOW + 10)
    again = await store.claim(event.id, "again", NOW + 20)

    assert (started_run.approval_ended, again.approval_ended) == (False, False)


async def test_an_approval_that_ended_makes_no_difference_to_what_an_admin_started(db, workshop, store):
    item = await workshop.flow()
    await approve(db, item)
    event = workshop.event(item)
    await store.accept([replace(event, permit=replace(event.permit, full_rights=True))])
    await publish_another(db, item)

    assert not (await store.claim(event.id, "mine", NOW + 1)).approval_ended


async def test_a_lost_run_changes_nothing(db, workshop, store):
    item, run = await started(workshop, store)
    await store.recover(NOW + 10)
    other = await store.claim(run.id, "theirs", NOW + 20)

    assert not await store.intent(run, done(item, 1, status=StepState.RUNNING))
    assert not await store.outcome(run, done(item, 1), ON)

    assert other.run_token == "theirs"
    assert len(await attempts(db, run.id)) == 1
    assert (await row(db, run.id))["cursor"] == 1


async def test_a_cancelled_run_is_lost_too(db, workshop, store):
    item, run = await started(workshop, store)
    await db.write(lambda tx: tx.execute(update(execution).values(status="cancelled")))

    assert not await store.intent(run, done(item, 1, status=StepState.RUNNING))
    assert not await store.outcome(run, done(item, 1), END)


async def test_a_finished_attempt_is_never_begun_again(db, workshop, store):
    item, run = await started(workshop, store)
    await store.outcome(run, done(item, 1), ON)

    assert not await store.intent(run, done(item, 1, status=StepState.RUNNING, data_out=None))

    assert (await attempts(db, run.id))[1]["output"] == '{"text":"out 1"}'


async def test_after_a_crash_a_run_comes_back_where_it_was(workshop, store):
    item, run = await started(workshop, store)
    await store.outcome(run, done(item, 1), ON)

    assert await store.recover(NOW + 10) == 1

    again = await store.claim(run.id, "again", NOW + 20)
    assert (again.cursor, again.attempt, again.interrupted) == (2, 1, False)
    assert again.finished_steps[1].output == {"text": "out 1"}


async def test_a_step_that_a_crash_left_running_is_known_as_interrupted(db, workshop, store):
    item, run = await started(workshop, store)
    await store.intent(run, done(item, 1, status=StepState.RUNNING, data_out=None))
    await store.recover(NOW + 10)

    again = await store.claim(run.id, "again", NOW + 20)

    assert (again.interrupted, again.attempt) == (True, 1)
    assert await store.intent(again, done(item, 1, status=StepState.RUNNING, data_out=None, at=NOW + 30))
    assert [(step["seq"], step["attempt"]) for step in await attempts(db, run.id)] == [(0, 1), (1, 1)]


async def test_a_retry_waits_and_is_the_next_attempt(workshop, store):
    item, run = await started(workshop, store)
    failed = done(item, 1, status=StepState.FAILURE, data_out=None, error={"happened": "Busy."})
    await store.outcome(
        run, failed, RunTransition(state=ExecutionState.WAITING, cursor=1, wake_at=NOW + 5000)
    )

    assert await store.claim(run.id, "early", NOW + 4999) is None
    assert await store.next_wake() == NOW + 5000
    assert await store.due(NOW + 4999, 10) == ()
    assert await store.due(NOW + 5000, 10) == ((run.id, run.version.flow_id, run.id),)

    again = await store.claim(run.id, "late", NOW + 5000)
    assert (again.attempt, again.interrupted) == (2, False)
    assert await store.next_wake() is None


async def test_the_oldest_are_due_first(workshop, store):
    item = await workshop.flow()
    events = [workshop.event(item, at=NOW + age) for age in (30, 10, 20)]
    await store.accept(events)

    assert await store.due(NOW + 100, 2) == tuple(
        (event.id, event.flow_id, event.id) for event in events[1:3]
    )


async def test_known_ids_are_those_of_the_flow(workshop, store):
    item, other = await workshop.flow(), await workshop.flow()
    await store.accept([workshop.event(item, internal_id=f"id {i}", at=NOW + i) for i in range(1200)])
    await store.accept([workshop.event(other, internal_id="foreign", at=NOW + 9999)])

    known = await store.known_ids(item.id, [f"id {i}" for i in range(2000)] + ["foreign"])

    assert len(known) == 1200
    assert await store.last_internal_id(item.id) == "id 1199"


async def test_only_published_flows_have_active_triggers(db, workshop, store):
    live = await workshop.flow("Live", execution_interval=5)
    await workshop.flow("Draft", publish=False)
    gone = await workshop.flow("Gone")
    await db.write(lambda tx: tx.execute(update(flow).where(flow.c.id == gone.id).values(deleted_at=NOW)))

    (active,) = await store.active_triggers()

    assert (active.version.flow_id, active.interval_minutes, active.state.cursor) == (live.id, 5, {})
    assert (await store.version(live.id)).name == "Live"
    assert await store.version(gone.id) is None
    assert await store.draft(gone.id) is None


async def test_counts_tell_what_is_under_way_and_what_failed(workshop, store):
    item, _ = await started(workshop, store)
    await store.accept([workshop.event(item), workshop.event(item, state=ExecutionState.FAILURE, at=NOW - 5)])
    await store.accept([workshop.event(item, state=ExecutionState.FAILURE)])

    counts = {"running": 1, "waiting": 0, "queued": 1, "failures": 1}
    assert await store.counts(NOW) == counts | {"oldest_queued_at": NOW}


async def test_samples_are_the_newest_successful_outputs(workshop, store):
    item, run = await started(workshop, store)
    await store.outcome(run, done(item, 1, at=NOW + 10), ON)
    await store.outcome(run, done(item, 2, status=StepState.FAILURE), END)
    await store.accept([workshop.event(item, at=NOW + 100)])

    samples = await store.samples(item.id)

    assert samples == {item.steps[0].id: {"number": 3}, item.steps[1].id: {"text": "out 1"}}


async def test_values_of_a_flow_are_kept_and_replaced(workshop, store):
    item = await workshop.flow()
    await store.set_value(item.id, "last", {"n": 1})
    await store.set_value(item.id, "last", ["ünï", None])

    assert await store.get_value(item.id, "last") == ["ünï", None]
    assert await store.get_value(item.id, "other") is None


@pytest.mark.parametrize("odd", ["\ud83d", "NUL \x00 inside", "emoji 🎉", "x" * 1_500_000])
async def test_odd_payloads_come_back_as_they_were(workshop, store, odd):
    item, run = await started(workshop, store)
    await store.outcome(run, done(item, 1, data_out={"odd": odd}), ON)
    await store.recover(NOW + 10)

    again = await store.claim(run.id, "again", NOW + 20)

    assert again.finished_steps[1].output == {"odd": odd}


async def test_a_payload_that_is_too_large_is_rejected_with_a_clear_error(db, workshop, store):
    item, run = await started(workshop, store)

    with pytest.raises(StorageFault, match="too large"):
        await store.outcome(run, done(item, 1, data_out="x" * PAYLOAD_LIMIT), ON)

    assert (await row(db, run.id))["cursor"] == 1


async def test_many_runs_share_commits(db, workshop, store):
    item = await workshop.flow()

    async def go(number):
        event = workshop.event(item, internal_id=str(number))
        await store.accept([event])
        run = await store.claim(event.id, "mine", NOW)
        await store.intent(run, done(item, 1, status=StepState.RUNNING, data_out=None))
        await store.outcome(run, done(item, 1), END)

    before = db.commits
    await asyncio.gather(*(go(i) for i in range(100)))

    assert (
        await db.read(
            lambda tx: tx.execute(text("SELECT count(*) FROM execution WHERE status = 'success'")).scalar()
        )
        == 100
    )
    assert db.commits - before < 100
