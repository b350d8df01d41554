"""A flow whose trigger is pointed at another source loses none of its items and repeats none of the first."""

import pytest
from sqlalchemy import delete, insert, select, update
from tests.support.boxes import Boxes, Room
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.domain.base import AppKey, ConnectionId, StepId
from patchbay.domain.errors import TimedOut
from patchbay.domain.flows import Step, StepChange, StepType
from patchbay.integration.registry import load_apps
from patchbay.service.publishing import source_of
from patchbay.storage.repositories import flows
from patchbay.storage.tables import execution, execution_step, flow_version, seen_event
from patchbay.storage.tables import flow as flow_table

BOXES = AppKey("boxes")


@pytest.fixture
async def room(tmp_path):
    boxes = Boxes()
    runtime = await open_runtime(tmp_path, more_apps=[boxes.app])
    await runtime.engine.start()
    flow = await runtime.flow(StepChange(app_key=BOXES, key="newLetter"), PASS)
    yield Room(runtime, boxes, flow)
    await runtime.close()


async def test_items_of_another_server_run_though_their_ids_are_known_from_the_first(room):
    first, second = await room.connect("A"), await room.connect("B")
    await room.point("A", first, there="21")
    await room.look("A", there="4321")

    await room.point("B", second, there="1")
    await room.look("B", there="321")

    assert await room.ran() == ["A/in 3", "A/in 4", "B/in 2", "B/in 3"]


async def test_back_at_the_first_server_nothing_runs_that_ran_before(room):
    first, second = await room.connect("A"), await room.connect("B")
    await room.point("A", first, there="1")
    await room.look("A", there="321")
    await room.point("B", second, there="1")
    await room.look("B", there="41")

    await room.point("A", first, there="1")
    await room.look("A", there="54321")
    await room.point("B", second, there="1")
    await room.look("B", there="541")

    assert await room.ran() == ["A/in 2", "A/in 3", "B/in 4", "A/in 4", "A/in 5", "B/in 5"]


async def test_what_ran_stays_known_when_its_executions_and_versions_are_gone(room):
    first, second = await room.connect("A"), await room.connect("B")
    await room.point("A", first, there="1")
    await room.point("B", second, there="1")
    await room.look("B", there="21")
    await room.point("A", first, there="1")

    def tidy(tx):
        ids = tx.execute(select(execution.c.flow_id, execution.c.internal_id)).all()
        tx.execute(delete(execution_step))
        tx.execute(delete(execution))
        tx.execute(insert(seen_event), [{"flow_id": one, "internal_id": other} for one, other in ids])
        tx.execute(delete(flow_version).where(flow_version.c.number < 3))

    await room.runtime.db.write(tidy)
    await room.point("B", second, there="1")
    await room.look("B", there="321")

    assert await room.ran() == ["B/in 3"]


async def test_other_parameters_are_the_same_source_and_ids_stay_as_they_were(room):
    first = await room.connect("A")
    await room.point("A", first, there="1")
    await room.look("A", there="21")

    await room.publish(parameters={"about": "trains"})
    await room.look("A", there="321")
    await room.publish(parameters={"about": "", "box": "in"})

    assert await room.ran() == ["A/in 2", "A/in 3"]
    assert await room.stored_ids() == ["1", "2", "3"]
    assert await room.sources() == 1


async def test_an_argument_that_names_a_source_makes_another_one(room):
    await room.point("A", await room.connect("A"), there="1")
    await room.look("A", there="21")
    room.boxes.letters["A", "out"] = ["1"]

    await room.publish(parameters={"box": "out"})
    await room.look("A", box="out", there="21")

    assert await room.ran() == ["A/in 2", "A/out 2"]
    assert await room.stored_ids() == ["1", "2", "source-2/1", "source-2/2"]


async def test_another_app_is_another_source(room):
    await room.publish(app_key="tools", key="catch")
    first = await room.connect("A")
    change = StepChange(app_key=BOXES, key="newLetter", connection_id=first)
    await room.runtime.backend.update_step(room.flow.steps[0].id, change)

    await room.point("A", first, there="1")

    assert (await room.place(), await room.sources()) == (2, 2)


async def test_a_connection_recreated_for_its_account_is_the_same_source(room):
    first = await room.connect("A")
    await room.point("A", first, there="1")
    await room.runtime.backend.delete_connection(first)

    await room.publish(connection_id=await room.connect("A"))

    assert (await room.place(), await room.sources()) == (1, 1)


@pytest.mark.parametrize(
    ("server", "account"),
    [("A", "bob"), ("B", "ada"), ("A", "nobody")],
    ids=["another account", "the same name elsewhere", "an account that is not told"],
)
async def test_any_other_connection_is_another_source(room, server, account):
    await room.point("A", await room.connect("A"), there="1")

    await room.publish(connection_id=await room.connect(server, account))

    assert (await room.place(), await room.sources()) == (2, 2)


async def test_a_connection_with_new_credentials_is_the_same_source(room):
    first = await room.connect("A")
    await room.point("A", first, there="1")
    await room.runtime.backend.reconnect(first, {"server": "A", "apiKey": "ada!"})
    await room.look("A", there="21")

    await room.publish(parameters={"about": "trains"})

    assert (await room.place(), await room.sources()) == (1, 1)


