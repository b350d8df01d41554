"""Searching in the data of steps over HTTP."""

import pytest

from patchbay.domain.base import ExecutionId
from patchbay.domain.engine_store import NewExecution, Permit, StepOutcome
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowVersion
from patchbay.storage import search
from patchbay.storage.engine_store import SqlEngineStore

SEARCH = "/v1/executions/search"


@pytest.fixture
async def history(runtime, webhook_flow):
    """Thirty finished executions of the flow, one a second; every third has a customer in Zürich."""
    store = SqlEngineStore(runtime.db, now=runtime.clock)
    began = runtime.clock() - 60_000
    events = []
    for number in range(30):
        at = began + number * 1000
        trigger = StepOutcome(
            seq=0,
            step_id=webhook_flow.steps[0].id,
            status=StepState.SUCCESS,
            started_at=at,
            finished_at=at,
            data_out={"number": number, "city": "ZÜRICH" if number % 3 == 0 else "Bern"},
        )
        events.append(
            NewExecution(
                permit=Permit(version=FlowVersion(flow_id=webhook_flow.id, number=1, name="", steps=())),
                id=ExecutionId(f"00000000-0000-4000-8000-{number:012}"),
                flow_id=webhook_flow.id,
                internal_id=None,
                trigger=trigger,
                created_at=at,
                flow_version=1,
                state=ExecutionState.SUCCESS,
                steps_total=2,
                note="Filtered out." if number == 7 else None,
            )
        )
    await store.accept(events)
    return [event.id for event in events]


async def test_a_stretch_tells_what_it_found_and_how_far_it_came(caller, history):
    answer = await caller.get(SEARCH, params={"text": "zürich"})

    body = answer.json()
    assert answer.status_code == 200
    assert body["meta"]["isArray"] is False
    assert [run["id"] for run in body["data"]["items"]] == history[27::-3]
    assert (body["data"]["searched"], body["data"]["nextCursor"]) == (30, None)
    assert body["data"]["items"][0]["flow"]["steps"]


async def test_all_conditions_of_the_list_apply(caller, history, webhook_flow):
    async def found(**params):
        body = (await caller.get(SEARCH, params=params)).json()
        return [history.index(run["id"]) for run in body["data"]["items"]]

    first, last = [await caller.get(f"/v1/executions/{history[at]}") for at in (3, 9)]
    between = {
        "startDateTime": first.json()["data"]["createdAt"],
        "endDateTime": last.json()["data"]["createdAt"],
    }
    assert await found(text="zürich", **between) == [9, 6, 3]
    assert await found(text="filtered OUT", flowId=webhook_flow.id, status="success") == [7]
    assert await found(text="zürich", status="failure") == []
    assert await found(text="zürich", name="nothing like it") == []


async def test_a_cursor_continues_with_older_ones(caller, history, monkeypatch):
    monkeypatch.setattr(search, "MAX_FOUND", 4)
    found = []
    cursor = ""
    stretches = 0
    while cursor is not None:
        answer = await caller.get(SEARCH, params={"text": "Zürich", "cursor": cursor})
        data = answer.json()["data"]
        found += [run["id"] for run in data["items"]]
        cursor, stretches = data["nextCursor"], stretches + 1

    assert (found, stretches) == (history[27::-3], 3)


@pytest.mark.parametrize(
    "query", ["", "?text=", "?text=%20", "?text=" + "x" * 501, "?text=x&cursor=nonsense"]
)
async def test_what_cannot_be_searched_is_rejected_with_a_clear_error(caller, history, query):
    answer = await caller.get(SEARCH + query)

    assert answer.status_code in (400, 422)
    assert answer.json()["errors"]


async def test_search_is_no_id_of_an_execution_and_needs_a_key(caller, stranger, history):
    assert (await stranger.get(SEARCH, params={"text": "x"})).status_code == 401
    assert (await caller.get("/v1/executions/nowhere")).status_code in (400, 404)
