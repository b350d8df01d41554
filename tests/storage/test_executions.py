"""Reading executions: filters, both kinds of paging, and single executions with their steps."""

import base64
import json
from dataclasses import replace

import pytest
from sqlalchemy import delete, update
from tests.support.storage_rows import NOW, OWNER, done

from patchbay.domain.base import ExecutionId
from patchbay.domain.engine_store import RunTransition
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus, Origin, StepState
from patchbay.domain.flows import FlowVersion
from patchbay.domain.paging import PageRequest
from patchbay.storage import executions
from patchbay.storage.driver import driver_of
from patchbay.storage.execution_filter import encode_ids
from patchbay.storage.repositories import flow_versions
from patchbay.storage.tables import flow, flow_version, folder
from patchbay.storage.tables import step as draft_step

MINUTE = 60_000


@pytest.fixture
async def history(db, workshop, store):
    """Two flows, seven executions a minute apart, one for each state: name of the state → execution."""
    await db.write(
        lambda tx: tx.execute(
            folder.insert().values(id="shop", user_id=OWNER, name="Shop", created_at=NOW, updated_at=NOW)
        )
    )
    orders = await workshop.flow("Orders 100%", app="slack", folder_id="shop")
    invoices = await workshop.flow("Ärger_Invoices", app="stripe")
    events = {}
    for age, state in enumerate(ExecutionState):
        note = f"{state} since 50% of_it" if state is ExecutionState.FAILURE else None
        item = orders if age % 2 else invoices
        events[state.value] = workshop.event(item, state=state, at=NOW + age * MINUTE, note=note)
    await store.accept(list(events.values()))
    return {state: event.id for state, event in events.items()}


async def states(db, **where):
    page = await db.read(
        lambda tx: executions.list_executions(tx, ExecutionFilter(**where), PageRequest(limit=50))
    )
    assert page.total == len(page.items)
    return [item.state.value for item in page.items]


async def test_the_beginning_of_an_id_finds_its_execution(db, workshop, store):
    item = await workshop.flow("Orders 019ac01f-7d3e")
    ids = [f"019ac01f-{part}-7000-8000-000000000000" for part in ("7d3e", "7d3f", "8000")]
    await store.accept([replace(workshop.event(item, at=NOW), id=ExecutionId(one)) for one in ids])

    async def found(name):
        where = ExecutionFilter(name=name)
        page = await db.read(lambda tx: executions.list_executions(tx, where, PageRequest(limit=50)))
        return sorted(item.id for item in page.items)

    assert await found(ids[0]) == await found(" 019AC01F-7D3E") == ids[:1]
    assert await found("019ac01f") == ids
    assert await found("019ac01f-9") == []  # neither an ID nor a flow
    assert await found("7d3e") == ids  # too short for an ID, so flows are searched


async def test_an_old_test_of_a_draft_lists_no_steps_that_were_added_since(db, workshop, store):
    item = await workshop.flow("Draft", publish=False)
    old, new = (
        workshop.event(item, flow_version=None, test_run=True, state=ExecutionState.SUCCESS, at=at)
        for at in (NOW + MINUTE, NOW + 3 * MINUTE)
    )
    await store.accept([old, new])
    later, holder = (draft_step.c.position == 3), (draft_step.c.position == 2)
    await db.write(lambda tx: tx.execute(update(draft_step).where(later).values(created_at=NOW + 2 * MINUTE)))
    before = await db.read(lambda tx: executions.read_executions(tx, [old.id, new.id]))

    await db.write(
        lambda tx: [
            tx.execute(update(draft_step).where(holder).values(created_at=NOW + 2 * MINUTE)),
            tx.execute(
                update(draft_step).where(later).values(created_at=NOW, parent_step_id=item.steps[1].id)
            ),
        ]
    )
    (moved,) = await db.read(lambda tx: executions.read_executions(tx, [old.id]))

    assert [len(run.flow.steps) for run in before] == [2, 3]
    assert len(moved.flow.steps) == 3  # what holds a step now is there too


