"""The small parts of the engine, each by itself."""

import asyncio
import json

from hypothesis import given
from hypothesis import strategies as st
from tests.support.fuzzing import fuzz
from tests.support.patience import PATIENCE

from patchbay.domain.base import ExecutionId, FlowId, Json, StepId
from patchbay.domain.changes import Change
from patchbay.domain.executions import ExecutionState
from patchbay.domain.fields import Argument, ArgumentType
from patchbay.engine.changes import ChangeAnnouncer
from patchbay.engine.dispatcher import Dispatcher, PublishedFlowSettings
from patchbay.engine.intake import new_execution_id
from patchbay.engine.parameters import parse_json_text, resolve_parameters
from patchbay.engine.timer import Timer
from patchbay.engine.triggers.webhook_responses import PendingResponses

RUN = ExecutionId("run")
FLOW = FlowId("f")
FIRST_RUN = ExecutionId("a")

_JSON = st.recursive(
    st.none() | st.booleans(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=9
)


def test_ids_sort_by_the_order_in_which_they_were_made():
    ids = [new_execution_id() for _ in range(10_000)]

    assert ids == sorted(ids)
    assert len(set(ids)) == 10_000
    assert {(len(one), one[14]) for one in ids} == {(36, "7")}


def test_parse_reads_json_but_keeps_numbers_and_other_texts():
    assert parse_json_text('{"a": 1}') == {"a": 1}
    assert parse_json_text("true") is True
    assert parse_json_text("00123") == "00123"
    assert parse_json_text("12345678901234567890") == "12345678901234567890"
    assert parse_json_text("not json") == "not json"
    # No other reader of what is stored would take these as numbers.
    assert parse_json_text('{"a": [NaN, -Infinity, 1e999]}') == {"a": ["NaN", "-Infinity", "1e999"]}


@given(st.text() | st.integers().map(str) | st.floats(allow_nan=False, allow_infinity=False).map(str))
def test_parse_never_fails_and_returns_no_number(text: str):
    parsed = parse_json_text(text)

    assert isinstance(parsed, bool) or not isinstance(parsed, int | float)


@fuzz()
@given(_JSON)
def test_parse_reads_json_of_every_shape(value: Json):
    assert parse_json_text(json.dumps(value)) == value


def test_parse_reaches_into_rows():
    row = Argument(key="value", label="Value", variables=True, value_type="parse")
    rows = Argument(key="rows", label="Rows", type=ArgumentType.DYNAMIC, fields=(row,))

    resolved = resolve_parameters([rows], {"rows": [{"value": "[{{step.a.n}}]"}]}, {StepId("a"): {"n": 7}})

    assert resolved == {"rows": [{"value": [7]}]}


async def test_announcements_come_in_batches_and_the_first_at_once():
    changes: list[Change] = []
    announcer = ChangeAnnouncer(changes.append)

    announcer.created(FIRST_RUN)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first = list(changes)
    for name in map(ExecutionId, "bcd"):
        announcer.created(name)
        announcer.updated(name)
    announcer.updated(FIRST_RUN)
    announcer.flush()

    assert [change.ids for change in first] == [("a",)]
    assert [(change.action, change.ids) for change in changes[1:]] == [
        ("created", ("b", "c", "d")),
        ("updated", ("a",)),
    ]


async def test_flows_take_turns_and_a_submitted_id_runs_once():
    order: list[str] = []
    done = asyncio.Event()

    async def run(execution_id: str) -> None:
        order.append(execution_id)

    dispatcher = Dispatcher(run, done.set, PublishedFlowSettings(), limit=1)
    for name in ("a1", "a2", "a3", "b1", "b2", "a1"):
        dispatcher.submit(ExecutionId(name), FlowId(name[0]))
    dispatcher.open()
    await done.wait()

    assert order == ["a1", "b1", "a2", "b2", "a3"]
    await dispatcher.stop(0)


async def test_ids_submitted_when_the_last_worker_ends_are_not_left_behind():
    ran: list[str] = []
    more = [["c", "d"], ["b"]]
    done = asyncio.Event()

    async def run(execution_id: str) -> None:
        ran.append(execution_id)

    def drained() -> None:
        for name in more.pop() if more else ():
            dispatcher.submit(ExecutionId(name), FLOW)
        if len(ran) == 4:
            done.set()

    dispatcher = Dispatcher(run, drained, PublishedFlowSettings(), limit=1)
    dispatcher.open()
    dispatcher.submit(FIRST_RUN, FLOW)
    await asyncio.wait_for(done.wait(), PATIENCE)

    assert ran == ["a", "b", "c", "d"]
    await dispatcher.stop(0)


async def test_a_run_that_breaks_does_not_take_its_slot_with_it():
    ran: list[str] = []
    done = asyncio.Event()

    async def run(execution_id: str) -> None:
        ran.append(execution_id)
        if execution_id == "bad":
            raise RuntimeError("broken")

    dispatcher = Dispatcher(run, done.set, PublishedFlowSettings(), limit=1)
    dispatcher.open()
    dispatcher.submit(ExecutionId("bad"), FLOW)
    dispatcher.submit(ExecutionId("good"), FLOW)
    await done.wait()

    assert ran == ["bad", "good"]
    await dispatcher.stop(0)


async def test_the_timer_ticks_when_due_and_when_poked_and_survives_a_fault():
    ticks: list[int] = []
    thrice = asyncio.Event()

    async def tick(now: int) -> int | None:
        ticks.append(now)
        if len(ticks) == 1:
            return 10
        thrice.set()
        if len(ticks) == 2:
            raise RuntimeError("broken")
        return None

    timer = Timer(lambda: 0, tick)
    timer.start()
    await thrice.wait()
    thrice.clear()
    timer.wake_by(1)
    await thrice.wait()
    await timer.stop()

    assert len(ticks) == 3


async def test_the_first_answer_of_a_run_counts():
    pending_responses = PendingResponses()
    future = pending_responses.expect(RUN)

    pending_responses.on_run_stopped(RUN, ExecutionState.FILTERED, "no match")
    pending_responses.on_run_stopped(RUN, ExecutionState.SUCCESS, None)

    assert (await future).status == 422
