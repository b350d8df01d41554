"""Lists of other services: ten at a time, filters of their own, rows in forms of their own."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.support.recorded_client import Pair, recorded

from patchbay.domain.backend import Feature
from patchbay.domain.base import AppKey, ConnectionId, ExecutionId, FlowId, UserId
from patchbay.domain.errors import NotFound, NotSupported, ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.flows import FlowFilter, FlowStatus
from patchbay.domain.paging import PageRequest

EVERYTHING = ExecutionFilter()
DELETED_FLOW = ExecutionId("e1009999-0b1c-4d2e-8f30-000000009999")


@pytest.fixture
async def pair():
    async with recorded() as opened:
        yield opened


def _runs(numbers: range) -> list[str]:
    return [f"e1{number:06}-0b1c-4d2e-8f30-000000000{number:03}" for number in numbers]


@pytest.mark.parametrize(
    ("page", "numbers", "cursor", "pages"),
    [
        (PageRequest(), range(23, 13, -1), "10", [1]),
        (PageRequest(page=2), range(13, 3, -1), "20", [2]),
        (PageRequest(limit=15), range(23, 8, -1), "15", [1, 2]),
        (PageRequest(limit=5, cursor="8"), range(15, 10, -1), "13", [1, 2]),
        (PageRequest(limit=20, page=2), range(3, 0, -1), None, [3]),
        (PageRequest(page=9999), range(0), None, [9999]),
    ],
)
async def test_pages_of_any_size_are_put_together_from_pages_of_ten(pair: Pair, page, numbers, cursor, pages):
    found = await pair.backend.list_executions(EVERYTHING, page)

    assert [run.id for run in found.items if run.id != DELETED_FLOW] == _runs(numbers)
    assert (found.total, found.next_cursor, found.limit) == (24, cursor, page.limit)
    assert pair.asked == [f"GET /v1/executions?page={number}" for number in pages]


async def test_no_more_pages_are_requested_than_there_are(pair: Pair):
    found = await pair.backend.list_executions(EVERYTHING, PageRequest(limit=200))

    assert len(found.items) == 24
    assert len(pair.asked) == 3


async def test_executions_are_counted_by_listing_them(pair: Pair):
    where = ExecutionFilter(ended_before=9_999_999_999_999)
    total = (await pair.backend.list_executions(where, PageRequest(limit=1))).total
    failed = where.model_copy(update={"states": (ExecutionState.FAILURE,)})
    failures = (await pair.backend.list_executions(failed, PageRequest(limit=1))).total
    pair.service.asked.clear()

    counts = await pair.backend.count_executions(where)

    assert (counts.matching, counts.failure, counts.all) == (total, failures, total)
    assert len(pair.asked) == 4
    assert all(line.startswith("GET /v1/executions?") for line in pair.asked)


async def test_an_empty_list_is_one_whatever_it_says_it_holds(pair: Pair):
    pair.service.state.empty()

    assert (await pair.backend.list_executions(EVERYTHING, PageRequest())).items == ()
    assert await pair.backend.list_templates() == ()
    assert await pair.backend.list_folders() == ()
    assert (await pair.backend.list_flows(FlowFilter(), PageRequest())).total == 0


async def test_a_cursor_of_another_list_is_refused(pair: Pair):
    for cursor in ("eyJ", "-1", "1.5"):
        with pytest.raises(ValidationFailed):
            await pair.backend.list_flows(FlowFilter(), PageRequest(cursor=cursor))


async def test_executions_have_a_state_times_and_steps(pair: Pair):
    page = await pair.backend.list_executions(EVERYTHING, PageRequest(limit=4))
    newest, *others = page.items

    assert (newest.state, newest.status, newest.finished_at) == (ExecutionState.RUNNING, None, None)
    assert [run.state for run in others] == [
        ExecutionState.SUCCESS,
        ExecutionState.FAILURE,
        ExecutionState.SUCCESS,
    ]
    one = await pair.backend.get_execution(others[1].id)
    assert one == others[1]
    assert (one.test_run, one.steps_total, one.duration_ms) == (True, 2, 1200)
    assert one.flow.name == "Morning weather to ntfy"
    assert one.flow.app_keys == ("scheduler", "ntfy")
    assert one.flow.steps[0].icon_url == "https://automation.example.org/apps/scheduler/assets/favicon.svg"


async def test_executions_of_deleted_flows_are_shown_with_what_is_known(pair: Pair):
    kept = await pair.backend.get_execution(DELETED_FLOW)
    assert kept.flow.name == "Pigeon post"

    run = pair.service.state.executions[-1]
    pair.service.instead = _single(
        {key: value for key, value in run.items() if key != "flowId"} | {"flow": None}
    )
    lost = await pair.backend.get_execution(DELETED_FLOW)
    assert (lost.flow.id, lost.flow.name, lost.state) == ("", "Deleted flow", ExecutionState.SUCCESS)


@pytest.mark.parametrize(
    ("where", "query", "count"),
    [
        (ExecutionFilter(name="invoice"), "name=invoice", 6),
        (ExecutionFilter(status=ExecutionStatus.FAILURE), "status=failure", 6),
        (ExecutionFilter(states=(ExecutionState.FAILURE,)), "status=failure", 6),
        (ExecutionFilter(states=(ExecutionState.FILTERED, ExecutionState.SUCCESS)), "status=success", 17),
        (ExecutionFilter(started_after=1731000000000 + 20 * 60000), "startDateTime=1731001200000", 4),
        (ExecutionFilter(ended_before=1731000000000 + 60000), "endDateTime=1731000060000", 2),
    ],
)
async def test_executions_are_filtered_by_what_the_service_knows(pair: Pair, where, query, count):
    found = await pair.backend.list_executions(where, PageRequest())

    assert pair.asked[0] == f"GET /v1/executions?{query}&page=1"
    assert found.total == count


@pytest.mark.parametrize(
    "where",
    [
        {"flow_id": "x"},
        {"test_run": False},
        {"states": (ExecutionState.QUEUED,)},
        {"note": "x"},
        {"origin_id": "x"},
        {"user_id": "x"},
        {"app_key": "x"},
        {"folder_id": "x"},
        {"states": (ExecutionState.FAILURE, ExecutionState.SUCCESS)},
    ],
)
async def test_a_condition_that_would_silently_be_ignored_is_not_sent(pair: Pair, where):
    with pytest.raises(NotSupported, match="filters executions only by"):
        await pair.backend.list_executions(ExecutionFilter(**where), PageRequest())

    assert pair.asked == []


async def test_flows_are_filtered_by_what_the_service_knows(pair: Pair):
    async def names(**where: Any) -> list[str]:
        page = await pair.backend.list_flows(FlowFilter(**where), PageRequest(limit=50))
        assert page.total == len(page.items)
        return [flow.name for flow in page.items]

    jonas = pair.service.state.users[1]["id"]
    assert await names(status=FlowStatus.PUBLISHED) == [
        "Invoice reminders",
        "Harbour news",
        "Morning weather to ntfy",
        "Parcels to the stock sheet",
    ]
    assert await names(name="SHIP") == ["ship departures", "Ship arrivals 100%"]
    assert len(await names(user_id=jonas)) == 5
    assert await names(folder_id="b1000003-0b1c-4d2e-8f30-000000000003") == ["Old invoices"]
    assert len(await names(folder_id="null")) == 7


async def test_flows_are_picked_out_here_by_app_and_none_is_ever_paused(pair: Pair):
    async def page(**where: Any):
        return await pair.backend.list_flows(FlowFilter(app_key=AppKey("ntfy")), PageRequest(**where))

    first, second = await page(limit=3), await page(limit=3, cursor="3")
    assert [flow.name for flow in (*first.items, *second.items)] == [
        "Harbour news",
        "Morning weather to ntfy",
        "Test of the webhook",
        "Stock below ten",
    ]
    assert (first.total, first.next_cursor, second.next_cursor) == (4, "3", None)
    assert not any("appKey" in line for line in pair.asked)

    pair.service.asked.clear()
    paused = await pair.backend.list_flows(FlowFilter(status=FlowStatus.PAUSED), PageRequest())
    assert (paused.items, pair.asked) == ((), [])
    with pytest.raises(NotSupported) as refused:
        await pair.backend.list_flows(FlowFilter(connection_id=ConnectionId("x")), PageRequest())
    assert refused.value.feature == Feature.CONNECTIONS
    with pytest.raises(NotSupported, match="by their IDs"):
        await pair.backend.list_flows(FlowFilter(ids=(FlowId("x"),)), PageRequest())


async def test_ids_in_other_spellings_and_ids_that_are_none(pair: Pair):
    flow = pair.service.state.flows[0]

    assert (await pair.backend.get_flow(flow["id"].upper())).id == flow["id"]
    operations: tuple[Callable[[Any], Awaitable[object]], ...] = (
        pair.backend.get_flow,
        pair.backend.get_execution,
        pair.backend.delete_flow,
    )
    for ask in operations:
        with pytest.raises(NotFound):
            await ask("")
        with pytest.raises(NotFound):
            await ask("not-an-id")
        with pytest.raises(NotFound):
            await ask("00000000-0000-4000-8000-000000000000")


async def test_a_malformed_id_in_a_filter_is_reported(pair: Pair):
    with pytest.raises(ValidationFailed, match="couldn't parse"):
        await pair.backend.list_flows(FlowFilter(user_id=UserId("nobody")), PageRequest())


async def test_apps_have_their_icons_and_nothing_else_is_made_up(pair: Pair):
    apps = await pair.backend.list_apps()
    sheets = await pair.backend.get_app(AppKey("google-sheets"))

    assert [app.name for app in apps][:3] == ["Airtable", "Formatter", "Google Sheets"]
    assert sheets.icon_url == "https://automation.example.org/apps/google-sheets/assets/favicon.svg"
    assert (sheets.primary_color, sheets.auth, sheets.triggers) == ("#0F9D58", None, None)
    with pytest.raises(NotFound):
        await pair.backend.get_app(AppKey("no-such-app"))


def _single(row):
    body = json.dumps({"data": row, "meta": {}}).encode()
    return lambda method, path: (200, {"content-type": "application/json"}, body)