async def test_the_list_is_newest_first_and_tells_the_flow(db, history):
    assert await states(db) == ["cancelled", "filtered", "failure", "success", "waiting", "running", "queued"]

    page = await db.read(lambda tx: executions.list_executions(tx, ExecutionFilter(), PageRequest(limit=1)))
    shown = page.items[0].flow
    assert (shown.name, shown.active, shown.app_keys) == (
        "Ärger_Invoices",
        True,
        ("webhook", "stripe", "stripe"),
    )


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"status": ExecutionStatus.SUCCESS}, ["filtered", "success"]),
        ({"status": ExecutionStatus.FAILURE}, ["failure"]),
        ({"states": ("waiting", "failure")}, ["failure", "waiting"]),
        ({"states": ("waiting",), "status": ExecutionStatus.FAILURE}, []),
        ({"name": "orders"}, ["filtered", "success", "running"]),
        ({"name": "ärger"}, ["cancelled", "failure", "waiting", "queued"]),
        ({"name": "0%"}, ["filtered", "success", "running"]),
        ({"name": "r_I"}, ["cancelled", "failure", "waiting", "queued"]),
        ({"name": "r%I"}, []),
        ({"folder_id": "shop"}, ["filtered", "success", "running"]),
        ({"folder_id": "null"}, ["cancelled", "failure", "waiting", "queued"]),
        ({"app_key": "stripe", "states": ("failure", "success")}, ["failure"]),
        ({"app_key": "gmail"}, []),
        ({"note": "50% of_"}, ["failure"]),
        ({"note": "50_"}, []),
        ({"started_after": NOW + 5 * MINUTE}, ["cancelled", "filtered"]),
        ({"ended_before": NOW + MINUTE}, ["running", "queued"]),
        ({"test_run": True}, []),
        ({"name": "orders", "flow_id": "flow-2"}, []),
        ({"flow_id": "flow-1", "status": ExecutionStatus.SUCCESS}, ["filtered", "success"]),
        *(
            ({field: "\ud83d"}, [])
            for field in ("name", "note", "app_key", "flow_id", "user_id", "origin_id")
        ),
    ],
)
async def test_filters(db, history, where, expected):
    assert await states(db, **where) == expected


async def test_the_app_filter_follows_the_version_that_ran(db, workshop, store):
    item = await workshop.flow(app="slack")
    old, new = workshop.event(item), workshop.event(item, flow_version=2, at=NOW + 1)
    draft = workshop.event(item, flow_version=None, test_run=True, at=NOW + 2)
    steps = tuple(step.model_copy(update={"app_key": "discord"}) for step in item.steps)
    second = FlowVersion(flow_id=item.id, number=2, name="Orders", steps=steps, created_at=NOW)
    await db.write(lambda tx: flow_versions.add(tx, second))
    await store.accept([old, new, draft])

    async def found(app):
        page = await db.read(
            lambda tx: executions.list_executions(tx, ExecutionFilter(app_key=app), PageRequest())
        )
        return [run.id for run in page.items]

    assert await found("discord") == [new.id]
    assert await found("slack") == [draft.id, old.id]