async def test_a_connection_that_became_another_account_is_another_source_with_the_next_version(room):
    first = await room.connect("A")
    await room.point("A", first, there="1")
    other = {"server": "B", "apiKey": "bob"}
    await room.runtime.backend.reconnect(first, other, accept_other_account=True)
    room.boxes.letters["B", "in"] = ["2", "1"]
    edit = StepChange(parameters={"text": "changed"})
    await room.runtime.skipped(await room.runtime.backend.update_step(room.flow.steps[1].id, edit))

    await room.runtime.backend.publish_flow(room.flow.id)
    await room.look("B", there="321")

    assert await room.ran() == ["B/in 3"]
    assert await room.place() == 2


async def test_a_flow_from_before_sources_were_remembered_keeps_its_ids_and_has_them_remembered(room):
    first, second = await room.connect("A"), await room.connect("B")
    await room.point("A", first, there="1")
    await room.look("A", there="21")
    await room.runtime.db.write(lambda tx: tx.execute(update(flow_table).values(sources="[]")))
    await room.runtime.backend.delete_connection(first)

    await room.point("B", second, there="1")
    await room.look("B", there="21")
    await room.point("A", await room.connect("A"), there="1")
    await room.look("A", there="321")

    assert await room.ran() == ["A/in 2", "B/in 2", "A/in 3"]
    assert await room.stored_ids() == ["1", "2", "3", "source-2/1", "source-2/2"]


async def test_unpublishing_and_publishing_again_is_no_other_source(room):
    first, second = await room.connect("A"), await room.connect("B")
    await room.point("A", first, there="1")
    await room.point("B", second, there="1")
    await room.runtime.backend.unpublish_flow(room.flow.id)

    await room.runtime.backend.publish_flow(room.flow.id)

    assert (await room.place(), await room.sources()) == (2, 2)


async def test_the_source_stays_through_failing_polls_and_a_restart(room):
    first, second = await room.connect("A"), await room.connect("B")
    await room.point("A", first, there="1")
    await room.point("B", second, there="1")
    room.boxes.broken = True
    await room.look("B", there="1")
    room.boxes.broken = False
    await room.runtime.engine.stop(grace=0)
    await room.runtime.engine.start()

    await room.look("B", there="321")

    assert await room.stored_ids() == ["1", *(f"source-2/{letter}" for letter in "123")]


async def test_a_version_that_does_not_go_live_leaves_no_source(room):
    first, second = await room.connect("A"), await room.connect("B")
    await room.point("A", first, there="1")
    room.boxes.broken = True

    with pytest.raises(TimedOut):
        await room.point("B", second, there="1")

    assert (await room.place(), await room.sources()) == (1, 1)


async def test_a_copy_of_a_flow_has_no_sources(room):
    await room.point("A", await room.connect("A"), there="1")

    copy = await room.runtime.backend.duplicate_flow(room.flow.id)
    brought = await room.runtime.backend.import_flow(await room.runtime.backend.export_flow(room.flow.id))

    for made in (copy, brought):
        assert await room.runtime.db.read(lambda tx, made=made: flows.sources(tx, made.id)) == ()


async def test_what_a_source_is_remembered_by_holds_no_secret(room):
    await room.point("A", await room.connect("A", "ada!"), there="1")

    stored = await room.runtime.db.read(lambda tx: tx.execute(select(flow_table.c.sources)).scalar_one())

    assert '"server":"A"' in stored
    assert "ada!" not in stored


async def test_flows_that_are_called_remember_their_source_too(room):
    flow = await room.runtime.skipped(await room.runtime.flow(CATCH, PASS))

    await room.runtime.backend.publish_flow(flow.id)

    (source,) = await room.runtime.db.read(lambda tx: flows.sources(tx, flow.id))
    assert (source.app_key, source.key) == ("tools", "catch")


@pytest.mark.parametrize(
    ("app", "key", "change", "same"),
    [
        ("redmine", "newIssue", {"projectId": "7"}, True),
        ("changedetection", "changedWatch", {"watchId": "another"}, True),
        ("imap", "newMail", {"subject": "trains"}, True),
        ("imap", "newMail", {"folder": "INBOX"}, True),
        ("imap", "newMail", {"folder": "Archive"}, False),
        ("caldav", "newEvent", {"calendar": "/ada/work/"}, False),
        ("postgresql", "newRow", {"schema": "public"}, True),
        ("postgresql", "newRow", {"schema": "sales"}, False),
        ("postgresql", "newRow", {"table": "orders"}, False),
        ("mysql", "newRow", {"table": "orders"}, False),
        ("mysql", "newRow", {"column": "changed_at"}, False),
    ],
)
def test_what_makes_another_source_in_the_apps_that_come_along(app, key, change, same):
    apps = load_apps()
    step = Step(
        id=StepId("s1"), type=StepType.TRIGGER, app_key=app, key=key, connection_id=ConnectionId("c1")
    )
    changed = step.model_copy(update={"parameters": change})

    assert source_of(apps, step, ()).is_same_source(source_of(apps, changed, ())) == same