async def test_both_ways_of_paging_agree(db, workshop, store):
    item = await workshop.flow()
    await store.accept([workshop.event(item, at=NOW + i // 3) for i in range(47)])

    by_page = []
    by_cursor = []
    cursor = None
    for number in range(1, 6):
        page = await _page(db, PageRequest(page=number, limit=10))
        by_page += page.items
        page = await _page(db, PageRequest(cursor=cursor, limit=10))
        by_cursor += page.items
        cursor = page.next_cursor

    assert cursor is None
    assert by_page == by_cursor
    assert len({run.id for run in by_page}) == 47 == page.total


async def test_a_cursor_continues_where_it_was_when_more_arrive(db, workshop, store):
    item = await workshop.flow()
    await store.accept([workshop.event(item, at=NOW + i) for i in range(20)])
    first = await _page(db, PageRequest(limit=10))
    await store.accept([workshop.event(item, at=NOW + 100 + i) for i in range(5)])

    second = await _page(db, PageRequest(limit=10, cursor=first.next_cursor))

    assert [run.created_at for run in second.items] == [NOW + i for i in range(9, -1, -1)]


@pytest.mark.parametrize(
    "words",
    [
        "nonsense",
        "[]",
        "[1]",
        "{}",
        "null",
        '["a", "b"]',
        '[Infinity, "b"]',
        '[NaN, "b"]',
        '[1, "\\ud800"]',
        "[" * 5000,
        "1" * 5000,
    ],
)
async def test_a_cursor_from_elsewhere_is_refused(db, words):
    with pytest.raises(ValidationFailed, match="isn't valid for the list"):
        await _page(db, PageRequest(cursor=base64.urlsafe_b64encode(words.encode()).decode()))
    with pytest.raises(ValidationFailed, match="isn't valid for the list"):
        await _page(db, PageRequest(cursor=words[:4] + "é"))


async def test_a_cursor_beyond_all_times_is_the_end_of_the_list(db, workshop, store):
    item = await workshop.flow()
    await store.accept([workshop.event(item, at=NOW + i) for i in range(3)])

    for place, expected in (([10**40, "x"], 3), ([-(10**40), "x"], 0)):
        cursor = base64.urlsafe_b64encode(json.dumps(place).encode()).decode()
        for where in (
            ExecutionFilter(),
            ExecutionFilter(name="o", test_run=False),
            ExecutionFilter(note="no"),
        ):
            page = await db.read(
                lambda tx, where=where, cursor=cursor: executions.list_executions(
                    tx, where, PageRequest(cursor=cursor)
                )
            )
            assert len(page.items) == (0 if where.note else expected)


async def _page(db, page):
    return await db.read(lambda tx: executions.list_executions(tx, ExecutionFilter(), page))


async def test_executions_of_deleted_flows_stay_listed(db, history):
    await db.write(lambda tx: tx.execute(update(flow).values(deleted_at=NOW)))
    found = await db.read(lambda tx: executions.get_execution(tx, history["success"]))
    assert (found.flow.name, found.flow.active) == ("Orders 100%", False)

    await db.write(lambda tx: [tx.execute(delete(table)) for table in (draft_step, flow_version, flow)])
    found = await db.read(lambda tx: executions.get_execution(tx, history["success"]))
    assert (found.flow.name, found.flow.steps) == ("Deleted flow", ())


async def test_an_execution_that_is_not_there_is_reported(db):
    with pytest.raises(NotFound, match="doesn't exist"):
        await db.read(lambda tx: executions.get_execution(tx, ExecutionId("nobody")))


async def test_the_steps_of_an_execution_come_in_the_order_they_ran(db, workshop, store):
    item = await workshop.flow()
    event = workshop.event(item)
    await store.accept([event])
    run = await store.claim(event.id, "mine", NOW)
    refused = done(
        item, 1, status=StepState.FAILURE, data_out=None, error={"happened": "Refused.", "status": 422}
    )
    await store.outcome(run, refused, RunTransition(state=ExecutionState.WAITING, cursor=1, wake_at=NOW))
    run = await store.claim(event.id, "mine", NOW + 10)
    await store.outcome(run, done(item, 1, attempt=2), RunTransition(state=ExecutionState.SUCCESS, cursor=2))

    steps = await db.read(lambda tx: executions.execution_steps(tx, event.id))

    assert [(step.seq, step.attempt, step.status) for step in steps] == [
        (0, 1, "success"),
        (1, 1, "failure"),
        (1, 2, "success"),
    ]
    assert steps[1].error_details == {"happened": "Refused.", "status": 422}
    assert (steps[2].data_in, steps[2].data_out) == ({"text": "in"}, {"text": "out 1"})
    assert (steps[2].step.app_key, steps[2].step.position) == ("http-request", 2)
    assert len({step.id for step in steps}) == 3


async def test_a_step_deleted_since_a_test_is_still_named(db, workshop, store):
    item = await workshop.flow(publish=False)
    event = workshop.event(item, flow_version=None, state=ExecutionState.SUCCESS, test_run=True)
    await store.accept([replace(event, trigger=done(item, 2))])
    await db.write(
        lambda tx: tx.execute(update(draft_step).where(draft_step.c.position == 3).values(deleted_at=NOW))
    )

    (step,) = await db.read(lambda tx: executions.execution_steps(tx, event.id))
    assert (step.step.id, step.step.app_key) == (item.steps[2].id, "http-request")

    await db.write(lambda tx: tx.execute(delete(draft_step)))
    (step,) = await db.read(lambda tx: executions.execution_steps(tx, event.id))
    assert (step.step.id, step.step.app_key) == (item.steps[2].id, None)


async def test_samples_are_the_newest_success_of_each_step(db, workshop, store):
    item = await workshop.flow()
    await store.accept([workshop.event(item, at=NOW + i) for i in range(3)])

    (sample,) = await db.read(lambda tx: executions.latest_samples(tx, item.id))

    assert (sample.step.id, sample.finished_at) == (item.steps[0].id, NOW + 2)


@pytest.mark.parametrize("kind", list(Origin))
async def test_retried_says_what_was_run_again_by_a_user(db, workshop, store, kind):
    item = await workshop.flow()
    first = workshop.event(item, state=ExecutionState.FAILURE, at=NOW)
    again = workshop.event(
        item, state=ExecutionState.FAILURE, at=NOW + 1, origin_id=first.id, origin_kind=kind
    )
    await store.accept([first, again])

    async def found(retried):
        where = ExecutionFilter(retried=retried)
        page = await db.read(lambda tx: executions.list_executions(tx, where, PageRequest()))
        return [execution.id for execution in page.items]

    by_hand = kind in (Origin.RETRY, Origin.REPLAY)
    assert await found(True) == ([first.id] if by_hand else [])
    assert await found(False) == ([again.id] if by_hand else [again.id, first.id])
    assert await found(None) == [again.id, first.id]
    assert (await store.counts(NOW))["failures"] == len(await found(False))


async def test_ids_that_cannot_be_stored_are_not_found(db):
    ids = encode_ids(["one", "with\0", "with\ud83d"])
    query = "SELECT key FROM json_each(?)"

    found = await db.read(lambda tx: driver_of(tx).execute(query, (ids,)).fetchall())

    assert [row[0] for row in found] == ["one"]
